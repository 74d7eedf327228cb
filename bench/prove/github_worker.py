"""The worker of the GitHub storm: `caseworker worker` with a scripted agent that logs what each turn was given.

Run as `python -m bench.prove.github_worker LOG`. GitHub's pace of writes is lifted: 2,000 deliveries would take hours.
"""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from temporalio.client import Client
from tests.world.agent import ScriptedAgent

from bench.prove.standin import marks
from caseworker.app import wiring
from caseworker.app.load_settings import load_settings
from caseworker.app.processes import worker_loop as working
from caseworker.app.processes.cluster_worker import run_worker
from caseworker.app.processes.logs import set_up_logs
from caseworker.app.settings import Settings
from caseworker.core.base.errors import Transient
from caseworker.core.base.pace import Pace
from caseworker.core.record.entries import AgentEvent
from caseworker.forges.github import counted_writes
from caseworker.ports import AgentFailed, AgentFinished, Brief, Ear, Store

FAST: Final = Pace(per_minute=100_000, per_hour=1_000_000, gap_seconds=0)


class LoggingAgent(ScriptedAgent):
    def __init__(self, log: Path) -> None:
        super().__init__()
        self._log = log
        self.hears()

    async def run(
        self, brief: Brief, saw: Callable[[Sequence[AgentEvent]], Awaitable[None]], ear: Ear
    ) -> AgentFinished | AgentFailed:
        before = len(self.heard)
        ended = await super().run(brief, saw, ear)
        given = [*marks(brief.prompt), *(number for text in self.heard[before:] for number in marks(text))]
        attempt = brief.attempt
        line = json.dumps([attempt.case, attempt.turn, attempt.number, given]) + "\n"
        file = os.open(self._log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, line.encode())  # one write: a kill leaves a whole line or none
        finally:
            os.close(file)
        return ended


def lift_pace() -> None:
    setattr(counted_writes, "Pace", lambda: FAST)  # noqa: B010  # from outside: the program has no such switch


def main() -> int:
    settings = load_settings()
    set_up_logs(settings)
    lift_pace()
    agent, real_parts = LoggingAgent(Path(sys.argv[1])), wiring.make_parts

    def make_parts(settings: Settings, store: Store, client: Client) -> wiring.Parts:
        return replace(real_parts(settings, store, client), runtime=agent)

    setattr(working, "make_parts", make_parts)  # noqa: B010  # the one thing that is not real, put in from outside
    try:
        return asyncio.run(run_worker(settings))
    except Transient:
        return 1  # Temporal is down: whoever starts this process does so again


if __name__ == "__main__":
    sys.exit(main())
