"""Which run begins or ends with a move of an issue case."""

import pytest

from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Milestone, Policy
from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.issue.case import IssueCase, Wait
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.runs.follow import RunChange, after_move, workflow_of
from caseworker.core.runs.run import RunState

S = IssueState
TRIAGE, PLAN, IMPLEMENT = WorkflowName.TRIAGE, WorkflowName.PLAN, WorkflowName.IMPLEMENT
NOTHING = RunChange()
SUCCEEDS = RunChange(ends=RunState.SUCCEEDED)
FAILS = RunChange(ends=RunState.FAILED)
STOPS_SHORT = RunChange(ends=RunState.INCOMPLETE)


def at(state: IssueState, waits_for: WaitingFor | None = None, until: Milestone | None = None) -> IssueCase:
    wait = None if waits_for is None else Wait(reason=waits_for)
    return IssueCase(id=CaseId("local/shop#1"), state=state).updated(wait=wait, until=until)


WAITING = S.WAITING_FOR_HUMAN_INPUT


@pytest.mark.parametrize(
    ("in_flight", "after", "change"),
    [
        (IMPLEMENT, at(S.ANALYZING_REQUIREMENTS), NOTHING),
        (IMPLEMENT, at(WAITING, WaitingFor.MERGE), SUCCEEDS),
        (IMPLEMENT, at(S.COMPLETED), SUCCEEDS),
        (IMPLEMENT, at(S.FAILED), FAILS),
        (IMPLEMENT, at(S.CLOSED), STOPS_SHORT),
        (IMPLEMENT, at(WAITING, WaitingFor.ANSWER), NOTHING),
        (IMPLEMENT, at(WAITING, WaitingFor.APPROVAL), NOTHING),
        (IMPLEMENT, at(WAITING, WaitingFor.BUDGET), NOTHING),
        (IMPLEMENT, at(S.BLOCKED), NOTHING),
        (IMPLEMENT, at(S.REQUIRES_HUMAN_INTERVENTION), NOTHING),
        (IMPLEMENT, at(S.HUMAN_INPUT_RECEIVED), NOTHING),
        (PLAN, at(WAITING, WaitingFor.MILESTONE, until=Milestone.PLAN), SUCCEEDS),
        # the next run was asked for while the pm interpreted words: the case returns to its milestone first
        (PLAN, at(WAITING, WaitingFor.MILESTONE, until=Milestone.TRIAGE), NOTHING),
        # an approval passes a milestone
        (None, at(S.IMPLEMENTING), RunChange(begins=IMPLEMENT)),
        (None, at(S.PLANNING_APPROACH, until=Milestone.PLAN), RunChange(begins=PLAN)),
        # people speak after the end: a run begins with the work, not with the interpretation
        (None, at(S.HUMAN_INPUT_RECEIVED, WaitingFor.MERGE), NOTHING),
        (None, at(WAITING, WaitingFor.MERGE), NOTHING),
        (None, at(S.ADDRESSING_FEEDBACK), RunChange(begins=IMPLEMENT)),
        (None, at(S.COMPLETED), NOTHING),
        (None, at(S.CLOSED), NOTHING),
        # an approval during the run lets the case go further
        (PLAN, at(S.IMPLEMENTING), RunChange(ends=RunState.INCOMPLETE, begins=IMPLEMENT)),
    ],
)
def test_a_move_ends_and_begins_runs(in_flight: WorkflowName | None, after: IssueCase, change: RunChange) -> None:
    assert after_move(in_flight, after, Policy()) == change


@pytest.mark.parametrize(
    ("until", "workflow"), [(Milestone.TRIAGE, TRIAGE), (Milestone.PLAN, PLAN), (Milestone.PR, IMPLEMENT)]
)
def test_the_first_run_is_named_by_how_far_the_case_goes(until: Milestone, workflow: WorkflowName) -> None:
    assert workflow_of(at(S.RECEIVED), Policy(until=until)) is workflow
