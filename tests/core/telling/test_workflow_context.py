"""The workflow context: states with reasons and times, limits, quality gates and problems."""

from datetime import timedelta
from itertools import pairwise

import pytest

from caseworker.core.base.ids import SessionId, TraceId
from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Role
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.facts import TurnEnded
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import Grant, Subject
from caseworker.core.issue.transitions import after
from caseworker.core.record.entries import Noted, Recorded, Transitioned
from caseworker.core.record.move_entries import entry_of_move
from caseworker.core.telling.workflow_context import WorkflowContext, workflow_context
from tests.core.examples import HEAD, MORNING, OTHER, a_case, a_proven_case, analysed

S = IssueState
ENDED = TurnEnded(role=Role.ANALYST, outcome=analysed(confidence=0.95), checkpoint=HEAD, session=SessionId("s"))


def context(case: IssueCase, *, validated: bool = False) -> WorkflowContext:
    return workflow_context(case, Policy(), [], validated=validated)


def test_previous_states_come_with_reasons_and_times() -> None:
    moved = Transitioned(number=1, from_state=S.RECEIVED, to_state=S.ANALYZING_REQUIREMENTS, reason="It is worth it.")
    entries = [Noted(text="reminded"), moved]
    record = [
        Recorded(sequence=place, at=MORNING + timedelta(minutes=place), trace=TraceId("t"), version=1, entry=entry)
        for place, entry in enumerate(entries)
    ]
    told = workflow_context(a_case(S.ANALYZING_REQUIREMENTS), Policy(), record)
    assert (told.issue_number, told.current_state, told.previous_states) == (42, S.ANALYZING_REQUIREMENTS, [S.RECEIVED])
    [change] = told.state_history_with_timestamps
    assert (change.to_state, change.reason, change.timestamp) == (
        S.ANALYZING_REQUIREMENTS,
        "It is worth it.",
        MORNING + timedelta(minutes=1),
    )


def test_each_move_of_the_history_has_its_number_within_the_round() -> None:
    states = [S.RECEIVED, S.ANALYZING_REQUIREMENTS, S.HUMAN_INPUT_RECEIVED, S.CREATING_TESTS, S.IMPLEMENTING]
    began = [0, 0, 0, 3, 3]  # words that lead to the test begin a new round
    cases = [a_case(state, transitions=n, round_began=began[n]) for n, state in enumerate(states)]
    record = [
        Recorded(sequence=n, at=MORNING, trace=TraceId("t"), version=1, entry=entry_of_move(before, after, ""))
        for n, (before, after) in enumerate(pairwise(cases))
    ]
    told = workflow_context(cases[-1], Policy(), record)
    assert [change.iteration for change in told.state_history_with_timestamps] == [1, 2, 0, 1]
    assert told.iteration_count == 1


def test_limits_and_the_threshold_are_the_policys() -> None:
    case = a_case(S.FIXING_ISSUES, attempt=2, transitions=12, round_began=5)
    told = workflow_context(case, Policy(attempts=4, transitions=40, confidence_threshold=0.7), [])
    assert (told.iteration_count, told.max_iterations, told.attempt, told.max_attempts) == (7, 40, 2, 4)
    assert told.confidence_threshold == 0.7


@pytest.mark.parametrize(
    ("case", "agent"),
    [
        (a_case(S.IMPLEMENTING), "developer"),
        (a_case(S.IMPLEMENTING, senior=True), "senior_developer"),
        (a_case(S.RUNNING_TESTS), None),
        (a_case(S.RUNNING_TESTS, task="judge"), "tester"),
        (a_case(S.HUMAN_INPUT_RECEIVED), "pm"),
        (a_case(S.HUMAN_INPUT_RECEIVED, go=S.IMPLEMENTING), None),
        (a_case(S.WAITING_FOR_HUMAN_INPUT), None),
        (a_case(S.BLOCKED), None),
        (a_case(S.COMPLETED), None),
    ],
)
def test_the_current_agent_is_the_role_at_work(case: IssueCase, agent: str | None) -> None:
    assert context(case).current_agent == agent


def test_gates_count_only_for_the_newest_commit() -> None:
    proven = a_proven_case()
    assert context(proven, validated=True).quality_gates_passed == ["red first", "green", "reviewed", "validated"]
    assert context(proven.updated(checkpoint=OTHER)).quality_gates_passed == ["red first"]
    assert context(a_case(checkpoint=None)).quality_gates_passed == []


def test_a_waived_gate_names_who_waived_it() -> None:
    grants = (Grant(subject=Subject.NO_RED_TEST, by="ada"), Grant(subject=Subject.PLAN, by="ada"))
    told = context(a_case(grants=grants, green=HEAD))
    assert told.quality_gates_passed == ["green", "waived by ada: no test that fails without the fix"]


def test_blocking_issues_are_the_stop_and_the_open_feedback() -> None:
    assert context(a_case(S.BLOCKED, reason="No key.", feedback="Red.")).blocking_issues == ["No key.", "Red."]
    assert context(a_case(S.FIXING_ISSUES, reason="Repair.", feedback="Red.")).blocking_issues == ["Red."]
    assert context(a_case(S.COMPLETED, reason="Merged by ada.")).blocking_issues == []


@pytest.mark.parametrize(("threshold", "state"), [(0.96, S.REQUIREMENTS_UNCLEAR), (0.95, S.CREATING_TESTS)])
def test_the_threshold_decides_whether_requirements_are_clear(threshold: float, state: IssueState) -> None:
    case = a_case(S.ANALYZING_REQUIREMENTS, issue_type="BUG_FIX")
    policy = Policy(confidence_threshold=threshold)
    assert after(case, ENDED, policy, MORNING).state is state
