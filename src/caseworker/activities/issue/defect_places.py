"""Checks the place of a defect that a triage names: one that is not in the base does not count."""

from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.outcomes.pm import TriageOutcome
from caseworker.core.record.cited import problem_with_line
from caseworker.core.record.entries import Noted
from caseworker.ports import Workspace, Workspaces


async def without_false_place(
    workspaces: Workspaces, workspace: Workspace, outcome: Outcome
) -> tuple[Outcome, list[Noted]]:
    """The outcome without a defect whose line does not exist, and the note that says so: the analyst then looks for
    it."""
    if not isinstance(outcome, TriageOutcome) or outcome.defect is None:
        return outcome, []
    inside = f"{workspace.path}/"
    path, line = outcome.defect.path.removeprefix(inside).removeprefix("./"), outcome.defect.line
    problem = problem_with_line(path, line, await workspaces.texts(workspace, workspace.base, [path]))
    if problem is None:
        place = outcome.defect.model_copy(update={"path": path})
        return outcome.model_copy(update={"defect": place}), []
    note = f"The triage names a defect at {path}:{line}, which does not count: {problem}. The analyst looks for it."
    return outcome.model_copy(update={"defect": None}), [Noted(text=note)]
