"""Making and removing a case's worktree."""

from temporalio import activity

from caseworker.activities.records import stored_case
from caseworker.activities.running import refusals_told, traced
from caseworker.contract.activities import WorkspaceActivities
from caseworker.core.case import Case
from caseworker.core.ids import CaseId, Sha
from caseworker.core.record import WorkspaceRemoved
from caseworker.ports import Store, Workspaces


class WorkspaceKeeping(WorkspaceActivities):
    def __init__(self, *, store: Store, workspaces: Workspaces) -> None:
        self._store = store
        self._workspaces = workspaces

    @activity.defn
    async def prepare_workspace(self, case: Case) -> Sha:
        with refusals_told():
            stored = await stored_case(self._store, case.id)
            with traced(stored.trace, case.id):
                repository = await self._store.repositories.path_of(stored.repository)
                return (await self._workspaces.prepare(case.id, repository, case.base)).base

    @activity.defn
    async def remove_workspace(self, case: CaseId) -> None:
        with refusals_told():
            stored = await stored_case(self._store, case)
            await self._workspaces.remove(case)
            key = f"workspace_removed/{stored.case.epoch}"
            await self._store.record.append(case, [WorkspaceRemoved()], trace=stored.trace, key=key)
