"""What an issue case does about the checks of its pull request."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Literal

import pytest

from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.failed_steps import EffectRefused
from caseworker.core.base.policy import Policy
from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.evidence.check_verdict import CheckResult
from caseworker.core.issue import transitions
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.check_moves import MOST_FIXES
from caseworker.core.issue.facts import ChecksSeen, Merged, PullRequestReady, RetryAsked, Spoke
from caseworker.core.issue.posts import IssueAbout
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.issue.words import news_command, standing_of
from caseworker.core.runs.follow import after_move
from caseworker.core.runs.run import RunState
from caseworker.core.telling.tracking_comment import awaited_by
from tests.core.examples import HEAD, MORNING, OTHER, a_proven_case

S = IssueState
POLICY = Policy(checks_settle_seconds=60, checks_look_seconds=30)
WAITS = S.WAITING_FOR_HUMAN_INPUT


def opened(known: Mapping[str, object] | None = None, *, checked: bool = True) -> IssueCase:
    """A case whose pull request was just opened."""
    ready = PullRequestReady(number=7, commit=HEAD, checked=checked)
    return transitions.after(a_proven_case(S.CREATING_PR, **(known or {})), ready, POLICY, MORNING)


def result(state: Literal["pending", "passed", "failed", "missing"], name: str = "test", **more: bool) -> CheckResult:
    return CheckResult(name=name, state=state, signature="s" if state == "failed" else "", **more)


def looked(case: IssueCase, *results: CheckResult, at: datetime = MORNING, **more: object) -> IssueCase:
    fact = ChecksSeen.model_validate({"commit": HEAD, "at": at, "results": results, "feedback": "It broke.", **more})
    return transitions.after_checks(case, fact, POLICY, at)


def test_without_checks_nothing_but_a_merge_is_waited_for() -> None:
    case = opened(checked=False)
    assert (case.reason, case.delivery.checks) == (f"`{case.branch}` is ready; a person merges it.", None)
    assert not transitions.wants_checks(case)
    assert after_move(WorkflowName.IMPLEMENT, case, POLICY).ends is RunState.SUCCEEDED


def test_pending_checks_keep_the_run_going_and_ask_nobody() -> None:
    case = opened()
    assert case.reason == "Pull request 7 is open; it waits for its checks."
    waits = looked(case, result("pending"), result("passed", "lint"))
    assert (waits.state, waits.waits_for, waits.progress.transitions) == (
        WAITS,
        WaitingFor.MERGE,
        case.progress.transitions,
    )
    assert after_move(WorkflowName.IMPLEMENT, waits, POLICY).ends is None
    assert (standing_of(waits), news_command(waits)) == ("waits for its checks: `test`", None)
    awaited = awaited_by(waits, TerminalPhrasing())
    assert awaited is not None
    assert (awaited.what, awaited.who) == (
        "waits for its checks: `test`.",
        "nobody; the checks run on the forge",
    )
    assert awaited_by(waits, TerminalPhrasing(), queued=True) is None, "what was waited for before it was asked for"


def test_green_checks_end_the_run_and_are_told() -> None:
    green = looked(opened(), result("passed", required=True))
    assert green.reason == "Pull request 7 has green checks. A person merges it."
    assert after_move(WorkflowName.IMPLEMENT, green, POLICY).ends is RunState.SUCCEEDED
    assert [post.about for post in green.outbox] == [IssueAbout.PULL_REQUEST, IssueAbout.PULL_REQUEST]
    assert green.outbox[0].key(green.id) != green.outbox[1].key(green.id)
    assert not transitions.wants_checks(green)


def test_a_red_check_goes_back_to_the_developer_and_uses_an_attempt() -> None:
    red = looked(opened(), result("failed"))
    assert (red.state, red.evidence.feedback, red.limits.attempt) == (S.FIXING_ISSUES, "It broke.", 2)
    assert red.reason == "Pull request 7 has failing checks: `test`. Attempt 2 of 3."
    assert after_move(WorkflowName.IMPLEMENT, red, POLICY).ends is None


@pytest.mark.parametrize(
    ("known", "why"),
    [
        ({"attempt": 3}, "All 3 attempts are used."),
        ({"check_fixes": {"s": MOST_FIXES}}, "The same failure came back after 3 fixes."),
    ],
)
def test_a_check_that_stays_red_is_left_to_people(known: dict[str, object], why: str) -> None:
    case = looked(opened(known), result("failed"))
    assert case.state is S.BLOCKED
    assert case.reason == (
        f"Pull request 7 has failing checks: `test`. {why} Another try or a word on how to go on moves it."
    )
    again = transitions.after(case, RetryAsked(by="ann"), POLICY, MORNING)
    assert (again.progress.go, again.limits.attempt, again.limits.check_fixes) == (S.CREATING_PR, 1, {})


ENDS = [
    ("red_on_base", [result("failed", red_on_base=True)], {}, "not repaired here: `test`. A person merges it."),
    ("missing", [result("missing", "gate", required=True)], {}, "that nobody has reported: `gate`."),
    ("none", [], {}, "has no checks: none has reported on its commit. A person merges it."),
    ("moved", [], {"moved": True}, "a newer commit of somebody else's, whose checks are theirs to look after."),
]


@pytest.mark.parametrize(("stands", "results", "more", "words"), ENDS, ids=[row[0] for row in ENDS])
def test_what_nobody_can_repair_is_named_and_ends_the_run(
    stands: str, results: list[CheckResult], more: dict[str, object], words: str
) -> None:
    began = looked(opened(), result("pending"))
    case = looked(began, *results, at=MORNING + timedelta(minutes=5), **more)
    assert case.delivery.checks is not None
    assert (case.state, case.delivery.checks.stands) == (WAITS, stands)
    assert case.reason.endswith(words)
    assert after_move(WorkflowName.IMPLEMENT, case, POLICY).ends is RunState.SUCCEEDED


def test_a_check_that_comes_late_is_still_looked_at() -> None:
    none = looked(looked(opened()), at=MORNING + timedelta(minutes=5))
    assert transitions.wants_checks(none)
    assert transitions.wake_at(none, POLICY) is None
    assert looked(none, result("failed"), at=MORNING + timedelta(hours=1)).state is S.FIXING_ISSUES


def test_results_of_an_earlier_commit_change_nothing() -> None:
    case = opened()
    fact = ChecksSeen(commit=OTHER, at=MORNING, results=(result("failed"),))
    assert transitions.after_checks(case, fact, POLICY, MORNING) == case


def test_looks_become_rarer_the_longer_checks_take() -> None:
    began = looked(opened(), result("pending"))
    assert transitions.wake_at(began, POLICY) == MORNING + timedelta(seconds=30)
    for waited, pause in ((timedelta(minutes=20), timedelta(minutes=5)), (timedelta(hours=9), timedelta(minutes=15))):
        later = looked(began, result("pending"), at=MORNING + waited)
        assert transitions.wake_at(later, POLICY) == MORNING + waited + pause


def test_people_are_heard_while_checks_run() -> None:
    waits = looked(opened(), result("pending"))
    assert transitions.after(waits, Spoke(by="ann"), POLICY, MORNING).state is S.HUMAN_INPUT_RECEIVED
    assert transitions.after(waits, Merged(by="ann"), POLICY, MORNING).state is S.COMPLETED


def test_checks_that_cannot_be_read_need_a_person() -> None:
    refused = EffectRefused(reason="GitHub does not accept the token. Make a new one.")
    case = transitions.after_checks(opened(), refused, POLICY, MORNING)
    assert case.state is S.BLOCKED
    assert case.reason == (
        "The checks of pull request 7 can't be read: GitHub does not accept the token. Make a new one."
    )


def test_while_a_session_looks_after_the_pull_request_its_checks_are_left_alone() -> None:
    case = opened()
    left = looked(case, left_to="acme/shop!7")
    assert (left.state, left.waits_for, left.progress.transitions) == (
        WAITS,
        WaitingFor.MERGE,
        case.progress.transitions,
    )
    assert standing_of(left) == "is looked after by `acme/shop!7`"
    assert transitions.wants_checks(left)
    assert transitions.wake_at(left, POLICY) == MORNING + timedelta(minutes=15)
    later = MORNING + timedelta(hours=2)
    red = looked(left, result("failed"), at=later)
    assert red.state is S.FIXING_ISSUES


def test_what_a_session_has_pushed_is_the_cases_work_from_then_on() -> None:
    left = looked(opened(), left_to="acme/shop!7")
    pushed = looked(left, result("pending"), pushed_since=OTHER)
    assert (pushed.delivery.checkpoint, pushed.delivery.pushed, pushed.waits_for) == (OTHER, OTHER, WaitingFor.MERGE)
    assert transitions.wants_checks(pushed)
    green = looked(pushed, result("passed"), at=MORNING + timedelta(hours=2), commit=OTHER)
    assert green.delivery.checks is not None
    assert (green.delivery.checks.stands, green.delivery.checks.commit) == ("green", OTHER)
