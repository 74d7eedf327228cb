"""The worker of a proof: `caseworker worker` with the model's stand-in, and for a mutant with its flow.

Run as `python -m bench.prove.worker LOG SEED FLOW [no-reconciler] [asks-only]`.
"""

import asyncio
import sys
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Final

from temporalio.client import Client
from temporalio.worker import Worker

from bench.prove.claims import ClaimsById
from bench.prove.mutants import BY_ID_QUEUE, NoLastLook, QueueInMemory
from bench.prove.standin import StandIn
from caseworker.app import wiring, workers
from caseworker.app.load_settings import load_settings
from caseworker.app.processes import worker_loop as working
from caseworker.app.processes.cluster_worker import run_worker
from caseworker.app.processes.logs import set_up_logs
from caseworker.app.settings import Settings
from caseworker.core.base.errors import Transient
from caseworker.core.bug.case import BugCase
from caseworker.flows.base.case_flow import CaseFlow
from caseworker.flows.bug import BugInvestigationWorkflow
from caseworker.intake.reconciler import Reconciler
from caseworker.ports import Store

FLOWS: Final[dict[str, type[CaseFlow[BugCase]]]] = {
    "real": BugInvestigationWorkflow,
    "queue-in-memory": QueueInMemory,
    "no-last-look": NoLastLook,
}


class _NoReconciler(Reconciler):
    async def ring_unclaimed(self) -> None:
        return

    async def wake_the_silent(self) -> None:
        return


def main() -> int:
    log, seed, flow, *options = sys.argv[1:]
    settings = load_settings()
    set_up_logs(settings)
    # An ear asks the store for waiting messages: a queue in memory has none.
    deaf = flow == "queue-in-memory"
    standin = StandIn(Path(log), seed=int(seed), asks_only="asks-only" in options, deaf=deaf)
    real_parts = wiring.make_parts

    def make_parts(settings: Settings, store: Store, client: Client) -> wiring.Parts:
        if flow == "queue-in-memory":
            beside.append(asyncio.create_task(_claims(client, store)))
        return replace(real_parts(settings, store, client), runtime=standin)

    def no_reconciler(parts: wiring.Parts) -> Reconciler:
        return _NoReconciler(store=parts.store, doorbell=parts.doorbell, forge=parts.forge)

    beside: list[asyncio.Task[None]] = []
    setattr(working, "make_parts", make_parts)  # noqa: B010  # the one thing that is not real, put in from outside
    if "no-reconciler" in options:
        setattr(working, "make_reconciler", no_reconciler)  # noqa: B010
    workers.FLOWS[workers.FLOWS.index(BugInvestigationWorkflow)] = FLOWS[flow]
    try:
        return asyncio.run(run_worker(settings))
    except Transient:
        return 1  # Temporal is down: whoever starts this process does so again


async def _claims(client: Client, store: Store) -> None:
    async with AsyncExitStack() as stack:
        worker = Worker(client, task_queue=BY_ID_QUEUE, activities=[ClaimsById(store).claim_by_id])
        await stack.enter_async_context(worker)
        await asyncio.Event().wait()


if __name__ == "__main__":
    sys.exit(main())
