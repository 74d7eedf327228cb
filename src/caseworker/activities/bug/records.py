"""Activities that read and write a bug case's record. They use nothing but the store."""

from temporalio import activity

from caseworker.activities.shared.context import refusals_told
from caseworker.activities.shared.load_case import claimed, stored_bug
from caseworker.contract.activities import BugRecordActivities
from caseworker.contract.wire import ClaimRequest, SaveBug, SinceRequest
from caseworker.core.base.ids import CaseId
from caseworker.core.bug.case import BugCase
from caseworker.core.bug.reports import read_report, reported
from caseworker.core.outcomes.bug import BugOutcome
from caseworker.core.people.messages import Claimed
from caseworker.core.record.entries import BugRead
from caseworker.ports import Store, StoredBug


class BugRecords(BugRecordActivities):
    def __init__(self, *, store: Store) -> None:
        self._store = store

    @activity.defn
    async def load_bug(self, case: CaseId) -> BugCase:
        with refusals_told():
            return (await stored_bug(self._store, case)).case

    @activity.defn
    async def read_report(self, bug: BugCase) -> BugCase:
        with refusals_told():
            stored = await stored_bug(self._store, bug.id)
            said = reported(await self._store.inbox.of(bug.id))
            reading = read_report(said or stored.report, stored.policy.services)
            # A file may hold what the text lacks: the first turn reads it before it asks.
            vague = reading.vague and not any(file.content for file in await self._store.attachments.of(bug.id))
            after = bug.updated(severity=reading.severity, services=reading.services, vague=vague)
            entry = BugRead(
                severity=reading.severity,
                services=list(reading.services),
                owners=list(reading.owners),
                vague=vague,
            )
            await self._store.bugs.save(after, [entry], trace=stored.trace, key="read")
            return after

    @activity.defn
    async def save_bug(self, request: SaveBug) -> None:
        after, move = request.after, request.move
        with refusals_told():
            trace = (await stored_bug(self._store, after.id)).trace
            if move is None:
                await self._store.bugs.save(after, trace=trace)
            else:
                key = f"move/{move.number}/{move.to_state}"
                await self._store.bugs.save(after, [move], trace=trace, key=key)

    @activity.defn
    async def messages_since(self, request: SinceRequest) -> list[Claimed]:
        said = await self._store.inbox.of(request.case)
        return [claimed(message) for message in said if message.id > request.after and message.outcome is None]

    @activity.defn
    async def has_files(self, case: CaseId) -> bool:
        return bool(await self._store.attachments.of(case))

    @activity.defn
    async def fence_turn(self, request: ClaimRequest) -> bool:
        return await self._store.turns.fence(request.case, request.turn)


async def outcome_of(store: Store, stored: StoredBug, turn: int) -> BugOutcome | None:
    finished = await store.turns.finished(stored.case.id)
    found = next((done.outcome for done in finished if done.turn == turn), None)
    return found if isinstance(found, BugOutcome) else None
