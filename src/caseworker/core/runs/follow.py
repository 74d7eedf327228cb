"""Which run begins or ends with a move of an issue case.

A run ends when the case stops by itself; the next one begins when work goes on."""

from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.policy import Policy
from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.issue.case import IssueCase, limit_of
from caseworker.core.issue.moves import BY_PEOPLE
from caseworker.core.issue.states import WORKING, IssueState
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.people.registry import OF_MILESTONE
from caseworker.core.runs.run import RunState

ISSUE_WORKFLOWS: Final = frozenset(OF_MILESTONE.values())
"""Workflows of issue cases. At most one run of these is in flight per case."""
_ENDS_RUN: Final = frozenset({WaitingFor.MILESTONE, WaitingFor.MERGE})
_END_STATES: Final = {
    IssueState.COMPLETED: RunState.SUCCEEDED,
    IssueState.FAILED: RunState.FAILED,
    IssueState.CLOSED: RunState.INCOMPLETE,
}


class RunChange(BaseModel):
    model_config = ConfigDict(frozen=True)

    ends: RunState | None = None
    """The end state of the run in flight. Null: it goes on."""
    begins: WorkflowName | None = None


def workflow_of(case: IssueCase, policy: Policy) -> WorkflowName:
    """The workflow of a case, by how far it goes by itself."""
    return OF_MILESTONE[limit_of(case, policy)]


def after_move(in_flight: WorkflowName | None, after: IssueCase, policy: Policy) -> RunChange:
    """How the move to `after` changes the case's runs.

    A case that is parked, or waits for an answer, an approval or money, is still in its run. Interpreting messages
    (BY_PEOPLE) begins no run: mere thanks for a pull request are no new work. A person may ask for the next run
    meanwhile (`asked_for`): the case then returns to its milestone before it goes on, which does not end that run.
    """
    ends = _end_at(after)
    asked_for = after.waits_for is WaitingFor.MILESTONE and in_flight is not workflow_of(after, policy)
    if in_flight is not None and ends is not None and not asked_for:
        return RunChange(ends=ends)
    if after.state not in WORKING - BY_PEOPLE:
        return RunChange()
    wanted = workflow_of(after, policy)
    if in_flight is None:
        return RunChange(begins=wanted)
    return RunChange() if in_flight is wanted else RunChange(ends=RunState.INCOMPLETE, begins=wanted)


def _end_at(case: IssueCase) -> RunState | None:
    if case.waits_for in _ENDS_RUN and not case.awaits_checks:
        return RunState.SUCCEEDED
    return _END_STATES.get(case.state)
