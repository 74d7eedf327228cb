"""Escalations: people decide them in their own words, and nothing else in that way."""

import pytest

from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import SessionId
from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Role, Task
from caseworker.core.evidence.sensitive_paths import Touched
from caseworker.core.issue.apply import apply_fact
from caseworker.core.issue.case import IssueCase, Wait
from caseworker.core.issue.decide import decide
from caseworker.core.issue.facts import Agreed, CommandFact, Declined, Fact, Spoke, TurnEnded
from caseworker.core.issue.misfits import misfit_of
from caseworker.core.issue.moves import make_move
from caseworker.core.issue.moves_by_people import automatic_move
from caseworker.core.issue.options import options, refuse_misfit
from caseworker.core.issue.posts import IssueAbout
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.core.outcomes.answers import RoleQuestion
from caseworker.core.outcomes.outcome import IssueOutcome
from caseworker.core.people.commands import Answer, MessageKind
from tests.core.examples import (
    HEAD,
    MORNING,
    OTHER,
    a_case,
    a_proven_case,
    implemented,
    interpreted,
    reviewed,
    told,
    triaged,
)

S = IssueState
POLICY = Policy()
NOTHING = interpreted("NO_ACTION")


def after(case: IssueCase, *facts: Fact | IssueOutcome) -> IssueCase:
    """The case after these steps, with automatic moves. An outcome is the pm's."""
    for one in facts:
        fact = ended(one) if isinstance(one, IssueOutcome) else one
        assert not isinstance(fact, CommandFact) or misfit_of(case, fact) is None
        known = apply_fact(case, fact)
        case = make_move(known, decide(known, fact, POLICY), POLICY, MORNING)
        while (automatic := automatic_move(case)) is not None:
            case = make_move(case, automatic, POLICY, MORNING)
    return case


def ended(outcome: IssueOutcome, role: Role = Role.PM) -> TurnEnded:
    return TurnEnded(role=role, outcome=outcome, checkpoint=HEAD, session=SessionId("s-1"))


SAID = Spoke(by="ann")
PLAN = a_case(
    S.WAITING_FOR_HUMAN_INPUT,
    wait=Wait(reason=WaitingFor.APPROVAL, subject=Subject.PLAN, then=S.CREATING_TESTS),
    planned=True,
)


def escalated(case: IssueCase, outcome: IssueOutcome, role: Role = Role.DEVELOPER) -> IssueCase:
    fact = ended(outcome.model_copy(update={"escalation": "A or B?"}), role)
    known = apply_fact(case, fact)
    waits = make_move(known, decide(known, fact, POLICY), POLICY, MORNING)
    assert waits.waiting.wait is not None
    assert waits.waiting.wait.subject is Subject.ESCALATION
    return waits


ALONE = escalated(a_case(S.IMPLEMENTING), implemented())


def test_an_escalation_can_be_answered() -> None:
    refuse_misfit(ALONE, Answer(), TerminalPhrasing())
    offered = [option.kind for option in options(ALONE)]
    assert offered[:3] == [MessageKind.APPROVE, MessageKind.REJECT, MessageKind.ANSWER]
    assert "decides it in your own words" in told(ALONE, IssueAbout.ESCALATION)
    with pytest.raises(Refused):
        refuse_misfit(PLAN, Answer(), TerminalPhrasing())


@pytest.mark.parametrize(
    ("case", "next", "state"),
    [
        (ALONE, None, S.IMPLEMENTING),  # no turn would read it in the test run
        (ALONE, "fixing_issues", S.FIXING_ISSUES),
        (escalated(a_proven_case(built=HEAD), reviewed(), Role.TECH_LEAD), None, S.REVIEWING_CODE),
        (escalated(a_case(), triaged(), Role.PM), None, S.ANALYZING_REQUIREMENTS),
    ],
)
def test_words_decide_an_escalation(case: IssueCase, next: object, state: IssueState) -> None:
    outcome = interpreted().model_copy(update={"next": next})
    heard = after(case, SAID, outcome)
    assert (heard.state, heard.waiting.wait, heard.people.grants) == (state, None, ())
    assert after(case, SAID, NOTHING).waiting.wait == case.waiting.wait


REJECTED = escalated(a_case(S.REVIEWING_CODE, checkpoint=HEAD, red=True), reviewed("CHANGES_REQUESTED"), Role.TECH_LEAD)
KEPT = "A or B? What waits for that: The review asks for changes. Attempt 2 of 3."


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ((Agreed(by="ann"),), f"It goes on: ann agrees. {KEPT}"),
        ((Declined(by="ann"),), f"ann does not agree. {KEPT}"),
        ((SAID, interpreted()), f"{interpreted().reply} {KEPT}"),
    ],
)
def test_whoever_works_after_an_escalation_is_told_what_it_was_about(
    said: tuple[Fact | IssueOutcome, ...], reason: str
) -> None:
    assert after(REJECTED, *said).reason == reason


def test_an_escalation_can_still_be_approved_after_a_question_of_the_pm() -> None:
    again = after(ALONE, SAID, interpreted("NEEDS_CLARIFICATION"))
    assert again.waiting.wait == ALONE.waiting.wait
    agreed = after(again, Agreed(by="ann"))
    assert agreed.state is S.RUNNING_TESTS
    assert agreed.granted(Subject.ESCALATION)


@pytest.mark.parametrize("subject", [subject for subject in Subject if subject is not Subject.ESCALATION])
def test_words_approve_nothing_else(subject: Subject) -> None:
    wait = Wait(reason=WaitingFor.APPROVAL, subject=subject, then=S.REVIEWING_CODE)
    case = a_case(S.WAITING_FOR_HUMAN_INPUT, wait=wait, waiting_for=wait.reason, resume=S.IMPLEMENTING)
    heard = after(case, SAID, interpreted())
    assert (heard.state, heard.waiting.wait, heard.people.grants) == (S.WAITING_FOR_HUMAN_INPUT, wait, ())


def test_words_on_an_investigations_escalation_lead_to_its_next_task() -> None:
    wait = Wait(
        reason=WaitingFor.APPROVAL,
        subject=Subject.ESCALATION,
        then=S.REVIEWING_CODE,
        task=Task.VALIDATE_ROOT_CAUSE,
    )
    known = {"wait": wait, "waiting_for": wait.reason, "resume": S.INVESTIGATING, "investigation": {"iteration": 2}}
    heard = after(a_case(S.WAITING_FOR_HUMAN_INPUT, **known), SAID, interpreted())
    assert (heard.state, heard.progress.task) == (S.REVIEWING_CODE, Task.VALIDATE_ROOT_CAUSE)


@pytest.mark.parametrize("known", [{"approved": OTHER}, {"touches": [Touched(topic="permissions", paths=("acl.py",))]}])
def test_words_never_open_an_unproven_or_unapproved_pull_request(known: dict[str, object]) -> None:
    parked = a_proven_case(S.REQUIRES_HUMAN_INTERVENTION, resume=S.CREATING_PR, **known)
    assert after(parked, SAID, interpreted()).state is S.REVIEWING_CODE


def test_an_approval_is_not_asked_for_again_when_questions_open_again() -> None:
    wait = Wait(reason=WaitingFor.ANSWER)
    case = a_case(S.WAITING_FOR_REQUIREMENTS_CLARIFICATION, wait=wait, resume=S.REQUIREMENTS_UNCLEAR)
    asks = {"escalation": "It touches logins.", "ask": [RoleQuestion(to="analyst", question="Which page?")]}
    waits = after(case, SAID, interpreted().model_copy(update=asks), Agreed(by="ann"), NOTHING)
    assert (waits.state, waits.waits_for) == (S.WAITING_FOR_REQUIREMENTS_CLARIFICATION, WaitingFor.ANSWER)
    assert misfit_of(waits, Agreed(by="ann")) is not None
