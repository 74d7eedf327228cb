"""Activities that read and write a pull case's record. They use nothing but the store."""

from temporalio import activity

from caseworker.activities.shared.context import refusals_told
from caseworker.activities.shared.load_case import stored_pull
from caseworker.contract.pull_activities import PullRecordActivities
from caseworker.contract.wire import SavePull
from caseworker.core.base.ids import CaseId
from caseworker.core.pull.case import PullCase
from caseworker.ports import Store


class PullRecords(PullRecordActivities):
    def __init__(self, *, store: Store) -> None:
        self._store = store

    @activity.defn
    async def load_pull(self, case: CaseId) -> PullCase:
        with refusals_told():
            return (await stored_pull(self._store, case)).case

    @activity.defn
    async def save_pull(self, request: SavePull) -> None:
        after, move = request.after, request.move
        with refusals_told():
            trace = (await stored_pull(self._store, after.id)).trace
            entries = [] if move is None else [move]
            key = None if move is None else f"move/{move.number}/{move.to_state}"
            await self._store.pull_cases.save(after, entries, trace=trace, key=key)
