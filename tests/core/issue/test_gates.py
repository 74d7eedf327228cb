"""What the pm reads out of people's words never passes a gate: a plan, a milestone or a triage that is still open."""

from typing import Any

import pytest

from caseworker.core.base.ids import SessionId
from caseworker.core.base.policy import Milestone, Policy
from caseworker.core.base.roles import Role
from caseworker.core.casefile.sections import after_outcome
from caseworker.core.issue.apply import apply_fact
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.decide import decide
from caseworker.core.issue.facts import CloseAsked, Fact, TurnEnded
from caseworker.core.issue.moves import make_move
from caseworker.core.issue.moves_by_people import reopened
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import Grant, Subject, WaitingFor
from caseworker.core.outcomes.investigation import InvestigationRequest
from caseworker.core.outcomes.outcome import IssueOutcome
from caseworker.core.outcomes.pm import DefectPlace, IssueType, Topic, TriageOutcome
from tests.core.examples import HEAD, MORNING, a_case, a_file, analysed, interpreted, planned, triaged

S = IssueState
APPROVED_FIRST, TO_THE_PLAN = Policy(approve_plan=True), Policy(until=Milestone.PLAN)
PLAN = [Grant(subject=Subject.PLAN, by="ann")]
PLACE = DefectPlace(path="cart.py", line=12, problem="It adds.", expected="It subtracts.")


def after(case: IssueCase, fact: Fact | IssueOutcome, policy: Policy, role: Role = Role.PM) -> IssueCase:
    happened = fact if not isinstance(fact, IssueOutcome) else ended(fact, role)
    known = apply_fact(case, happened)
    return make_move(known, decide(known, happened, policy), policy, MORNING)


def ended(outcome: IssueOutcome, role: Role) -> TurnEnded:
    return TurnEnded(role=role, outcome=outcome, checkpoint=HEAD, session=SessionId("s-1"))


@pytest.mark.parametrize("policy", [APPROVED_FIRST, TO_THE_PLAN])
@pytest.mark.parametrize("next", ["creating_tests", "implementing"])
@pytest.mark.parametrize("state", [S.REQUIREMENTS_CLARIFIED, S.HUMAN_INPUT_RECEIVED])
@pytest.mark.parametrize("planned", [False, True])
def test_words_never_skip_a_plan_that_is_wanted(policy: Policy, next: Any, state: IssueState, planned: bool) -> None:
    case = a_case(state, resume=S.REQUIREMENTS_UNCLEAR, planned=planned, test_required=False)
    heard = after(case, interpreted("CONTINUE", next), policy)
    assert heard.state is S.PLANNING_APPROACH
    assert heard.reason == "It goes on with the plan, which comes before anything is written."


@pytest.mark.parametrize(("next", "state"), [("creating_tests", S.CREATING_TESTS), ("implementing", S.IMPLEMENTING)])
def test_words_lead_past_a_plan_that_is_made_and_approved(next: Any, state: IssueState) -> None:
    case = a_case(S.REQUIREMENTS_CLARIFIED, planned=True, grants=PLAN, test_required=False)
    assert after(case, interpreted("CONTINUE", next), APPROVED_FIRST).state is state
    small = a_case(S.REQUIREMENTS_CLARIFIED, test_required=False)
    assert after(small, interpreted("CONTINUE", next), Policy()).state is state


@pytest.mark.parametrize("next", ["creating_tests", "implementing", "fixing_issues", None])
@pytest.mark.parametrize("state", [S.REQUIREMENTS_CLARIFIED, S.HUMAN_INPUT_RECEIVED])
def test_a_large_change_is_planned_also_after_words(next: Any, state: IssueState) -> None:
    case = a_case(state, resume=S.IMPLEMENTING, weighty=True, red=True)
    to = S.ANALYZING_REQUIREMENTS if next in ("fixing_issues", None) else S.PLANNING_APPROACH
    expected = to if state is S.REQUIREMENTS_CLARIFIED else S.PLANNING_APPROACH
    assert after(case, interpreted("CONTINUE", next), Policy()).state is expected


@pytest.mark.parametrize("next", ["implementing", "fixing_issues", "refactoring"])
@pytest.mark.parametrize("known", [{}, {"issue_type": IssueType.BUG_FIX, "test_file": "test_cart.py"}])
def test_words_never_skip_the_test_that_comes_first(next: Any, known: dict[str, object]) -> None:
    case = a_case(S.HUMAN_INPUT_RECEIVED, resume=S.ANALYZING_REQUIREMENTS, **known)
    heard = after(case, interpreted("CONTINUE", next), Policy())
    assert (heard.state, heard.reason) == (
        S.CREATING_TESTS,
        "It goes on with a test, which comes before the change.",
    )


@pytest.mark.parametrize(
    "known",
    [
        {"red": True},
        {"test_file": "test_cart.py", "issue_type": IssueType.NEW_FEATURE},
        {"test_required": False},
        {"grants": [Grant(subject=Subject.NO_RED_TEST, by="ann")]},
        {"resume": S.FIXING_ISSUES},
    ],
)
def test_words_lead_to_the_change_once_its_test_is_there_or_not_needed(known: dict[str, object]) -> None:
    case = a_case(S.HUMAN_INPUT_RECEIVED, **{"resume": S.CREATING_TESTS, **known})
    assert after(case, interpreted("CONTINUE", "implementing"), Policy()).state is S.IMPLEMENTING


@pytest.mark.parametrize("policy", [APPROVED_FIRST, TO_THE_PLAN])
def test_another_analysis_does_not_skip_a_plan_that_nobody_has_approved(policy: Policy) -> None:
    case = a_case(S.ANALYZING_REQUIREMENTS, planned=True)
    assert after(case, analysed(), policy, Role.ANALYST).state is S.PLANNING_APPROACH


def test_words_to_a_case_closed_at_its_triage_lead_to_another_triage() -> None:
    asked = after(a_case(), triaged(topics=[Topic.PERMISSIONS]), Policy())
    closed = after(asked, CloseAsked(by="ann"), Policy())
    heard = after(reopened(closed), interpreted("CONTINUE", "implementing"), Policy())
    assert (heard.state, heard.reason) == (S.RECEIVED, "It goes on with its triage, which is not settled yet.")


@pytest.mark.parametrize("next", ["analyzing_requirements", "planning_approach", "implementing", None])
def test_words_to_a_parked_case_do_not_lead_past_the_triage_it_stops_at(next: Any) -> None:
    parked = a_case(S.HUMAN_INPUT_RECEIVED, resume=S.HUMAN_INPUT_RECEIVED)
    assert after(parked, interpreted("CONTINUE", next), Policy(until=Milestone.TRIAGE)).state is S.RECEIVED


def test_words_do_not_start_an_investigation_before_the_triage_it_stops_at() -> None:
    parked = a_case(S.HUMAN_INPUT_RECEIVED, resume=S.HUMAN_INPUT_RECEIVED)
    wanted = interpreted("INVESTIGATION_NEEDED").model_copy(
        update={"investigation": InvestigationRequest(problem_summary="It fails by chance.")}
    )
    assert after(parked, wanted, Policy(until=Milestone.TRIAGE)).state is S.RECEIVED
    assert after(parked, wanted, Policy()).state is S.INVESTIGATING


@pytest.mark.parametrize("until", [Milestone.TRIAGE, Milestone.PLAN])
def test_a_plan_is_the_last_step_unless_the_case_goes_on_to_its_pull_request(until: Milestone) -> None:
    assert after(a_case(S.PLANNING_APPROACH), planned(), Policy(until=until)).waits_for is WaitingFor.MILESTONE
    assert after(a_case(S.PLANNING_APPROACH), planned(), Policy()).state is S.CREATING_TESTS


# --- the short way ---------------------------------------------------------------------------------------------------


def named(**update: object) -> TriageOutcome:
    return triaged().model_copy(update={"defect": PLACE, **update})


def test_a_small_bug_whose_line_is_known_goes_straight_to_its_test() -> None:
    tested = after(a_case(), named(), Policy())
    assert (tested.state, tested.reason) == (S.CREATING_TESTS, "The triage names the defect; a test comes first.")


@pytest.mark.parametrize(
    "update",
    [
        {"defect": None},
        {"scope": "MEDIUM"},
        {"complexity": "moderate"},
        {"type": IssueType.NEW_FEATURE},
    ],
)
def test_anything_else_is_analysed_before_its_test(update: dict[str, object]) -> None:
    assert after(a_case(), named(**update), Policy()).state is S.ANALYZING_REQUIREMENTS


@pytest.mark.parametrize(
    ("update", "policy", "state"),
    [
        ({"topics": [Topic.PERMISSIONS]}, Policy(), S.WAITING_FOR_HUMAN_INPUT),
        ({"status": "NEEDS_APPROVAL"}, Policy(), S.WAITING_FOR_HUMAN_INPUT),
        ({}, Policy(until=Milestone.TRIAGE), S.WAITING_FOR_HUMAN_INPUT),
        ({}, APPROVED_FIRST, S.ANALYZING_REQUIREMENTS),
        ({}, TO_THE_PLAN, S.ANALYZING_REQUIREMENTS),
    ],
)
def test_approvals_milestones_and_plans_come_before_the_short_way(
    update: dict[str, object], policy: Policy, state: IssueState
) -> None:
    assert after(a_case(), named(**update), policy).state is state


def test_a_named_defect_is_the_analysis_in_the_case_file() -> None:
    file = after_outcome(a_file(), Role.PM, named(), 1)
    assert file.analysis.completed
    assert [note.path for note in file.analysis.files] == ["cart.py"]
    assert file.analysis.must_do == ["It subtracts."]
    assert file.analysis.brief == "`cart.py:12`: It adds."
