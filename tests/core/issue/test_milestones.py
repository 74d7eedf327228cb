"""How far a case goes by itself, and how an approval can change that."""

import pytest

from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import SessionId
from caseworker.core.base.policy import Milestone, Policy
from caseworker.core.base.roles import Role
from caseworker.core.issue.apply import apply_fact
from caseworker.core.issue.case import IssueCase, Wait
from caseworker.core.issue.decide import decide
from caseworker.core.issue.facts import Agreed, CommandFact, Fact, TurnEnded
from caseworker.core.issue.misfits import misfit_of
from caseworker.core.issue.moves import make_move
from caseworker.core.issue.moves_by_people import automatic_move
from caseworker.core.issue.options import refuse_misfit
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.core.outcomes.outcome import IssueOutcome
from caseworker.core.outcomes.pm import Topic, TriageOutcome
from caseworker.core.people.commands import Approve
from tests.core.examples import HEAD, MORNING, a_case, analysed, planned, triaged

S = IssueState
WAITS = S.WAITING_FOR_HUMAN_INPUT
TRIAGE_ONLY = Policy(until=Milestone.TRIAGE)
SENSITIVE = triaged(topics=[Topic.PERMISSIONS])


def after(case: IssueCase, *facts: Fact, policy: Policy = TRIAGE_ONLY) -> IssueCase:
    """The case after these facts, with the automatic moves after each."""
    for fact in facts:
        assert not isinstance(fact, CommandFact) or misfit_of(case, fact) is None
        known = apply_fact(case, fact)
        case = make_move(known, decide(known, fact, policy), policy, MORNING)
        while (automatic := automatic_move(case)) is not None:
            case = make_move(case, automatic, policy, MORNING)
    return case


def ended(outcome: IssueOutcome, role: Role = Role.PM) -> TurnEnded:
    return TurnEnded(role=role, outcome=outcome, checkpoint=HEAD, session=SessionId("s-1"))


def waiting(subject: Subject, then: IssueState, **known: object) -> IssueCase:
    wait = Wait(reason=WaitingFor.APPROVAL, subject=subject, then=then)
    return a_case(WAITS, wait=wait.model_dump(), waiting_for=wait.reason, **known)


@pytest.mark.parametrize("has_analysis", [True, False])
def test_approved_sensitive_work_limited_to_triage_waits_at_the_milestone(
    has_analysis: bool,
) -> None:
    asked = after(a_case(analysed=has_analysis), ended(SENSITIVE))
    agreed = after(asked, Agreed(by="ann"))
    assert (agreed.state, agreed.waits_for) == (WAITS, WaitingFor.MILESTONE)
    assert agreed.granted(Subject.SENSITIVE)
    assert agreed.reason == "The issue is triaged: as far as it was to go."
    begun = after(agreed, Agreed(by="ann"))
    assert (begun.state, begun.people.until) == (asked.waiting.wait.then if asked.waiting.wait else None, Milestone.PR)


@pytest.mark.parametrize("until", [Milestone.PLAN, Milestone.PR])
def test_an_approval_of_sensitive_work_may_name_a_later_milestone(until: Milestone) -> None:
    asked = after(a_case(), ended(SENSITIVE))
    agreed = after(asked, Agreed(by="ann", until=until))
    assert (agreed.state, agreed.people.until) == (S.ANALYZING_REQUIREMENTS, until)
    clear = after(agreed, ended(analysed(), Role.ANALYST))
    assert clear.state is (S.PLANNING_APPROACH if until is Milestone.PLAN else S.CREATING_TESTS)
    if until is Milestone.PLAN:
        assert after(clear, ended(planned())).waits_for is WaitingFor.MILESTONE


def test_an_analysed_bug_approved_up_to_the_plan_is_planned() -> None:
    at_triage = after(a_case(analysed=True), ended(triaged()))
    assert at_triage.waits_for is WaitingFor.MILESTONE
    assert after(at_triage, Agreed(by="ann", until=Milestone.PLAN)).state is S.PLANNING_APPROACH
    assert after(at_triage, Agreed(by="ann")).state is S.CREATING_TESTS


PLAN_WANTED = [
    pytest.param(Policy(until=Milestone.PLAN), triaged(), id="goes as far as the plan"),
    pytest.param(Policy(approve_plan=True), triaged(), id="a person approves the plan"),
    pytest.param(Policy(), triaged(scope="LARGE"), id="a large change"),
]


@pytest.mark.parametrize(("policy", "triage"), PLAN_WANTED)
def test_an_analysed_bug_is_planned_before_its_test(policy: Policy, triage: TriageOutcome) -> None:
    begun = after(a_case(analysed=True), ended(triage), policy=policy)
    assert begun.state is S.ANALYZING_REQUIREMENTS
    assert after(begun, ended(analysed(), Role.ANALYST), policy=policy).state is S.PLANNING_APPROACH


@pytest.mark.parametrize(("policy", "triage"), PLAN_WANTED)
def test_an_analysed_sensitive_bug_is_planned_after_the_approval(policy: Policy, triage: TriageOutcome) -> None:
    sensitive = triage.model_copy(update={"topics": [Topic.PERMISSIONS]})
    asked = after(a_case(analysed=True), ended(sensitive), policy=policy)
    assert after(asked, Agreed(by="ann"), policy=policy).state is S.PLANNING_APPROACH


def test_a_bug_that_waited_after_triage_is_planned_if_plans_are_approved() -> None:
    policy = Policy(until=Milestone.TRIAGE, approve_plan=True)
    at_triage = after(a_case(analysed=True), ended(triaged()), policy=policy)
    assert after(at_triage, Agreed(by="ann"), policy=policy).state is S.PLANNING_APPROACH


@pytest.mark.parametrize(
    ("case", "until", "words"),
    [
        (
            waiting(Subject.ARCHITECTURE, S.REFACTORING),
            Milestone.PLAN,
            "it is past the plan already, and goes on to a pull request",
        ),
        (waiting(Subject.NO_RED_TEST, S.IMPLEMENTING), Milestone.TRIAGE, "it is past the triage already, and goes on"),
        (
            waiting(Subject.PLAN, S.CREATING_TESTS, planned=True),
            Milestone.PLAN,
            "it has come as far as the plan already",
        ),
        (waiting(Subject.SENSITIVE, S.ANALYZING_REQUIREMENTS), Milestone.TRIAGE, "it has come as far as the triage"),
    ],
)
def test_an_approval_up_to_a_passed_milestone_is_refused(case: IssueCase, until: Milestone, words: str) -> None:
    with pytest.raises(Refused) as refused:
        refuse_misfit(case, Approve(milestone=until), TerminalPhrasing())
    assert words in refused.value.what
    assert "`caseworker approve" in refused.value.todo
    assert apply_fact(case, Agreed(by="ann", until=until)).people.until is None  # and `why` never promises it


@pytest.mark.parametrize("then", [S.ANALYZING_REQUIREMENTS, S.PLANNING_APPROACH])
def test_an_approved_escalation_of_the_analyst_may_name_a_milestone(then: IssueState) -> None:
    case = waiting(Subject.ESCALATION, then)
    refuse_misfit(case, Approve(milestone=Milestone.PLAN), TerminalPhrasing())
    assert after(case, Agreed(by="ann", until=Milestone.PLAN)).people.until is Milestone.PLAN


@pytest.mark.parametrize("approve_plan", [True, False])
def test_passing_the_plan_milestone_approves_the_plan_if_required(
    approve_plan: bool,
) -> None:
    policy = Policy(until=Milestone.PLAN, approve_plan=approve_plan)
    made = after(a_case(S.PLANNING_APPROACH), ended(planned()), policy=policy)
    assert made.waits_for is WaitingFor.MILESTONE
    agreed = after(made, Agreed(by="ann"), policy=policy)
    assert (agreed.state, agreed.people.until) == (S.CREATING_TESTS, Milestone.PR)
    assert agreed.granted(Subject.PLAN) is approve_plan
