"""Outcomes of turns: which answers are valid, and what the agent is told about invalid ones."""

import pytest
from pydantic import BaseModel, ValidationError

from caseworker.core.base.roles import Role, Task
from caseworker.core.issue.turns import TURN_OF
from caseworker.core.outcomes.answers import AnswerOutcome
from caseworker.core.outcomes.investigation import INVESTIGATION_STATUSES
from caseworker.core.outcomes.outcome import Outcome, known_turns, outcome_schema, parse_outcome
from caseworker.core.outcomes.pull_work import PullResolveOutcome, PullReviewOutcome
from tests.core.examples import (
    analysed,
    implemented,
    interpreted,
    investigated,
    judged,
    planned,
    questioned,
    reviewed,
    triaged,
    validated,
    wrote_test,
)
from tests.core.investigation_examples import cause_reviewed, diagnosed, iterated, unblocked
from tests.core.pull.review_examples import a_finding, an_answer

_WRITING = (Task.IMPLEMENT, Task.FIX, Task.REFACTOR, Task.ADDRESS_FEEDBACK)
_REVIEWING = (Task.REVIEW, Task.REVIEW_ARCHITECTURE, Task.REVIEW_INTEGRATION, Task.UNBLOCK)
_ANSWERING = (Role.PM, Role.ANALYST, Role.TESTER, Role.DEVELOPER, Role.TECH_LEAD)
PULL_REVIEWED = PullReviewOutcome(status="REVIEWED", summary="It adds a discount.", findings=[a_finding()])
PULL_RESOLVED = PullResolveOutcome(status="RESOLVED", summary="It adds the tax.", threads=[an_answer()])
ANSWERS: list[tuple[Role, Task, Outcome]] = [
    (Role.PM, Task.TRIAGE, triaged()),
    (Role.PM, Task.PLAN, planned()),
    (Role.PM, Task.QUESTIONS, questioned()),
    (Role.PM, Task.INTERPRET, interpreted()),
    (Role.ANALYST, Task.ANALYZE, analysed()),
    (Role.TESTER, Task.CREATE_TESTS, wrote_test()),
    (Role.TESTER, Task.UPDATE_TESTS, wrote_test()),
    (Role.TESTER, Task.JUDGE, judged()),
    (Role.TESTER, Task.VALIDATE, validated()),
    *((role, task, implemented()) for role in (Role.DEVELOPER, Role.SENIOR_DEVELOPER) for task in _WRITING),
    *((Role.TECH_LEAD, task, reviewed()) for task in _REVIEWING),
    *((role, Task.ANSWER, AnswerOutcome(status="READY", answers=["Yes."])) for role in _ANSWERING),
    (Role.INVESTIGATOR, Task.BUG, investigated()),
    (Role.INVESTIGATOR, Task.ITERATE, iterated("ROOT_CAUSE_FOUND")),
    (Role.DEVELOPER, Task.DIAGNOSTIC, diagnosed()),
    (Role.SENIOR_DEVELOPER, Task.DIAGNOSTIC, diagnosed("BLOCKED")),
    (Role.TECH_LEAD, Task.VALIDATE_ROOT_CAUSE, cause_reviewed()),
    (Role.PM, Task.UNBLOCK, unblocked()),
    (Role.TECH_LEAD, Task.REVIEW_PULL, PULL_REVIEWED),
    (Role.DEVELOPER, Task.RESOLVE_PULL, PULL_RESOLVED),
]


def plain(answer: BaseModel, **changes: object) -> dict[str, object]:
    return {**answer.model_dump(mode="json"), **changes}


@pytest.mark.parametrize(("role", "task", "answer"), ANSWERS)
def test_an_answer_is_parsed_into_its_model(role: Role, task: Task, answer: Outcome) -> None:
    assert parse_outcome(role, task, plain(answer)) == answer


@pytest.mark.parametrize("inside", ["see `cart.py`", "in shop/cart.py:12", "a KeyError", "config.yaml is wrong"])
def test_text_for_the_reporter_with_internals_is_refused(inside: str) -> None:
    with pytest.raises(ValidationError, match="no internals"):
        parse_outcome(Role.INVESTIGATOR, Task.BUG, plain(investigated(), for_reporter=f"It broke: {inside}."))


@pytest.mark.parametrize(
    "fine", ["Error 500 on www.shop.example/checkout", "order no. 1182, i.e. yours", "the 2.0 release"]
)
def test_text_that_a_reporter_understands_is_accepted(fine: str) -> None:
    parse_outcome(Role.INVESTIGATOR, Task.BUG, plain(investigated(), for_reporter=fine))


def test_every_turn_of_the_state_table_has_an_outcome_model() -> None:
    assert set(TURN_OF.values()) <= set(known_turns())
    assert {(role, task) for role, task, _ in ANSWERS} == set(known_turns())


@pytest.mark.parametrize(("role", "task"), known_turns())
def test_a_schema_names_the_statuses_and_forbids_other_fields(role: Role, task: Task) -> None:
    schema = outcome_schema(role, task)
    assert schema["additionalProperties"] is False
    properties = schema["properties"]
    assert isinstance(properties, dict)
    match task:
        case Task.BUG:
            assert "action" in properties
        case Task.ITERATE:  # its status is an open string: unknown ones are counted, not refused
            assert all(status in properties["status"]["description"] for status in INVESTIGATION_STATUSES[:-1])
        case _:
            assert properties["status"]["enum"]


@pytest.mark.parametrize(
    ("role", "task", "answer", "complaint"),
    [
        (Role.PM, Task.TRIAGE, plain(triaged(), status="MAYBE"), "Input should be 'PROCEED', 'REJECT' or"),
        (Role.PM, Task.TRIAGE, plain(triaged(), pipeline="completed"), "Extra inputs are not permitted"),
        (Role.PM, Task.TRIAGE, plain(reviewed()), "Field required"),
        (Role.PM, Task.TRIAGE, plain(triaged(), reason="x" * 2_001), "at most 2000 characters"),
        (Role.ANALYST, Task.ANALYZE, plain(analysed(), confidence=1.1), "less than or equal to 1"),
        (Role.ANALYST, Task.ANALYZE, plain(analysed(), confidence="nan"), "less than or equal to 1"),
        (Role.DEVELOPER, Task.FIX, plain(implemented(), commit_message=""), "at least 1 character"),
        (Role.DEVELOPER, Task.FIX, plain(implemented(), kind="review"), "Input should be 'implementation'"),
        (
            Role.TECH_LEAD,
            Task.REVIEW,
            plain(reviewed("CHANGES_REQUESTED"), feedback_for_writer=""),
            "CHANGES_REQUESTED needs feedback_for_writer",
        ),
        (
            Role.INVESTIGATOR,
            Task.BUG,
            plain(investigated(), action="escalate"),
            "escalate needs escalate_because: complex, security, infrastructure, urgent",
        ),
        (Role.TECH_LEAD, Task.REVIEW, "APPROVED", "valid dictionary"),
        (
            Role.TECH_LEAD,
            Task.REVIEW_PULL,
            plain(PULL_REVIEWED, findings=[]),
            "without findings, `checked` says what you looked at",
        ),
    ],
)
def test_an_invalid_answer_is_refused_with_the_reason(role: Role, task: Task, answer: object, complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        parse_outcome(role, task, answer)


@pytest.mark.parametrize("severity", ["critical", "major"])
def test_an_approval_may_only_have_minor_findings(severity: str) -> None:
    finding = {"file": "a.py", "line": 1, "issue": "it is wrong", "severity": severity}
    with pytest.raises(ValidationError, match=f"APPROVED with a {severity} finding: only minor findings may pass"):
        parse_outcome(Role.TECH_LEAD, Task.REVIEW, plain(reviewed(), issues=[finding]))
    minor = plain(reviewed(), issues=[{**finding, "severity": "minor"}])
    assert parse_outcome(Role.TECH_LEAD, Task.REVIEW, minor).kind == "review"
