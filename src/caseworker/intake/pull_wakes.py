"""Wakes pull cases when something about their pull request has changed. They look themselves: an event may be late."""

import asyncio
from collections.abc import Iterable

from caseworker.core.base.ids import CaseId
from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.messages import NO_MESSAGE
from caseworker.core.runs.delivery_outcomes import Ignored, IgnoreReason, Outcome, Woken
from caseworker.intake.conversation import ring
from caseworker.intake.github_events import ChecksChanged, PushReceived
from caseworker.ports import Doorbell, Store
from caseworker.ports.github import thread_on


class PullWakes:
    """Rings at once, and then at most once in `quiet` seconds for each case: one CI run causes dozens of events. A ring
    that is lost with the process costs time only: the case looks by itself from time to time."""

    def __init__(self, *, store: Store, doorbell: Doorbell, quiet: float = 5.0) -> None:
        self._store = store
        self._doorbell = doorbell
        self._quiet = quiet
        self._rung: dict[CaseId, bool] = {}
        """Cases that were rung within the last `quiet` seconds, and whether to ring them again after that."""
        self._tasks: set[asyncio.Task[None]] = set()

    async def on_checks(self, event: ChecksChanged) -> list[CaseId]:
        return await self._watching(event.repository, commit=event.commit)

    async def on_push(self, event: PushReceived) -> list[CaseId]:
        """A push to the branch of a pull request, or to its base."""
        return await self._watching(event.repository, branch=event.ref.removeprefix("refs/heads/"))

    async def wake(self, cases: Iterable[CaseId]) -> Outcome:
        woken = list(dict.fromkeys(cases))
        for case in woken:
            await self._ring(case)
        return Woken(case=woken[0]) if woken else Ignored(reason=IgnoreReason.NOBODY_WAITS)

    async def _watching(
        self, repository: RemoteRepository, *, commit: str | None = None, branch: str | None = None
    ) -> list[CaseId]:
        thread = thread_on(repository, 0)
        found = await self._store.pull_cases.in_flight(thread.surface, thread.channel, commit=commit, branch=branch)
        return [one.case.id for one in found if await self._store.repositories.ref(one.repository) == repository]

    async def _ring(self, case: CaseId) -> None:
        if case in self._rung:
            self._rung[case] = True
            return
        self._rung[case] = False
        task = asyncio.create_task(self._quieten(case))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        await ring(self._doorbell, case, NO_MESSAGE, MessageKind.WORDS)

    async def _quieten(self, case: CaseId) -> None:
        await asyncio.sleep(self._quiet)
        if self._rung.pop(case):
            await self._ring(case)
