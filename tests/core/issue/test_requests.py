"""Requests to people stay visible until they are answered, also after other messages."""

import pytest

from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.errors import Refused
from caseworker.core.base.failed_steps import TurnGaveUp
from caseworker.core.base.ids import SessionId
from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Role
from caseworker.core.issue.apply import apply_fact
from caseworker.core.issue.case import IssueCase, Wait
from caseworker.core.issue.decide import decide
from caseworker.core.issue.facts import Agreed, CommandFact, Declined, Fact, Spoke, TimedOut, TurnEnded
from caseworker.core.issue.misfits import misfit_of
from caseworker.core.issue.moves import make_move
from caseworker.core.issue.moves_by_people import automatic_move
from caseworker.core.issue.options import refuse_misfit
from caseworker.core.issue.posts import IssueAbout
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.core.issue.words import kept
from caseworker.core.outcomes.outcome import IssueOutcome
from caseworker.core.people.commands import Approve, Retry
from tests.core.examples import (
    BASE,
    HEAD,
    MORNING,
    a_case,
    interpreted,
    planned,
    questioned,
    told,
)

S = IssueState
POLICY = Policy(approve_plan=True)
UNCLEAR = "The requirements are unclear, and people were asked."
QUESTION = "Before the work can go on, please tell us:\n1. Which page?"
LATE = TurnGaveUp(role=Role.PM, reason="60 minutes", limit="time")
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


def asks(case: IssueCase) -> IssueAbout | None:
    """The topic of the post that asked for the current wait."""
    wait = case.waiting.wait
    return wait.asked.about if wait is not None and wait.asked is not None else None


SAID = Spoke(by="ann")
ASKED = after(a_case(S.REQUIREMENTS_UNCLEAR), questioned())
PLAN = after(a_case(S.PLANNING_APPROACH), planned())


# --- the question stays visible


@pytest.mark.parametrize("words", [(), (SAID, NOTHING), (SAID, NOTHING, SAID, NOTHING)])
def test_questions_are_shown_again_after_words_that_answer_nothing(words: tuple[Fact, ...]) -> None:
    case = after(ASKED, *words)
    assert (case.state, case.waiting.wait) == (ASKED.state, ASKED.waiting.wait)
    assert asks(case) is IssueAbout.QUESTIONS
    assert told(case, IssueAbout.REMINDER, asked=QUESTION) == f"Still waiting: {QUESTION}"
    assert case.reason == (f"{UNCLEAR} It waits on." if words else UNCLEAR)
    late = after(case, TimedOut())
    assert late.reason == f"Nobody has answered: {UNCLEAR}"
    assert asks(late) is IssueAbout.QUESTIONS
    assert told(late, IssueAbout.REMINDER, asked=QUESTION) == f"Still waiting: {late.reason}\n\n{QUESTION}"


def test_a_request_for_approval_is_shown_until_given_also_if_stuck() -> None:
    assert "Subtract the discount." in told(PLAN, IssueAbout.PLAN, planned())
    back, stuck = after(PLAN, SAID, NOTHING), after(PLAN, SAID, LATE)
    assert (back.state, stuck.state) == (S.WAITING_FOR_HUMAN_INPUT, S.REQUIRES_HUMAN_INTERVENTION)
    assert [asks(case) for case in (PLAN, back, stuck)] == [IssueAbout.PLAN] * 3
    assert asks(after(stuck, Agreed(by="ann"))) is None


def test_no_request_is_shown_during_a_takeover() -> None:
    taken = PLAN.updated(state=S.REQUIRES_HUMAN_INTERVENTION, taken_by="grace", reason="hers")
    assert told(taken, IssueAbout.REMINDER) == "Still waiting: hers"


# --- stuck in an interpret turn


@pytest.mark.parametrize("fact", [Agreed(by="ann"), Declined(by="ann")])
def test_an_approval_counts_also_after_an_interpret_turn_met_its_limit(fact: Fact) -> None:
    stuck = after(PLAN, SAID, LATE)
    moved = after(stuck, fact)
    agrees = isinstance(fact, Agreed)
    assert moved.state is (S.CREATING_TESTS if agrees else S.PLANNING_APPROACH)
    assert moved.granted(Subject.PLAN) is agrees


def test_an_approval_or_retry_does_not_end_a_takeover() -> None:
    taken = PLAN.updated(state=S.REQUIRES_HUMAN_INTERVENTION, taken_by="grace")
    assert misfit_of(taken, Agreed(by="ann")) == "nothing waits for an approval"
    with pytest.raises(Refused, match=r"handing it back lets the agents go on\. What fits: `handback`"):
        refuse_misfit(taken, Retry(), TerminalPhrasing())


def test_an_approval_of_another_subject_is_refused() -> None:
    refuse_misfit(PLAN, Approve(subject=Subject.PLAN), TerminalPhrasing())
    with pytest.raises(Refused, match="it waits for another approval by now"):
        refuse_misfit(PLAN, Approve(subject=Subject.SENSITIVE), TerminalPhrasing())


# --- words that change nothing


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (WaitingFor.BUDGET, "the case waits for more money"),
        (WaitingFor.MILESTONE, "the case waits for an approval to go on"),
        (WaitingFor.MERGE, "`agent/issue-42` waits for a merge"),
        (None, "`agent/issue-42` waits for a merge"),
    ],
)
def test_the_receipt_of_thanks_says_what_the_case_waits_for(reason: WaitingFor | None, words: str) -> None:
    wait = Wait(reason=reason) if reason is not None else None
    case = a_case(S.WAITING_FOR_HUMAN_INPUT, checkpoint=BASE, wait=wait, waiting_for=reason)
    assert kept(case) == f"kept on the record; {words}"
