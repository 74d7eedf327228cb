"""Claims exactly the named messages, for the mutant that keeps its queue in memory."""

from sqlalchemy import update
from temporalio import activity

from caseworker.activities.shared.load_case import claimed
from caseworker.core.base.ids import CaseId, MessageId
from caseworker.core.people.messages import Claimed
from caseworker.core.record.entries import MessagesClaimed
from caseworker.ports import Store
from caseworker.store.message_tables import messages as rows
from caseworker.store.store import Store as RealStore

_REPORT_ID = 0
"""The id that a new case's bell carries instead of a message's."""


class ClaimsById:
    def __init__(self, store: Store) -> None:
        assert isinstance(store, RealStore)
        self._store = store

    @activity.defn
    async def claim_by_id(self, case: CaseId, turn: int, ids: list[MessageId]) -> list[Claimed]:
        said = await self._store.inbox.of(case)
        wanted = {said[0].id if number == _REPORT_ID else number for number in ids}
        fresh = [message for message in said if message.id in wanted and message.turn is None]
        if fresh:
            async with self._store.database.writing() as connection:
                unclaimed = update(rows).where(rows.c.id.in_([message.id for message in fresh]), rows.c.turn.is_(None))
                await connection.execute(unclaimed.values(turn=turn))
            entry = MessagesClaimed(turn=turn, messages=[message.id for message in fresh])
            await self._store.record.append(case, [entry], trace=fresh[0].trace)
        return [
            claimed(message)
            for message in await self._store.inbox.of(case)
            if message.id in wanted and message.turn == turn and message.outcome is None
        ]
