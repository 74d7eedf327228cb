"""Passes messages to a working turn. Each is claimed by the turn's number and recorded."""

from collections.abc import Sequence, Set
from typing import Final

from caseworker.core.people.messages import Message, Standing
from caseworker.core.record.bug_conversation import SAID, Line, conversation, for_the_agent
from caseworker.ports import Attempt, Store

OF_A_BUG: Final = frozenset({Standing.REPORTER, Standing.DEVELOPER, Standing.OWNER})
OF_AN_ISSUE: Final = frozenset({Standing.DEVELOPER, Standing.OWNER})
"""Others are read by the pm: a working role takes no instructions from strangers."""


class TurnEar:
    def __init__(self, *, store: Store, attempt: Attempt, standings: Set[Standing]) -> None:
        self._store = store
        self._attempt = attempt
        self._standings = standings

    async def news(self) -> Sequence[Message]:
        """Nothing for a superseded attempt: its messages would count as seen by the newer one, which lacks them."""
        if not await self._store.turns.is_current(self._attempt):
            return []
        return await self._store.inbox.overhear(self._attempt.case, self._attempt.turn, self._standings)

    async def conversation(self) -> Sequence[Line]:
        said = await self._store.record.whole(self._attempt.case, SAID)
        return for_the_agent(conversation(said))
