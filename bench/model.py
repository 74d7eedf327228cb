"""The rehearsed model for the bare script, one socket per role: `python -m bench.model FOLDER SCRIPT WORKSPACE PACE`.

The gateway and the upstream are Caseworker's own; only the ledger is a counter, since a script keeps no books. It says
`ready` when it listens, and ends with its standard input.
"""

import asyncio
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

from caseworker.agents.gateway import Allowance, Gateway
from caseworker.agents.process import AttemptFolder
from caseworker.agents.rehearsal import Rehearsal, load_rehearsal
from caseworker.agents.upstreams.rehearsed import Part, RehearsedUpstream
from caseworker.core.budget import Usage
from caseworker.core.ids import CaseId, SessionId
from caseworker.ports import Attempt, Spending

_CALLS: Final = 1_000


class Counter:
    """A `Ledger` that lets everything pass."""

    def __init__(self) -> None:
        self.calls = 0

    async def reserve(
        self, attempt: Attempt, *, model: str, micros: int, cap_micros: int, rehearsed: bool
    ) -> int | None:
        self.calls += 1
        return self.calls

    async def settle(self, reservation: int, usage: Usage, micros: int) -> None:
        """Nothing is owed."""

    async def spent(self, case: CaseId, turn: int | None = None) -> Spending:
        return Spending(calls=self.calls, usage=Usage(), micros=0)


async def serve(folder: Path, rehearsal: Rehearsal, workspace: Path, pace: float) -> None:
    async with AsyncExitStack() as stack:
        for number, turn in enumerate(rehearsal.turns, start=1):
            session = SessionId(f"bare-{number}")
            part = Part(role=turn.role, task=turn.task, nth=1, session=session, workspace=workspace)
            attempt = Attempt(case=CaseId("local/bare#1"), turn=number, number=1, token="bare", session=session)
            gateway = Gateway(
                path=AttemptFolder(folder / turn.role.value).socket,
                upstream=RehearsedUpstream(rehearsal, part, pace=pace),
                ledger=Counter(),
                allowance=Allowance(attempt=attempt, cap_micros=10**12, calls=_CALLS),
            )
            await stack.enter_async_context(gateway)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.read)


def main() -> None:
    folder, script, workspace = map(Path, sys.argv[1:4])
    rehearsal = load_rehearsal(script.read_text(encoding="utf-8"), script.name)
    asyncio.run(serve(folder, rehearsal, workspace, float(sys.argv[4])))


if __name__ == "__main__":
    main()
