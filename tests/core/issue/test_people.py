"""People step in: takeovers, hand-backs, merges during work, and questions without an answer."""

import pytest

from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.errors import Refused
from caseworker.core.base.failed_steps import TurnGaveUp
from caseworker.core.base.ids import MessageId, SessionId, Sha
from caseworker.core.base.policy import Milestone, Policy
from caseworker.core.base.roles import Role
from caseworker.core.issue.apply import apply_fact
from caseworker.core.issue.case import IssueCase, Wait
from caseworker.core.issue.decide import decide
from caseworker.core.issue.facts import (
    Agreed,
    BranchMoved,
    CloseAsked,
    Fact,
    HandedBack,
    Merged,
    PullRequestReady,
    RerunAsked,
    RetryAsked,
    Spoke,
    TakenOver,
    TimedOut,
    TurnEnded,
)
from caseworker.core.issue.misfits import misfit_of
from caseworker.core.issue.moves import Move, make_move
from caseworker.core.issue.moves_by_people import automatic_move, reopened
from caseworker.core.issue.options import refuse_misfit
from caseworker.core.issue.posts import IssueAbout
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.issue.turns import is_for_a_person
from caseworker.core.issue.words import where_the_work_is
from caseworker.core.outcomes.pm import InterpretOutcome
from caseworker.core.people.commands import MessageKind, Retry
from tests.core.examples import BASE, HEAD, MORNING, OTHER, a_case, a_proven_case, interpreted, told
from tests.world.commands import command_of

S = IssueState
POLICY = Policy()
WAITS = S.WAITING_FOR_HUMAN_INPUT
PARKED = S.REQUIRES_HUMAN_INTERVENTION


def after(case: IssueCase, *facts: Fact) -> IssueCase:
    for fact in facts:
        known = apply_fact(case, fact)
        case = make_move(known, decide(known, fact, POLICY), POLICY, MORNING)
    return case


def passed(case: IssueCase) -> IssueCase:
    """The case after these facts, with automatic moves."""
    while (move := automatic_move(case)) is not None:
        case = make_move(case, move, POLICY, MORNING)
    return case


def pm(outcome: InterpretOutcome, checkpoint: Sha = HEAD) -> TurnEnded:
    return TurnEnded(role=Role.PM, outcome=outcome, checkpoint=checkpoint, session=SessionId("s-1"))


def ready() -> IssueCase:
    return after(a_proven_case(S.CREATING_PR, built=HEAD), PullRequestReady(number=7, commit=HEAD))


def taken(case: IssueCase) -> IssueCase:
    return passed(after(case, TakenOver(by="ann")))


THEIRS = BranchMoved(theirs=OTHER, commit=OTHER)
SAID = (MessageId(4), MessageId(5))


# --- handed back


def test_the_pm_reads_remarks_made_during_a_takeover() -> None:
    back = after(taken(ready()), HandedBack(by="ann", messages=SAID))
    assert (back.state, back.progress.go, back.people.taken_by, back.people.remarks) == (
        S.HUMAN_INPUT_RECEIVED,
        None,
        "",
        SAID,
    )
    assert after(back, pm(interpreted())).state is S.ADDRESSING_FEEDBACK
    assert after(back, pm(interpreted("NO_ACTION"))).waiting.wait == ready().waiting.wait


def test_handing_back_a_pull_request_with_thanks_waits_for_its_merge() -> None:
    back = after(taken(ready()), HandedBack(by="ann"))
    assert (back.progress.go, passed(back).state) == (S.CREATING_PR, S.CREATING_PR)


@pytest.mark.parametrize("waits", [WAITS, S.WAITING_FOR_REQUIREMENTS_CLARIFICATION])
def test_a_case_handed_back_before_it_has_stopped_goes_on(waits: IssueState) -> None:
    left = S.REQUIREMENTS_UNCLEAR if waits is not WAITS else S.REVIEWING_CODE
    asked = a_case(waits, resume=left, wait=Wait(reason=WaitingFor.ANSWER))
    back = after(asked, TakenOver(by="ann"), HandedBack(by="ann"))
    assert (back.progress.go, back.people.taken_by) == (left, "")
    assert passed(back).state not in (PARKED, waits)


def test_a_command_that_comes_while_words_are_to_be_read_is_carried_out() -> None:
    case = a_case(WAITS, resume=S.RECEIVED, wait=Wait(reason=WaitingFor.MILESTONE, then=S.ANALYZING_REQUIREMENTS))
    spoken = after(case, Spoke(by="ann", messages=SAID))
    agrees = Agreed(by="ann", until=Milestone.PLAN)
    assert (spoken.state, misfit_of(spoken, agrees)) == (S.HUMAN_INPUT_RECEIVED, None)
    goes_on = after(spoken, agrees)
    assert (passed(goes_on).state, goes_on.people.until) == (S.ANALYZING_REQUIREMENTS, Milestone.PLAN)
    assert misfit_of(spoken, RerunAsked(by="ann", milestone=Milestone.TRIAGE)) is None
    assert passed(after(spoken, RerunAsked(by="ann", milestone=Milestone.TRIAGE))).limits.round == 2
    assert misfit_of(goes_on, agrees) == "nothing waits for an approval"


def test_work_on_remarks_resumes_with_the_remarks_of_the_takeover() -> None:
    at_it = a_case(S.ADDRESSING_FEEDBACK, pull_request=7, remarks=[3])
    back = after(taken(at_it), HandedBack(by="ann", messages=SAID))
    assert (back.progress.go, back.people.remarks) == (S.ADDRESSING_FEEDBACK, (3, *SAID))


def test_without_a_pull_request_the_resumed_turn_reads_words_else_the_pm() -> None:
    assert after(taken(a_case(S.IMPLEMENTING)), HandedBack(by="ann", messages=SAID)).progress.go is S.IMPLEMENTING
    assert after(taken(a_proven_case(S.CREATING_PR)), HandedBack(by="ann", messages=SAID)).progress.go is None


def test_a_handed_back_case_goes_on_even_if_words_want_nothing() -> None:
    case = a_case(S.REVIEWING_CODE, pull_request=7, built=HEAD, green=HEAD)
    back = after(taken(case), HandedBack(by="ann", messages=SAID), pm(interpreted("NO_ACTION")))
    assert (back.state, back.people.handed_back) == (S.REVIEWING_CODE, False)
    heard = after(a_case(PARKED, resume=S.REVIEWING_CODE), Spoke(by="ann"), pm(interpreted("NO_ACTION")))
    assert heard.state is PARKED


@pytest.mark.parametrize("left", [S.REVIEWING_CODE, S.VALIDATING_SOLUTION, S.CREATING_PR])
def test_pushed_commits_are_tested_before_they_are_reviewed(left: IssueState) -> None:
    back = after(taken(a_proven_case(left, built=HEAD)), HandedBack(by="ann"))
    assert passed(apply_fact(back, THEIRS)).state is S.RUNNING_TESTS
    contradicts = THEIRS.model_copy(update={"conflict": ("cart.py",)})
    fixing = passed(apply_fact(back, contradicts))
    assert fixing.state is S.FIXING_ISSUES
    assert "cart.py" in fixing.evidence.feedback


def test_writing_resumes_with_pushed_commits() -> None:
    back = after(taken(a_case(S.IMPLEMENTING)), HandedBack(by="ann"))
    assert (passed(apply_fact(back, THEIRS)).state, passed(apply_fact(back, THEIRS)).delivery.checkpoint) == (
        S.IMPLEMENTING,
        OTHER,
    )


@pytest.mark.parametrize("reading", [interpreted("NO_ACTION"), interpreted(next="reviewing_code")])
def test_commits_pushed_to_a_pull_request_are_always_tested(
    reading: InterpretOutcome,
) -> None:
    back = apply_fact(after(taken(ready()), HandedBack(by="ann", messages=SAID)), THEIRS)
    assert after(back, pm(reading, OTHER)).state is S.RUNNING_TESTS


@pytest.mark.parametrize(
    ("kind", "text", "wants"),
    [
        (MessageKind.WORDS, "Please say goodbye, too.", True),
        (MessageKind.WORDS, "Thanks!", False),
        (MessageKind.HAND_BACK, "Add a test for goodbye.", True),
        (MessageKind.HAND_BACK, "", False),
        (MessageKind.HAND_BACK, "hand back", False),
        (MessageKind.HAND_BACK, "Thank you all!", False),
        (MessageKind.TAKEOVER, "I'll take it.", False),
    ],
)
def test_requests_are_told_apart_from_thanks_and_bare_commands(kind: MessageKind, text: str, wants: bool) -> None:
    assert command_of(kind, text).wants_something is wants


def test_a_retry_right_after_a_merge_is_refused_with_an_explanation() -> None:
    wait = Wait(reason=WaitingFor.MERGE)
    case = a_case(S.WAITING_FOR_HUMAN_INPUT, pull_request=7, wait=wait.model_dump())
    assert misfit_of(case, RetryAsked(by="bob")) == (
        "it is not stuck, pull request 7 waits for a merge; if it was merged a moment ago, the case is completed as "
        "soon as it is told, and trying it again then opens another one"
    )
    assert misfit_of(a_case(S.IMPLEMENTING, pull_request=7), RetryAsked(by="bob")) == "it is not stuck"


def test_a_retry_does_not_end_another_persons_takeover() -> None:
    had = taken(a_case(S.IMPLEMENTING))
    assert misfit_of(had, RetryAsked(by="bob")) == "ann has taken it over: handing it back lets the agents go on"
    with pytest.raises(Refused, match="What fits: `handback`, `say`, `close`"):
        refuse_misfit(had, Retry(), TerminalPhrasing())


# --- the work of a stopped case


def test_a_stopped_case_puts_its_work_on_the_branch() -> None:
    late = TurnGaveUp(role=Role.TECH_LEAD, reason="60 minutes", limit="time")
    broke = TurnGaveUp(role=Role.TECH_LEAD, reason="no money", limit="budget")
    for stands in (after(a_case(S.REVIEWING_CODE), late), after(a_case(S.REVIEWING_CODE), broke)):
        assert is_for_a_person(stands)
    assert is_for_a_person(taken(a_case(S.IMPLEMENTING)))
    assert is_for_a_person(a_case(S.BLOCKED))
    assert not is_for_a_person(a_case(S.BLOCKED, checkpoint=BASE))
    assert not is_for_a_person(a_case(S.BLOCKED, task="unblock"))
    assert not is_for_a_person(a_case(S.IMPLEMENTING))
    assert not is_for_a_person(a_case(S.BLOCKED, pull_request=7))  # unproven work is not put where people may merge it


def test_the_receipt_of_a_takeover_says_where_the_work_is() -> None:
    told = where_the_work_is(a_case(PARKED))
    assert told == (
        "the work so far is on `agent/issue-42`, and what you commit there is taken in when you hand it back"
    )
    assert "nothing is written yet" in where_the_work_is(a_case(PARKED, checkpoint=BASE))
    assert "the branch is `agent/issue-42`" in where_the_work_is(a_case(PARKED, pull_request=7))


# --- an open pull request


FAILURE = TurnGaveUp(role=Role.PM, reason="the answer was invalid twice")


def test_with_an_open_pull_request_a_failure_parks_the_case() -> None:
    parked = after(ready(), Spoke(by="ann", messages=SAID), FAILURE)
    assert parked.state is PARKED
    assert parked.reason.endswith(
        "invalid twice. Pull request 7 stays as it is: merging or closing it ends the case, another try or a word on "
        "how to go on moves it."
    )
    assert after(parked, Merged(by="ann")).state is S.COMPLETED
    assert after(parked, CloseAsked(by="ann", unmerged=True)).state is S.CLOSED
    assert passed(after(parked, RetryAsked(by="ann"))).state is S.CREATING_PR
    assert after(a_case(S.REVIEWING_CODE), FAILURE).state is S.FAILED


def test_the_transition_limit_does_not_fail_a_case_with_a_pull_request() -> None:
    case = a_case(S.RUNNING_TESTS, transitions=60)
    move = Move(to=S.REVIEWING_CODE, reason="Green.")
    assert make_move(case, move, POLICY, MORNING).state is S.FAILED
    assert make_move(case.updated(pull_request=7), move, POLICY, MORNING).state is PARKED


def test_an_unanswered_question_about_a_pull_request_waits_for_its_merge() -> None:
    asked = after(ready(), Spoke(by="ann", messages=SAID), pm(interpreted("NEEDS_CLARIFICATION")))
    assert (asked.state, asked.waits_for) == (WAITS, WaitingFor.ANSWER)
    assert after(asked, Merged(by="ann")).state is S.COMPLETED
    again = after(asked, Spoke(by="ann"), pm(interpreted("NEEDS_CLARIFICATION")))
    for case in (asked, again):
        late = passed(after(case, TimedOut()))
        assert (late.state, late.waits_for, late.waiting.wait) == (WAITS, WaitingFor.MERGE, ready().waiting.wait)
    dropped = after(asked, Spoke(by="ann"), pm(interpreted("NO_ACTION")))
    assert (dropped.state, dropped.waiting.wait) == (WAITS, ready().waiting.wait)


def test_a_merge_completes_a_blocked_case() -> None:
    blocked = after(ready(), Spoke(by="ann"), pm(interpreted("EXTERNAL_DEPENDENCY")))
    assert (blocked.state, after(blocked, Merged(by="ann")).state) == (S.BLOCKED, S.COMPLETED)


def test_a_reopened_case_has_all_attempts_again() -> None:
    again = reopened(a_case(S.FAILED, flaky=3, test_tries=2, attempt=3, guided=True))
    assert (again.limits.flaky, again.limits.test_tries, again.limits.attempt, again.limits.guided) == (0, 0, 1, False)


def test_remarks_left_open_by_a_merge_are_posted_with_what_to_do() -> None:
    open_then = a_case(S.COMPLETED, pull_request=7)
    assert told(open_then, IssueAbout.LEFT_OPEN, remarks=[("ada", "Please say goodbye, too.\nLoudly.")]) == (
        "Pull request 7 was merged before this was done, and nothing more is done about it here:\n"
        "> ada: Please say goodbye, too.\n\n"
        'If it is still wanted, say so once more (`caseworker say owner/repo/42 "..."`): a new case then follows up on '
        "this one."
    )
