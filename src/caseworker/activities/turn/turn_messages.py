"""Passes messages to a working turn. Each is claimed by the turn's number and recorded."""

from collections.abc import Sequence, Set
from pathlib import Path
from typing import Final

from caseworker.activities.shared.attached_files import AttachedFiles, sent_files
from caseworker.core.people.messages import Message, Standing
from caseworker.core.record.bug_conversation import SAID, Line, conversation, for_the_agent
from caseworker.ports import Attempt, LostFile, SentFiles, Store

OF_A_BUG: Final = frozenset({Standing.REPORTER, Standing.DEVELOPER, Standing.OWNER})
OF_AN_ISSUE: Final = frozenset({Standing.DEVELOPER, Standing.OWNER})
"""Others are read by the pm: a working role takes no instructions from strangers."""


_LATER: Final = "this turn can't read it, the next one can"


class TurnEar:
    def __init__(
        self, *, store: Store, attempt: Attempt, standings: Set[Standing], attached: AttachedFiles, folder: Path | None
    ) -> None:
        """`folder`: where the agent reads attached files. None: it can't."""
        self._attached = attached
        self._folder = folder
        self._store = store
        self._attempt = attempt
        self._standings = standings

    async def news(self) -> Sequence[Message]:
        """Claims the messages that came meanwhile. A superseded attempt gets none: they would count as seen by the
        newer attempt, which lacks them."""
        if not await self._store.turns.is_current(self._attempt):
            return []
        return await self._store.inbox.overhear(self._attempt.case, self._attempt.turn, self._standings)

    async def files(self, messages: Sequence[Message]) -> SentFiles:
        ids = {message.id for message in messages}
        if not any(file.message in ids for _, file in await self._attached.of(self._attempt.case)):
            return SentFiles()
        if self._folder is None:
            sent = [file for _, file in await self._attached.of(self._attempt.case) if file.message in ids]
            return SentFiles(lost=tuple(LostFile(file.title, _LATER) for file in sent))
        laid = [file for file in await self._attached.lay_out(self._attempt.case, self._folder) if file.message in ids]
        return sent_files(laid, self._folder)

    async def conversation(self) -> Sequence[Line]:
        said = await self._store.record.whole(self._attempt.case, SAID)
        stored = await self._store.bugs.load(self._attempt.case)
        return for_the_agent(conversation(said, stored.case.outbox if stored is not None else ()))
