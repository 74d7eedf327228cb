"""Reads a case's record as it grows, and tells when a bug case waits for a person."""

from collections import Counter

from caseworker.core.base.ids import CaseId
from caseworker.core.bug.case import BugCase, BugState
from caseworker.core.record.entries import BugMoved, Posted, Recorded
from caseworker.ports import Store, StoredBug


class Tail:
    """Reads all that was added to a record since the last look."""

    def __init__(self, store: Store, case: CaseId) -> None:
        self._store = store
        self._case = case
        self._after = 0

    async def news(self) -> list[Recorded]:
        found: list[Recorded] = []
        while page := await self._store.record.read(self._case, after=self._after):
            found.extend(page)
            self._after = page[-1].sequence
        return found


class BugTail(Tail):
    """Also knows when nobody works on the case any more."""

    def __init__(self, store: Store, case: CaseId) -> None:
        super().__init__(store, case)
        self._posted: list[Posted] = []
        """Since the last move."""

    async def news(self) -> list[Recorded]:
        found = await super().news()
        for recorded in found:
            match recorded.entry:
                case BugMoved():
                    self._posted.clear()
                case Posted() as posted:
                    self._posted.append(posted)
                case _:
                    continue
        return found

    async def waiting(self) -> StoredBug | None:
        """The case, if it waits for a person, has read all messages, and has made its posts after the last move."""
        bug = await self._store.bugs.load(self._case)
        if bug is None or bug.case.state is BugState.INVESTIGATING or bug.case.repair.fix_wanted:
            return None
        if any(message.turn is None for message in await self._store.inbox.of(self._case)):
            return None
        return bug if is_all_said(bug.case, self._posted) else None


def is_all_said(bug: BugCase, posted: list[Posted]) -> bool:
    """Whether all posts were made. The saved outbox may hold posts that have been recorded since the last save."""
    wanted = Counter((post.about.value, post.audience) for post in bug.outbox)
    return not wanted - Counter((post.about, post.audience) for post in posted)
