"""Activities of a bug case beyond its record: starting its clock, preparing its workspace, opening its fix."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from temporalio import activity

from caseworker.activities.bug.fixes import Fixes
from caseworker.activities.bug.records import outcome_of
from caseworker.activities.shared.attached_files import AttachedFiles
from caseworker.activities.shared.context import refusals_told, short_work, traced
from caseworker.activities.shared.load_case import claimed, stored_bug
from caseworker.activities.shared.missing_parts_note import note_missing_parts
from caseworker.contract.activities import BugActivities
from caseworker.contract.wire import FilesFetched, FixOpened, FixReply
from caseworker.core.base.errors import Refused
from caseworker.core.base.failed_steps import EffectRefused
from caseworker.core.base.ids import CaseId, Sha
from caseworker.core.bug.case import BugCase
from caseworker.core.people.messages import Claimed, Message
from caseworker.ports import Store, Switchboard, Workspaces


class BugWork(BugActivities):
    def __init__(
        self, *, store: Store, workspaces: Workspaces, doorbell: Switchboard, fixes: Fixes, files: AttachedFiles
    ) -> None:
        self._store = store
        self._workspaces = workspaces
        self._doorbell = doorbell
        self._fixes = fixes
        self._files = files

    @activity.defn
    async def wake_sla_clock(self, case: CaseId) -> None:
        await self._doorbell.wake_sla_clock(case)

    @activity.defn
    async def prepare_bug_workspace(self, bug: BugCase) -> Sha:
        with refusals_told():
            stored = await stored_bug(self._store, bug.id)
        with traced(stored.trace, bug.id):
            async with short_work(self._store, stored):
                repository = await self._store.repositories.ref(stored.repository)
                workspace = await self._workspaces.prepare(bug.id, repository, bug.progress.base)
                await note_missing_parts(self._store, self._workspaces, workspace, stored.trace)
                return workspace.base

    @activity.defn
    async def fetch_files(self, case: CaseId) -> FilesFetched:
        with refusals_told():
            stored = await stored_bug(self._store, case)
        with traced(stored.trace, case):
            async with short_work(self._store, stored):
                wait = await self._files.fetch_new(case)
                files = await self._files.of(case)
                return FilesFetched(
                    lost=_messages(message for message, file in files if file.problem),
                    waiting=_messages(message for message, file in files if file.is_missing),
                    again_at=datetime.now(UTC) + timedelta(seconds=wait) if wait is not None else None,
                )

    @activity.defn
    async def stop_fix(self, bug: BugCase) -> None:
        with refusals_told():
            stored = await stored_bug(self._store, bug.id)
        with traced(stored.trace, bug.id):
            async with short_work(self._store, stored):
                await self._fixes.stop(stored, bug)

    @activity.defn
    async def open_fix(self, bug: BugCase) -> FixReply:
        with refusals_told():
            stored = await stored_bug(self._store, bug.id)
        with traced(stored.trace, bug.id):
            async with short_work(self._store, stored):
                outcome = await outcome_of(self._store, stored, bug.progress.turns)
                if outcome is None:
                    return EffectRefused(reason=f"turn {bug.progress.turns} left no findings to work from.")
                try:
                    return FixOpened(case=await self._fixes.open(stored, bug, outcome))
                except Refused as refused:
                    return EffectRefused(reason=str(refused))


def _messages(some: Iterable[Message]) -> list[Claimed]:
    """Each message once, oldest first."""
    found = {message.id: message for message in some}
    return [claimed(message) for _, message in sorted(found.items())]
