"""Checks whether a person's command is possible in the state of an issue case."""

from typing import assert_never

from caseworker.core.base.policy import how_far
from caseworker.core.issue import words
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.delivered import name_of
from caseworker.core.issue.facts import (
    Agreed,
    BudgetRaised,
    CloseAsked,
    CommandFact,
    Declined,
    HandedBack,
    Merged,
    RerunAsked,
    RetryAsked,
    TakenOver,
)
from caseworker.core.issue.moves import milestone_reached
from caseworker.core.issue.states import PARKED, TERMINAL, WAITING, IssueState
from caseworker.core.issue.subjects import WaitingFor

S = IssueState


def misfit_of(case: IssueCase, fact: CommandFact) -> str | None:
    """Why this is impossible in this state, and what is possible. Null: it is possible."""
    over = case.is_over
    match fact:
        case CloseAsked() | Merged() if over:
            return f"it is {words.of_state(case.state)} already"
        case Agreed() | Declined() if not _awaits_agreement(case, fact):
            return "nothing waits for an approval"
        case TakenOver() if case.state is S.COMPLETED:
            return "it is completed: trying it again opens another case for the same issue"
        case TakenOver() if over:
            return "the case is over: trying it again opens it"
        case TakenOver() if case.people.taken_by:
            return f"{case.people.taken_by} has it already"
        case HandedBack() if not case.people.taken_by:
            return "nobody has taken it over"
        case RetryAsked() if case.people.taken_by:
            return f"{case.people.taken_by} has taken it over: handing it back lets the agents go on"
        case RetryAsked() if case.stalled is not None:
            return None
        case RetryAsked() if case.state not in PARKED | TERMINAL and case.waits_for is not WaitingFor.CURE:
            return words.not_stuck(case)
        case RerunAsked():
            return _misfit_rerun(case, fact)
        case (
            CloseAsked() | Merged() | Agreed() | Declined() | TakenOver() | HandedBack() | RetryAsked() | BudgetRaised()
        ):
            return None
        case _:
            assert_never(fact)


def _misfit_rerun(case: IssueCase, fact: RerunAsked) -> str | None:
    if case.is_over:
        return "the case is over: trying it again opens it"
    if case.delivery.pull_request is not None:
        return f"{name_of(case)} is there already: say what should be different"
    if case.people.taken_by:
        return f"{case.people.taken_by} has taken it over: handing it back lets the agents go on"
    wait = case.waiting.wait
    if wait is None or wait.reason is not WaitingFor.MILESTONE or not _still_waits(case):
        return "it does not wait at a milestone"
    if how_far(fact.milestone) > how_far(milestone_reached(case)):
        return f"it has not come as far as the {fact.milestone} yet"
    return None


def _awaits_agreement(case: IssueCase, fact: Agreed | Declined) -> bool:
    """Whether the case waits for this, also if it got stuck during an interpret turn; not while a person has it."""
    if case.waiting.wait is None or not (_still_waits(case) or case.state in PARKED) or case.people.taken_by:
        return False
    if isinstance(fact, Declined):
        return case.waiting.wait.reason in (WaitingFor.APPROVAL, WaitingFor.MERGE)
    if case.waiting.wait.reason is WaitingFor.CURE:
        return case.waiting.wait.subject is not None
    return case.waiting.wait.reason in (WaitingFor.APPROVAL, WaitingFor.MILESTONE)


def _still_waits(case: IssueCase) -> bool:
    """Whether it waits, or the pm is to read what was said meanwhile: a command that comes then is not too late."""
    return case.state in WAITING or (case.state is S.HUMAN_INPUT_RECEIVED and case.progress.go is None)
