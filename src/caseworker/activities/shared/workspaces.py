"""Activities that make and remove a case's worktree."""

from temporalio import activity

from caseworker.activities.shared.context import refusals_told, short_work, traced
from caseworker.activities.shared.load_case import stored_any, stored_case
from caseworker.activities.shared.missing_parts_note import note_missing_parts
from caseworker.contract.activities import WorkspaceActivities
from caseworker.core.base.ids import CaseId, Sha
from caseworker.core.issue.case import IssueCase
from caseworker.core.record.entries import WorkspaceRemoved
from caseworker.ports import Store, Workspaces


class WorkspaceKeeping(WorkspaceActivities):
    def __init__(self, *, store: Store, workspaces: Workspaces) -> None:
        self._store = store
        self._workspaces = workspaces

    @activity.defn
    async def prepare_workspace(self, case: IssueCase) -> Sha:
        with refusals_told():
            stored = await stored_case(self._store, case.id)
        with traced(stored.trace, case.id):
            async with short_work(self._store, stored):
                repository = await self._store.repositories.ref(stored.repository)
                workspace = await self._workspaces.prepare(case.id, repository, await self._base(case))
                self._workspaces.untouched(workspace)  # the first turn finds it clean
                await note_missing_parts(self._store, self._workspaces, workspace, stored.trace)
                return workspace.base

    async def _base(self, case: IssueCase) -> Sha | None:
        """The commit where an earlier run of this case began, if it completed a turn: the base must not move."""
        if case.delivery.base is not None:
            return case.delivery.base
        finished = await self._store.turns.finished(case.id)
        return finished[0].checkpoint if finished else None

    @activity.defn
    async def remove_workspace(self, case: CaseId) -> None:
        with refusals_told():
            stored = await stored_any(self._store, case)
        with traced(stored.trace, case):
            async with short_work(self._store, stored):
                await self._workspaces.remove(case, keep=stored.case.unmerged)
                await self._store.turns.close_up(case, WorkspaceRemoved(), trace=stored.trace)
