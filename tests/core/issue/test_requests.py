"""What people are asked stays in sight until it is answered, whatever is said meanwhile."""

import pytest

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import SessionId
from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Role
from caseworker.core.issue.apply import learn
from caseworker.core.issue.case import IssueCase, Subject, Wait, WaitingFor
from caseworker.core.issue.decide import decide
from caseworker.core.issue.facts import Agreed, Declined, Fact, Spoke, TimedOut, TurnEnded, TurnGaveUp
from caseworker.core.issue.moves import take
from caseworker.core.issue.options import refuse_misfit
from caseworker.core.issue.people import fits, passing_by
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.words import kept, reminder
from caseworker.core.outcomes.outcome import IssueOutcome
from caseworker.core.people.commands import Approve, Retry
from caseworker.core.telling.why import why
from tests.core.examples import (
    BASE,
    HEAD,
    MORNING,
    a_case,
    interpreted,
    planned,
    questioned,
)

S = IssueState
POLICY = Policy(approve_plan=True)
UNCLEAR = "The requirements are unclear, and people were asked."
QUESTION = "Before the work can go on, please tell us:\n1. Which page?"
LATE = TurnGaveUp(role=Role.PM, reason="60 minutes", limit="time")
NOTHING = interpreted("NO_ACTION")


def after(case: IssueCase, *facts: Fact | IssueOutcome) -> IssueCase:
    """With what code does by itself after each. An outcome is the pm's."""
    for one in facts:
        fact = ended(one) if isinstance(one, IssueOutcome) else one
        assert fits(case, fact) is None
        known = learn(case, fact)
        case = take(known, decide(known, fact, POLICY), POLICY, MORNING)
        while (passing := passing_by(case)) is not None:
            case = take(case, passing, POLICY, MORNING)
    return case


def ended(outcome: IssueOutcome, role: Role = Role.PM) -> TurnEnded:
    return TurnEnded(role=role, outcome=outcome, checkpoint=HEAD, session=SessionId("s-1"))


SAID = Spoke(by="ann")
ASKED = after(a_case(S.REQUIREMENTS_UNCLEAR), questioned())
PLAN = after(a_case(S.PLANNING_APPROACH), planned())


# --- the question stays in sight


@pytest.mark.parametrize("words", [(), (SAID, NOTHING), (SAID, NOTHING, SAID, NOTHING)])
def test_the_questions_are_shown_and_told_again_also_after_words_that_answer_nothing(words: tuple[Fact, ...]) -> None:
    case = after(ASKED, *words)
    assert (case.state, case.waiting.wait) == (ASKED.state, ASKED.waiting.wait)
    assert why(case, POLICY).asked == QUESTION
    assert reminder(case) == f"Still waiting: {QUESTION}"
    assert case.reason == (f"{UNCLEAR} It waits on." if words else UNCLEAR)
    late = after(case, TimedOut())
    assert late.reason == f"Nobody has answered: {UNCLEAR}"
    assert why(late, POLICY).asked == QUESTION
    assert reminder(late) == f"Still waiting: {late.reason}\n\n{QUESTION}"


def test_a_request_for_an_approval_is_shown_until_it_is_given_also_where_the_case_got_stuck() -> None:
    request = why(PLAN, POLICY).asked
    assert "Subtract the discount." in request
    back, stuck = after(PLAN, SAID, NOTHING), after(PLAN, SAID, LATE)
    assert (back.state, stuck.state) == (S.WAITING_FOR_HUMAN_INPUT, S.REQUIRES_HUMAN_INTERVENTION)
    assert [why(case, POLICY).asked for case in (back, stuck)] == [request, request]
    assert why(after(stuck, Agreed(by="ann")), POLICY).asked == ""


def test_a_long_request_is_kept_in_short() -> None:
    plan = planned().model_copy(update={"plan": "step\n" * 3_000})
    waits = after(a_case(S.PLANNING_APPROACH), plan)
    assert waits.waiting.wait is not None
    assert len(waits.waiting.wait.asks) < 4_100
    assert "characters left out" in waits.waiting.wait.asks


def test_nobody_is_asked_anything_while_somebody_has_the_case() -> None:
    taken = PLAN.updated(state=S.REQUIRES_HUMAN_INTERVENTION, taken_by="grace", reason="hers")
    assert why(taken, POLICY).asked == ""
    assert reminder(taken) == "Still waiting: hers"


def test_a_case_that_began_to_wait_before_requests_were_kept_says_what_it_knows() -> None:
    wait = Wait(reason=WaitingFor.ANSWER)
    old = a_case(S.WAITING_FOR_HUMAN_INPUT, wait=wait, waiting_for=wait.reason, reason="May the API go?")
    assert (why(old, POLICY).asked, reminder(old)) == ("", "Still waiting: May the API go?")
    assert after(old, TimedOut()).reason == "Nobody has answered: May the API go?"
    assert after(old, SAID, NOTHING).reason == "Nothing follows from what was said."


# --- stuck over what was said


@pytest.mark.parametrize("fact", [Agreed(by="ann"), Declined(by="ann")])
def test_an_approval_is_taken_also_when_the_turn_that_reads_people_met_its_limit(fact: Fact) -> None:
    stuck = after(PLAN, SAID, LATE)
    moved = after(stuck, fact)
    agrees = isinstance(fact, Agreed)
    assert moved.state is (S.CREATING_TESTS if agrees else S.PLANNING_APPROACH)
    assert moved.granted(Subject.PLAN) is agrees


def test_who_has_taken_a_case_over_is_not_overruled_by_an_approval_or_a_retry() -> None:
    taken = PLAN.updated(state=S.REQUIRES_HUMAN_INTERVENTION, taken_by="grace")
    assert fits(taken, Agreed(by="ann")) == "nothing waits for an approval"
    with pytest.raises(Refused, match="`handback` lets the agents go on"):
        refuse_misfit(taken, Retry())


def test_an_approval_of_one_thing_is_not_taken_for_another() -> None:
    refuse_misfit(PLAN, Approve(subject=Subject.PLAN))
    with pytest.raises(Refused, match="it waits for another approval by now"):
        refuse_misfit(PLAN, Approve(subject=Subject.SENSITIVE))


# --- words that change nothing


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (WaitingFor.BUDGET, "the case waits for more money: `budget +5`"),
        (WaitingFor.MILESTONE, "the case waits for a word to go on: `approve`"),
        (WaitingFor.MERGE, "`agent/issue-42` waits for a merge"),
        (None, "`agent/issue-42` waits for a merge"),
    ],
)
def test_who_says_thanks_is_told_what_the_case_waits_for(reason: WaitingFor | None, words: str) -> None:
    wait = Wait(reason=reason) if reason is not None else None
    case = a_case(S.WAITING_FOR_HUMAN_INPUT, checkpoint=BASE, wait=wait, waiting_for=reason)
    assert kept(case) == f"kept on the record; {words}"
