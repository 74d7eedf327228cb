"""Escalations in the case file: to people, and to a more experienced role."""

from caseworker.core.base.roles import Role
from caseworker.core.casefile.model import CaseFile, Escalation
from caseworker.core.casefile.pipeline import after_move
from caseworker.core.casefile.sections import after_outcome
from caseworker.core.issue.case import Wait
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.core.outcomes.outcome import IssueOutcome
from tests.core.examples import a_case, a_file, analysed, implemented, judged, reviewed

S = IssueState


def after(*steps: tuple[Role, IssueOutcome]) -> CaseFile:
    file = a_file()
    for role, outcome in steps:
        file = after_outcome(file, role, outcome, attempt=1)
    return file


def test_work_passed_on_to_a_more_experienced_role_requires_no_human() -> None:
    passed_on: list[tuple[Role, IssueOutcome, str, str]] = [
        (Role.DEVELOPER, implemented("ESCALATE_SENIOR"), "writer", "The discount was never subtracted; now it is."),
        (Role.TESTER, judged("FAIL_ESCALATE"), "tester", "The total is wrong."),
        (Role.TECH_LEAD, reviewed("ESCALATE"), "reviewer", "What of a discount over 100 %?"),
    ]
    for role, outcome, agent, reason in passed_on:
        raised = after((role, outcome)).communication.escalations
        assert raised == [Escalation(agent=agent, reason=reason, requires_human=False)]


def test_an_escalation_to_people_requires_a_human() -> None:
    outcome = analysed().model_copy(update={"escalation": "A new database."})
    raised = after((Role.ANALYST, outcome)).communication.escalations
    assert raised == [Escalation(agent="analyst", reason="A new database.", requires_human=True)]


def test_the_role_that_takes_it_up_resolves_it_and_others_do_not() -> None:
    raised = (Role.DEVELOPER, implemented("ESCALATE_SENIOR"))
    assert not after(raised, (Role.TECH_LEAD, reviewed())).communication.escalations[0].resolved
    assert after(raised, (Role.SENIOR_DEVELOPER, implemented())).communication.escalations[0].resolved
    judged_hard = (Role.TESTER, judged("FAIL_ESCALATE"))
    assert after(judged_hard, (Role.TECH_LEAD, reviewed("UNBLOCKING_GUIDANCE"))).communication.escalations[0].resolved


def test_no_role_resolves_what_a_person_decides() -> None:
    escalates = implemented().model_copy(update={"escalation": "It touches the login."})
    file = after((Role.DEVELOPER, escalates), (Role.SENIOR_DEVELOPER, implemented()))
    assert [one.resolved for one in file.communication.escalations] == [False]


def test_after_mere_thanks_only_the_escalation_to_people_is_open_again() -> None:
    escalates = analysed().model_copy(update={"escalation": "A new database."})
    file = after((Role.ANALYST, escalates), (Role.TESTER, judged("FAIL_ESCALATE")), (Role.TECH_LEAD, reviewed()))
    wait = Wait(reason=WaitingFor.APPROVAL, subject=Subject.ESCALATION)
    answered = after_move(file, a_case(S.HUMAN_INPUT_RECEIVED, wait=wait))
    again = after_move(answered, a_case(S.WAITING_FOR_HUMAN_INPUT, wait=wait))
    assert [one.resolved for one in again.communication.escalations] == [False, True]
