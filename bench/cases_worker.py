"""`caseworker worker` with a runtime that answers at once, to measure everything around the agents.

Run as `python -m bench.cases_worker`. Files are edited, tests are run and branches are pushed as always.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from temporalio.client import Client
from tests.world.agent import Act, analyzed, approved, implemented, triaged, wrote_test

from caseworker.app import wiring
from caseworker.app.load_settings import load_settings
from caseworker.app.processes import worker_loop as working
from caseworker.app.processes.cluster_worker import run_worker
from caseworker.app.processes.logs import set_up_logs
from caseworker.app.settings import Settings
from caseworker.core.base.roles import Role, Task
from caseworker.core.record.entries import AgentEvent, AgentSaid
from caseworker.ports import AgentFailed, AgentFinished, Brief, Ear, Store

_ACTS: Final[Mapping[tuple[Role, Task], Act]] = {
    (Role.PM, Task.TRIAGE): triaged,
    (Role.ANALYST, Task.ANALYZE): analyzed,
    (Role.TESTER, Task.CREATE_TESTS): wrote_test,
    (Role.DEVELOPER, Task.IMPLEMENT): implemented,
    (Role.TECH_LEAD, Task.REVIEW): approved,
}


class StraightPath:
    """An `AgentRuntime` that takes a case straight to its pull request, and keeps nothing in memory."""

    async def run(
        self, brief: Brief, saw: Callable[[Sequence[AgentEvent]], Awaitable[None]], ear: Ear
    ) -> AgentFinished | AgentFailed:
        await saw([AgentSaid(turn=brief.attempt.turn, text=f"I am the {brief.role}.")])
        act = _ACTS.get((brief.role, brief.task))
        if act is None:
            return AgentFailed(why="script", reason=f"The straight path has no {brief.task} by the {brief.role}.")
        end = act(brief.tree.path)
        return end if isinstance(end, AgentFailed) else AgentFinished(outcome=end, calls=1)


def replace_runtime() -> None:
    """Replace the runtime, the only part that is not real."""
    real_parts = wiring.make_parts

    def make_parts(settings: Settings, store: Store, client: Client) -> wiring.Parts:
        return replace(real_parts(settings, store, client), runtime=StraightPath())

    setattr(working, "make_parts", make_parts)  # noqa: B010  # mypy would not let a module's function be assigned


def main() -> int:
    settings = load_settings()
    set_up_logs(settings)
    replace_runtime()
    return asyncio.run(run_worker(settings))


if __name__ == "__main__":
    sys.exit(main())
