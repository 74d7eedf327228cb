"""Questions between roles: any turn may ask and escalate; circles and too many questions are refused."""

import pytest

from caseworker.core.base.ids import SessionId
from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Role, Task
from caseworker.core.casefile.sections import after_outcome
from caseworker.core.issue.apply import apply_fact
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.consultation import MOST_QUESTIONS, consult, questions_in
from caseworker.core.issue.decide import decide
from caseworker.core.issue.facts import Agreed, TurnEnded
from caseworker.core.issue.moves import make_move
from caseworker.core.issue.moves_by_people import automatic_move
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import Subject
from caseworker.core.outcomes.answers import AnsweringRole, AnswerOutcome, RoleQuestion, WorkOutcome
from caseworker.core.outcomes.outcome import IssueOutcome, known_turns, outcome_schema
from tests.core.examples import (
    HEAD,
    MORNING,
    a_case,
    a_file,
    analysed,
    interpreted,
    questioned,
    reviewed,
    triaged,
    validated,
    wrote_test,
)
from tests.core.investigation_examples import an_investigated_case, cause_reviewed, iterated, unblocked
from tests.core.pull_tasks import PULL_TASKS

S = IssueState
NOT_OF_ISSUES = {Task.BUG, *PULL_TASKS}
CAUSE_REVIEW = an_investigated_case(S.REVIEWING_CODE, iteration=1, stands="found", task=Task.VALIDATE_ROOT_CAUSE)


def asking(to: AnsweringRole, question: str = "Which total?") -> list[RoleQuestion]:
    return [RoleQuestion(to=to, question=question)]


@pytest.mark.parametrize(("role", "task"), [turn for turn in known_turns() if turn[1] not in NOT_OF_ISSUES])
def test_every_turn_of_an_issue_can_ask_and_escalate(role: Role, task: Task) -> None:
    properties = outcome_schema(role, task)["properties"]
    assert isinstance(properties, dict)
    assert set(WorkOutcome.model_fields) <= set(properties)


@pytest.mark.parametrize(
    ("case", "role", "outcome"),
    [
        (a_case(S.RECEIVED), Role.PM, triaged()),
        (a_case(S.RECEIVED), Role.PM, triaged("REJECT")),
        (a_case(S.HUMAN_INPUT_RECEIVED, resume=S.IMPLEMENTING), Role.PM, interpreted("REJECT")),
        (a_case(S.REQUIREMENTS_UNCLEAR), Role.PM, questioned("CONTINUE")),
        (a_case(S.HUMAN_INPUT_RECEIVED, resume=S.IMPLEMENTING), Role.PM, interpreted()),
        (a_case(S.ANALYZING_REQUIREMENTS), Role.ANALYST, analysed()),
        (a_case(S.CREATING_TESTS), Role.TESTER, wrote_test()),
        (a_case(S.REVIEWING_CODE), Role.TECH_LEAD, reviewed("CHANGES_REQUESTED")),
        (an_investigated_case(iteration=1), Role.INVESTIGATOR, iterated()),
        (an_investigated_case(iteration=1, task=Task.UNBLOCK), Role.PM, unblocked()),
        (CAUSE_REVIEW, Role.TECH_LEAD, cause_reviewed()),
    ],
)
def test_whoever_escalates_asks_a_person_before_the_case_goes_on(
    case: IssueCase, role: Role, outcome: IssueOutcome
) -> None:
    escalates = outcome.model_copy(update={"escalation": "It touches logins."})
    fact = TurnEnded(role=role, outcome=escalates, checkpoint=HEAD, session=SessionId("s-1"))
    move = decide(apply_fact(case, fact), fact, Policy())
    assert (move.to, move.subject) == (S.WAITING_FOR_HUMAN_INPUT, Subject.ESCALATION)
    assert move.reason.startswith("It touches logins. ")


def test_a_rejection_that_was_escalated_closes_the_case_when_a_person_agrees() -> None:
    rejects = triaged("REJECT").model_copy(update={"escalation": "It touches logins."})
    fact = TurnEnded(role=Role.PM, outcome=rejects, checkpoint=HEAD, session=SessionId("s-1"))
    known = apply_fact(a_case(S.RECEIVED), fact)
    move = decide(known, fact, Policy())
    assert move.say is not None
    assert move.say.note == f"It touches logins. It proposes to end the case. Not worth doing: {rejects.reason}"
    asked = make_move(known, move, Policy(), MORNING)
    agreed = make_move(asked, decide(asked, Agreed(by="ann"), Policy()), Policy(), MORNING)
    closes = automatic_move(agreed)
    assert closes is not None
    assert (closes.to, closes.reason) == (S.CLOSED, f"ann agrees. {move.say.note}")


def test_an_escalation_with_the_last_attempt_asks_before_the_case_fails() -> None:
    failed = validated("FAIL").model_copy(update={"escalation": "It touches logins."})
    fact = TurnEnded(role=Role.TESTER, outcome=failed, checkpoint=HEAD, session=SessionId("s-1"))
    move = decide(a_case(S.VALIDATING_SOLUTION, attempt=4, guided=True), fact, Policy(attempts=3))
    assert (move.to, move.subject, move.then) == (S.WAITING_FOR_HUMAN_INPUT, Subject.ESCALATION, S.FAILED)


@pytest.mark.parametrize("asker", [Role.PM, Role.INVESTIGATOR, Role.TECH_LEAD])
def test_a_role_may_ask_another_role(asker: Role) -> None:
    asked = consult(a_case(), [asker], asking("analyst"))
    assert (asked.asked, asked.refused, asked.case.progress.consulted) == ({Role.ANALYST: 1}, None, 1)


@pytest.mark.parametrize(
    ("askers", "to", "reason"),
    [
        ([Role.ANALYST], "analyst", "The analyst asks itself: Which total?"),
        ([Role.SENIOR_DEVELOPER], "developer", "The senior developer asks itself: Which total?"),
        ([Role.DEVELOPER, Role.ANALYST], "developer", "The analyst asks the developer back: Which total?"),
        ([Role.PM, Role.TESTER, Role.TECH_LEAD], "pm", "The tech lead asks the pm back: Which total?"),
    ],
)
def test_a_circle_of_questions_is_refused(askers: list[Role], to: AnsweringRole, reason: str) -> None:
    refused = consult(a_case(), askers, asking(to)).refused
    assert refused is not None
    assert refused.reason == reason


def test_too_many_questions_in_one_state_are_refused() -> None:
    case = a_case(consulted=MOST_QUESTIONS)
    refused = consult(case, [Role.PM], asking("analyst")).refused
    assert refused is not None
    assert refused.reason == "The pm keeps asking the others: Which total?"


def test_an_answer_that_escalates_stops_the_turn_that_asked() -> None:
    outcome = AnswerOutcome(status="BLOCKED", answers=[], escalation="It touches logins.")
    fact = TurnEnded(role=Role.ANALYST, outcome=outcome, checkpoint=HEAD, session=SessionId("s-1"))
    assert questions_in(fact) == []
    move = decide(a_case(S.IMPLEMENTING), fact, Policy())
    assert (move.to, move.subject, move.then) == (S.WAITING_FOR_HUMAN_INPUT, Subject.ESCALATION, S.IMPLEMENTING)


def test_the_investigator_asks_under_its_own_name() -> None:
    outcome = iterated().model_copy(update={"ask": asking("tester")})
    (question,) = after_outcome(a_file(), Role.INVESTIGATOR, outcome, 1).communication.questions
    assert (question.from_, question.to) == ("investigator", "tester")


def test_an_answering_role_asks_on_before_it_answers() -> None:
    first = iterated().model_copy(update={"ask": asking("tester")})
    file = after_outcome(a_file(), Role.INVESTIGATOR, first, 1)
    on = AnswerOutcome(status="READY", answers=["Not yet."], ask=asking("analyst", "Which one?"))
    asked, further = after_outcome(file, Role.TESTER, on, 1).communication.questions
    assert (asked.answered, further.from_, further.to) == (False, "tester", "analyst")
