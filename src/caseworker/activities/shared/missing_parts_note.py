"""Notes on a case's record what its worktree lacks, for people who wonder why tests fail or files are not there."""

from caseworker.core.base.ids import TraceId
from caseworker.core.evidence.missing_parts import missing_parts_words
from caseworker.core.record.entries import Noted
from caseworker.ports import Store, Workspace, Workspaces


async def note_missing_parts(store: Store, workspaces: Workspaces, workspace: Workspace, trace: TraceId) -> None:
    """Once for each case: submodules, and those files in LFS and links that tests may need."""
    mounted = {inside for _, inside in workspace.overlays}
    parts = [
        part
        for part in await workspaces.missing_parts(workspace)
        if part.concerns_tests and workspace.path / part.path not in mounted
    ]
    noted = [Noted(text=said) for said in missing_parts_words(parts)]
    if noted:
        await store.record.append(workspace.case, noted, trace=trace, key="missing parts")
