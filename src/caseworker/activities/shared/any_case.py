"""Activities that every kind of case needs: its inbox, and stalls on its record. They use nothing but the store."""

from temporalio import activity

from caseworker.activities.shared.claimed_messages import reduce_claimed
from caseworker.activities.shared.context import refusals_told
from caseworker.activities.shared.load_case import stored_any
from caseworker.contract.activities import CaseActivities
from caseworker.contract.wire import ClaimRequest, SettleRequest, StallRequest
from caseworker.core.base.ids import MessageId
from caseworker.core.people.messages import Claimed, Standing
from caseworker.core.record.turn_stall import TurnStalled
from caseworker.ports import Store


class AnyCase(CaseActivities):
    def __init__(self, *, store: Store) -> None:
        self._store = store

    @activity.defn
    async def claim_messages(self, request: ClaimRequest) -> list[Claimed]:
        """The claimed messages that have no outcome yet, without their text, which stays in the store."""
        messages = await self._store.inbox.claim(request.case, request.turn)
        return await reduce_claimed(self._store, [message for message in messages if message.outcome is None])

    @activity.defn
    async def given_to(self, request: ClaimRequest) -> list[MessageId]:
        said = await self._store.inbox.of(request.case)
        return [message.id for message in said if message.turn == request.turn and message.outcome is None]

    @activity.defn
    async def remarks_to(self, request: ClaimRequest) -> list[MessageId]:
        said = await self._store.inbox.of(request.case)
        heard = [one for one in said if one.turn == request.turn and one.standing is not Standing.OTHER]
        return [message.id for message in heard if message.command.wants_something]

    @activity.defn
    async def settle_messages(self, request: SettleRequest) -> None:
        await self._store.inbox.settle(request.messages, request.outcome, refused=request.refused)

    @activity.defn
    async def record_stall(self, request: StallRequest) -> None:
        with refusals_told():
            stored = await stored_any(self._store, request.case)
        entry = TurnStalled(reason=request.reason, next_try=request.next_try)
        key = f"stall/{request.next_try.isoformat()}"
        await self._store.record.append(request.case, [entry], trace=stored.trace, key=key)
