"""Reading and writing the case's own record: the only activities that touch nothing but the store."""

from temporalio import activity

from caseworker.activities.running import refusals_told
from caseworker.contract.activities import RecordActivities
from caseworker.contract.wire import Claimed, ClaimRequest, MoveRequest, SettleRequest
from caseworker.core.case import Case
from caseworker.core.errors import Refused
from caseworker.core.ids import CaseId
from caseworker.core.sections import after_move
from caseworker.ports import Store, StoredCase


async def stored_case(store: Store, case: CaseId) -> StoredCase:
    stored = await store.cases.load(case)
    if stored is None:
        raise Refused(f"There is no case {case} in the records.", todo="`caseworker cases` lists what there is.")
    return stored


class Records(RecordActivities):
    def __init__(self, *, store: Store) -> None:
        self._store = store

    @activity.defn
    async def load_case(self, case: CaseId) -> Case:
        with refusals_told():
            return (await stored_case(self._store, case)).case

    @activity.defn
    async def claim_messages(self, request: ClaimRequest) -> list[Claimed]:
        """Those that are not answered for yet; the text stays in the store."""
        messages = await self._store.inbox.claim(request.case, request.turn)
        return [
            Claimed(id=message.id, kind=message.kind, author=message.author, standing=message.standing)
            for message in messages
            if message.outcome is None
        ]

    @activity.defn
    async def settle_messages(self, request: SettleRequest) -> None:
        await self._store.inbox.settle(request.messages, request.outcome)

    @activity.defn
    async def record_move(self, request: MoveRequest) -> None:
        with refusals_told():
            stored = await stored_case(self._store, request.after.id)
            file = after_move(stored.file, request.after)
            await self._store.cases.move(request.after, request.entry, file, trace=stored.trace)
