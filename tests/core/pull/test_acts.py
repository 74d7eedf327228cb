"""What a session does after a look, by the reasons of the verdict."""

from datetime import timedelta

import pytest

from caseworker.core.base.ids import Sha
from caseworker.core.pull.case import Failure, PullCase, PullState, SessionEnd
from caseworker.core.pull.next_acts import after_failures, after_look, after_rerun, to_rerun, wake_at
from caseworker.core.pull.pull_events import FailuresRead, Seen
from caseworker.core.pull.pull_facts import Decided
from caseworker.core.pull.pull_posts import PullAbout
from caseworker.core.pull.reasons import Reason, ReasonKind
from caseworker.core.pull.verdict import Verdict
from tests.core.pull.session_examples import HEAD, NEXT, NOW, POLICY, begun, failure, later, looked, reason, seen

R = ReasonKind
S = PullState
WAITS = {"mover": "service", "act": "wait"}

BEHIND = reason(R.BEHIND_BASE, act="update_branch")
FORK_BEHIND = reason(R.BEHIND_BASE, mover="author", act="update_branch")
FAILING = reason(R.FAILING_CHECKS)
FORK_FAILING = reason(R.FAILING_CHECKS, mover="author")
PENDING = reason(R.PENDING_CHECKS, mover="service", act="wait", since=NOW)
NOT_BEGUN = reason(R.PENDING_CHECKS, mover="service", act="wait")
OLD_PENDING = reason(R.PENDING_CHECKS, mover="service", act="wait", since=NOW - timedelta(hours=1))
MERGE_UNKNOWN = reason(R.MERGEABLE_PENDING, mover="service", act="wait")
CHANGES = reason(R.CHANGES_REQUESTED)
CHANGES_ANSWERED = reason(R.CHANGES_REQUESTED, mover="reviewer", act="ask_person")
THREADS = reason(R.OPEN_THREADS)
THREADS_ANSWERED = reason(R.OPEN_THREADS, mover="reviewer", act="ask_person")
REVIEW = reason(R.REVIEW_REQUIRED, mover="reviewer", act="ask_person")
DRAFT = reason(R.DRAFT, mover="author", act="ask_person")
BARRIER = reason(R.REVIEW_BARRIER, mover="nobody", act="wait")
HELD = reason(R.CI_AWAITING_APPROVAL, mover="maintainer", act="ask_person")
MISSING = reason(R.CHECK_MISSING, mover="maintainer", act="ask_person")
UNEXPLAINED = reason(R.BLOCKED_UNEXPLAINED, mover="maintainer", act="ask_person")
TAKEN = reason(R.HUMAN_TOOK_OVER, mover="author", act="stop")


@pytest.mark.parametrize(
    ("reasons", "state"),
    [
        ((BEHIND,), S.UPDATING),
        ((FORK_BEHIND,), S.WAITING),
        ((FAILING,), S.READING_FAILURES),
        ((FAILING, PENDING), S.WAITING),
        ((FAILING, OLD_PENDING), S.READING_FAILURES),
        ((FAILING, NOT_BEGUN), S.READING_FAILURES),
        ((FORK_FAILING,), S.WAITING),
        ((PENDING,), S.WAITING),
        ((MERGE_UNKNOWN,), S.WAITING),
        ((CHANGES,), S.RESOLVING),
        ((CHANGES_ANSWERED,), S.WAITING),
        ((THREADS,), S.RESOLVING),
        ((THREADS, PENDING), S.RESOLVING),
        ((THREADS_ANSWERED,), S.WAITING),
        ((BARRIER,), S.WAITING),
        ((HELD,), S.WAITING),
        ((MISSING,), S.WAITING),
        ((UNEXPLAINED,), S.WAITING),
        ((BEHIND, FAILING, THREADS), S.UPDATING),
        ((FAILING, THREADS), S.READING_FAILURES),
        ((REVIEW, BARRIER), S.WAITING),
    ],
    ids=lambda value: "+".join(one.kind for one in value) if isinstance(value, tuple) else str(value),
)
def test_what_a_ship_session_does_about_each_verdict(reasons: tuple[Reason, ...], state: PullState) -> None:
    assert looked(begun("ship"), *reasons).state is state


@pytest.mark.parametrize("reasons", [(), (REVIEW,), (DRAFT,), (REVIEW, DRAFT)])
def test_a_ship_session_ends_ready_when_only_people_are_left(reasons: tuple[Reason, ...]) -> None:
    after = looked(begun("ship"), *reasons)
    assert after.session.end is SessionEnd.READY
    assert [post.about for post in after.outbox] == [PullAbout.ENDED]


@pytest.mark.parametrize(
    ("reasons", "end"),
    [
        ((), SessionEnd.DONE),
        ((REVIEW, DRAFT, BARRIER), SessionEnd.DONE),
        ((THREADS_ANSWERED,), SessionEnd.INCOMPLETE),
        ((MISSING,), SessionEnd.INCOMPLETE),
        ((HELD,), SessionEnd.INCOMPLETE),
        ((PENDING,), None),
        ((FAILING,), None),
    ],
)
def test_a_resolve_run_succeeds_only_if_nothing_is_outstanding(
    reasons: tuple[Reason, ...], end: SessionEnd | None
) -> None:
    assert looked(begun("resolve"), *reasons).session.end is end


def test_a_review_reads_the_change_whatever_the_verdict_is() -> None:
    assert looked(begun("review"), FAILING, THREADS).state is S.REVIEWING


@pytest.mark.parametrize(
    ("outcome", "end"),
    [("merged", SessionEnd.MERGED), ("closed", SessionEnd.CLOSED), ("decided", SessionEnd.TAKEN_OVER)],
)
def test_what_a_person_decided_ends_the_session(outcome: str, end: SessionEnd) -> None:
    found = {"outcome": outcome, "head": HEAD, "looked_at": NOW}
    decided = Decided(how="auto_merge", by="grace") if outcome == "decided" else None
    verdict = Verdict.model_validate(found | {"decided": decided})
    seen = Seen(verdict=verdict, head_branch="fix", base_branch="main", is_fork=False)
    assert after_look(begun(), seen, POLICY, NOW).session.end is end


def test_a_push_of_a_person_ends_the_session_before_anything_else() -> None:
    after = looked(begun(), TAKEN, BEHIND, FAILING, THREADS)
    assert after.session.end is SessionEnd.TAKEN_OVER


def test_the_head_at_the_beginning_is_adopted() -> None:
    assert looked(begun(), PENDING).watch.baseline == HEAD


def test_the_deadline_ends_a_session_that_waits() -> None:
    waiting = looked(begun(seconds=3_600), PENDING)
    assert wake_at(waiting, POLICY) == NOW + timedelta(seconds=POLICY.pull_look_seconds)
    assert looked(waiting, PENDING, now=later(61)).session.end is SessionEnd.DEADLINE


def test_pauses_between_looks_grow_while_nothing_changes_and_shrink_with_news() -> None:
    case = looked(begun(), PENDING)
    pauses = []
    for _ in range(8):
        case = looked(case, PENDING)
        wakes = wake_at(case, POLICY)
        assert wakes is not None
        pauses.append((wakes - NOW).total_seconds())
    assert pauses == [120, 240, 480, 960, 1_800, 1_800, 1_800, 1_800]
    news = wake_at(looked(case, HELD), POLICY)
    assert news == NOW + timedelta(seconds=60)


def test_it_looks_when_a_reason_passes_by_itself() -> None:
    passing = NOT_BEGUN.model_copy(update={"until": later(3)})
    case = begun()
    for _ in range(8):
        case = looked(case, passing)
    assert wake_at(case, POLICY) == later(3)


def test_to_go_on_waiting_for_the_same_is_no_move() -> None:
    first = looked(begun(), PENDING)
    second = looked(first, PENDING, now=later(1))
    assert second.progress.transitions == first.progress.transitions
    assert second.sight.looked_at == later(1)


def test_a_wait_for_something_else_is_a_move_whatever_its_reason_says() -> None:
    waits = looked(begun(), PENDING)
    other = looked(waits.updated(reason="It waits: review barrier."), BARRIER, REVIEW, now=later(1))
    assert (other.progress.transitions, other.progress.waits_on) == (waits.progress.transitions + 1, R.REVIEW_BARRIER)


def test_fifty_acts_block_the_session() -> None:
    tired = begun().updated(iterations=POLICY.ship_iterations)
    after = looked(tired, THREADS)
    assert (after.session.end, after.session.block) == (SessionEnd.BLOCKED, "iterations")


def test_too_many_minutes_of_ci_block_the_session() -> None:
    costly = seen(PENDING).model_copy(update={"ci_minutes": POLICY.ci_minutes})
    after = after_look(begun(), costly, POLICY, NOW)
    assert (after.session.end, after.session.block) == (SessionEnd.BLOCKED, "ci_minutes")


def test_a_turn_that_changed_nothing_is_not_paid_for_twice() -> None:
    first = looked(begun(), THREADS)
    again = looked(first.updated(started_from=None, state=S.LOOKING), THREADS)
    assert (first.state, again.session.end, again.session.block) == (S.RESOLVING, SessionEnd.BLOCKED, "no_progress")


def test_news_allow_another_turn() -> None:
    first = looked(begun(), THREADS)
    newer = reason(R.OPEN_THREADS, since=later(1))
    assert looked(first.updated(started_from=None, state=S.LOOKING), newer).state is S.RESOLVING


def test_the_contributor_of_a_fork_is_asked_once() -> None:
    first = looked(begun(), FORK_BEHIND)
    assert [post.about for post in first.outbox] == [PullAbout.ASK_CONTRIBUTOR]
    assert looked(first, FORK_BEHIND).outbox == first.outbox


# --- failed checks


def _read(case: PullCase, *failures: Failure) -> PullCase:
    return after_failures(case, FailuresRead(head=HEAD, failures=failures), POLICY, NOW)


def _failing(*others: Reason) -> PullCase:
    return looked(begun(), FAILING, *others)


def test_a_failure_of_ours_is_given_to_the_developer() -> None:
    after = _read(_failing(), failure())
    assert (after.state, after.work.started_from) == (S.RESOLVING, HEAD)


@pytest.mark.parametrize("kind", ["flake", "infrastructure"])
def test_flakes_and_broken_runs_are_started_again_and_not_fixed(kind: str) -> None:
    read = _read(_failing(), failure(kind=kind))
    assert read.state is S.READING_FAILURES
    again = to_rerun(read)
    assert [one.check for one in again] == ["unit"]
    after = after_rerun(read, again, NOW)
    assert (after.state, after.fixes.flakes) == (S.WAITING, {"unit": 1} if kind == "flake" else {})


def test_a_check_is_started_again_twice_at_most_on_one_commit() -> None:
    case = _failing()
    for _ in range(2):
        case = _read(case, failure(kind="flake"))
        case = after_rerun(case, to_rerun(case), NOW)
    after = _read(case, failure(kind="flake"))
    assert after.session.end is SessionEnd.BLOCKED


def test_a_flake_beside_a_failure_of_ours_waits_for_the_fix() -> None:
    after = _read(_failing(), failure("unit"), failure("lint", kind="flake"))
    assert after.state is S.RESOLVING
    assert to_rerun(after) == ()


def test_what_is_red_on_the_base_is_named_and_not_fixed() -> None:
    after = _read(_failing(), failure(kind="red_on_base"))
    assert (after.session.end, after.session.block) == (SessionEnd.BLOCKED, "base_is_red")
    assert "unit" in after.reason


def test_threads_are_answered_also_if_the_base_is_red() -> None:
    assert _read(_failing(THREADS), failure(kind="red_on_base")).state is S.RESOLVING


@pytest.mark.parametrize(
    ("reasons", "state"),
    [
        ((FAILING,), S.READING_FAILURES),
        ((FAILING, BEHIND, THREADS), S.READING_FAILURES),
        ((FAILING, PENDING), S.RESOLVING),
        ((FORK_FAILING,), S.RESOLVING),
        ((BEHIND,), S.RESOLVING),
        ((PENDING,), S.RESOLVING),
    ],
    ids=lambda value: "+".join(one.kind for one in value) if isinstance(value, tuple) else str(value),
)
def test_failed_checks_are_read_before_the_words_of_people_are_answered(
    reasons: tuple[Reason, ...], state: PullState
) -> None:
    assert looked(begun("ship").updated(spoke=True), *reasons).state is state


@pytest.mark.parametrize("kind", ["ours", "flake", "red_on_base"])
def test_words_of_people_are_answered_in_the_turn_that_gets_the_failures(kind: str) -> None:
    tried = _failing().updated(spoke=True, tries={"sig-unit": POLICY.fixes_per_failure})
    after = _read(tried, failure(kind=kind))
    assert (after.state, after.fixes.failures) == (S.RESOLVING, (failure(kind=kind),))


def test_the_same_failure_is_fixed_three_times_at_most() -> None:
    tried = _failing().updated(tries={"sig-unit": POLICY.fixes_per_failure})
    after = _read(tried, failure())
    assert (after.session.end, after.session.block) == (SessionEnd.BLOCKED, "fixes")


def test_a_failure_that_comes_back_after_a_fix_ends_the_session() -> None:
    fixed = _read(_failing(), failure()).updated(started_from=None)
    green = looked(fixed, REVIEW, BARRIER, head=NEXT)
    assert green.fixes.cleared == {"sig-unit": NEXT}
    third = Sha("c" * 40)
    back = after_failures(
        looked(green, FAILING, head=third), FailuresRead(head=third, failures=(failure(commit=third),)), POLICY, NOW
    )
    assert (back.session.end, back.session.block) == (SessionEnd.BLOCKED, "came_back")
    assert NEXT[:10] in back.reason
