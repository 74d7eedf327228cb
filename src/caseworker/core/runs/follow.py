"""Which run begins or ends with a move of an issue case. A run ends where the case stops by itself, and the next one
begins when somebody works on."""

from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.policy import Milestone, Policy
from caseworker.core.issue.case import IssueCase, limit_of
from caseworker.core.issue.moves import BY_PEOPLE
from caseworker.core.issue.states import WORKING, IssueState
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.runs.names import WorkflowName
from caseworker.core.runs.run import RunState

_UP_TO: Final = {
    Milestone.TRIAGE: WorkflowName.TRIAGE,
    Milestone.PLAN: WorkflowName.PLAN,
    Milestone.PR: WorkflowName.IMPLEMENT,
}
OF_ISSUES: Final = frozenset(_UP_TO.values())
"""Workflows that are an issue case's own way: one of them is in flight at a time."""
_STOPS_WAITING_FOR: Final = frozenset({WaitingFor.MILESTONE, WaitingFor.MERGE})
_ENDS: Final = {
    IssueState.COMPLETED: RunState.SUCCEEDED,
    IssueState.FAILED: RunState.FAILED,
    IssueState.CLOSED: RunState.INCOMPLETE,
}


class RunChange(BaseModel):
    model_config = ConfigDict(frozen=True)

    ends: RunState | None = None
    """How the run in flight ends."""
    begins: WorkflowName | None = None


def workflow_of(case: IssueCase, policy: Policy) -> WorkflowName:
    """By how far the case goes by itself."""
    return _UP_TO[limit_of(case, policy)]


def after_move(in_flight: WorkflowName | None, after: IssueCase, policy: Policy) -> RunChange:
    """What a move that led to `after` does to the case's runs.

    A case that waits for an answer, an approval or money is still in its run, and so is a parked one. To read what
    people said (BY_PEOPLE) begins no run: mere thanks for a pull request are no new work.
    """
    ends = _end_at(after)
    if in_flight is not None and ends is not None:
        return RunChange(ends=ends)
    if after.state not in WORKING - BY_PEOPLE:
        return RunChange()
    wanted = workflow_of(after, policy)
    if in_flight is None:
        return RunChange(begins=wanted)
    return RunChange() if in_flight is wanted else RunChange(ends=RunState.INCOMPLETE, begins=wanted)


def _end_at(case: IssueCase) -> RunState | None:
    if case.waits_for in _STOPS_WAITING_FOR:
        return RunState.SUCCEEDED
    return _ENDS.get(case.state)
