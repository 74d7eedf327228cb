"""Ends workflows that have the id of one of ours and that our workers never run.

A client of Temporal's port can start one, in the place of ours. Inputs that we did not seal are refused where our
workers run them; these are never run: they are in another queue, of another type, or begin far in the future.
"""

from datetime import UTC, datetime, timedelta
from typing import Final

import structlog
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from caseworker.contract.names import FLOWS_QUEUE, SLA_WORKFLOW, sla_workflow_id, workflow_id
from caseworker.core.base.errors import Transient
from caseworker.core.base.ids import CaseId
from caseworker.core.kinds import KINDS

log = structlog.get_logger()

_AHEAD: Final = timedelta(minutes=5)
"""None of ours begins later than at once. More than the clocks of two machines differ."""


async def end_impostors(client: Client) -> list[str]:
    """Returns the ids that are free again."""
    try:
        found = [(one.id, one.run_id) async for one in client.list_workflows(_query())]
        for name, run in found:
            log.warning("a workflow that Caseworker did not start was in the place of a case: ended", workflow=name)
            await _end(client, name, run)
    except (RPCError, RuntimeError) as error:
        raise Transient(f"Temporal could not say who stands in the place of a case: {error}") from error
    return [name for name, _ in found]


def _query() -> str:
    later = (datetime.now(UTC) + _AHEAD).strftime("%Y-%m-%dT%H:%M:%SZ")
    types = ", ".join(f"'{name}'" for name in (*(kind.workflow for kind in KINDS.values()), SLA_WORKFLOW))
    ids = " OR ".join(f"WorkflowId STARTS_WITH '{of(CaseId(''))}'" for of in (workflow_id, sla_workflow_id))
    elsewhere = f"TaskQueue != '{FLOWS_QUEUE}' OR WorkflowType NOT IN ({types}) OR ExecutionTime > '{later}'"
    return f"ExecutionStatus = 'Running' AND ({ids}) AND ({elsewhere})"


async def _end(client: Client, name: str, run: str | None) -> None:
    try:
        await client.get_workflow_handle(name, run_id=run).terminate("Caseworker did not start it.")
    except RPCError as error:
        if error.status is not RPCStatusCode.NOT_FOUND:  # it has ended meanwhile
            raise
