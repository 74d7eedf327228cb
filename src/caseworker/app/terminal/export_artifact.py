"""Writes the artifact of a run: one Markdown file with its result."""

from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import typed
from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.telling.artifacts import artifact_page
from caseworker.ports import Store, StoredCase
from caseworker.views.case_summaries import summary_of


async def artifact_of(store: Store, stored: StoredCase, workflow: WorkflowName) -> tuple[str, str]:
    """The name and text of the artifact of the newest run of a workflow."""
    case = stored.case.id
    runs = [run for run in await store.runs.of(case) if run.workflow is workflow]
    if not runs or runs[-1].artifact is None:
        todo = f"`caseworker show {typed(case)} --json` lists its runs."
        raise Refused(f"{case} has no artifact of a run `{workflow.value}`.", todo=todo)
    outcomes = [turn.outcome for turn in await store.turns.finished(case)]
    text = artifact_page(runs[-1], await summary_of(store, case, TerminalPhrasing()), outcomes)
    if text is None:
        raise Refused(
            f"{runs[-1].artifact} is not written yet.", todo=f"`caseworker why {typed(case)}` says what happens."
        )
    return runs[-1].artifact, text
