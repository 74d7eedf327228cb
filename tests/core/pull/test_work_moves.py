"""What follows from turns, builds, updates and pushes in a session on a pull request."""

from datetime import timedelta

import pytest

from caseworker.chats.surface_phrasing import ReplyPhrasing
from caseworker.core.base.ids import SessionId, Sha
from caseworker.core.base.roles import Role, Task
from caseworker.core.people.commands import Resume, Stop
from caseworker.core.pull.branch_updates import Conflict
from caseworker.core.pull.case import PauseCause, PullCase, PullState, SessionEnd
from caseworker.core.pull.decide import look
from caseworker.core.pull.next_acts import after_failures, after_silence, wake_at
from caseworker.core.pull.pull_events import (
    BranchUpdated,
    FailuresRead,
    HeadMoved,
    NotPossible,
    Published,
    PullBuilt,
    PullTurnEnded,
    PullTurnFailed,
    WorkKept,
)
from caseworker.core.pull.pull_post_words import PullPostContext, pull_post_words
from caseworker.core.pull.pull_posts import PullAbout
from caseworker.core.pull.unpushed_words import unpushed_words
from caseworker.core.pull.work_moves import (
    after_build,
    after_failed_turn,
    after_keep,
    after_moved_head,
    after_publish,
    after_refusal,
    after_turn,
    after_update,
    announce_push,
)
from tests.core.pull.session_examples import HEAD, NEXT, NOW, POLICY, begun, claimed, failure, later, looked
from tests.core.pull.test_acts import BEHIND, FAILING, THREADS

S = PullState


def _ended(**changes: object) -> PullTurnEnded:
    told = {
        "role": Role.DEVELOPER,
        "task": Task.RESOLVE_PULL,
        "status": "RESOLVED",
        "checkpoint": HEAD,
        "session": SessionId("s"),
        "posts": True,
    }
    return PullTurnEnded.model_validate(told | changes)


def _resolving() -> PullCase:
    return looked(begun(), THREADS).updated(turns=1)


def _built(verdict: str) -> PullBuilt:
    told = {"commit": NEXT, "verdict": verdict, "reason": "`make test` ended", "feedback": "x"}
    return PullBuilt.model_validate(told)


def test_a_change_is_built_before_it_is_pushed() -> None:
    after = after_turn(_resolving(), _ended(checkpoint=NEXT), POLICY, NOW)
    assert (after.state, after.work.checkpoint, after.work.answer_turn) == (S.BUILDING, NEXT, 1)


def test_answers_without_a_change_are_posted_at_once() -> None:
    assert after_turn(_resolving(), _ended(), POLICY, NOW).state is S.PUBLISHING


def test_a_blocked_developer_without_a_change_ends_the_session() -> None:
    after = after_turn(_resolving(), _ended(status="BLOCKED", posts=False), POLICY, NOW)
    assert after.session.end is SessionEnd.BLOCKED


def test_each_turn_on_a_failure_counts_as_a_try() -> None:
    failing = looked(begun(), FAILING)
    read = after_failures(failing, FailuresRead(head=HEAD, failures=(failure(),)), POLICY, NOW)
    after = after_turn(read.updated(turns=1), _ended(checkpoint=NEXT), POLICY, NOW)
    assert after.fixes.tries == {"sig-unit": 1}


@pytest.mark.parametrize(("verdict", "state"), [("green", S.PUBLISHING), ("nothing_to_run", S.PUBLISHING)])
def test_what_builds_is_published(verdict: str, state: PullState) -> None:
    building = after_turn(_resolving(), _ended(checkpoint=NEXT), POLICY, NOW)
    assert after_build(building, _built(verdict), POLICY, NOW).state is state


def test_a_red_build_goes_back_with_its_output_and_ends_the_session_the_third_time() -> None:
    case = after_turn(_resolving(), _ended(checkpoint=NEXT), POLICY, NOW)
    for tries in (1, 2):
        case = after_build(case, _built("red"), POLICY, NOW)
        assert (case.state, case.work.red_builds, case.work.feedback) == (S.RESOLVING, tries, "x")
        case = after_turn(case, _ended(checkpoint=NEXT), POLICY, NOW)
    over = after_build(case, _built("red"), POLICY, NOW)
    assert (over.session.end, over.session.block, over.work.checkpoint) == (SessionEnd.BLOCKED, "build_stays_red", None)


def test_a_push_is_remembered_as_ours_and_looked_at() -> None:
    building = after_turn(_resolving(), _ended(checkpoint=NEXT), POLICY, NOW)
    done = Published(commit=NEXT, commits=(NEXT,), at=later(1))
    after = after_publish(building, done, later(1))
    assert (after.state, after.watch.pushed, after.watch.pushed_at) == (S.LOOKING, (NEXT,), later(1))
    assert after.work.checkpoint is None


def test_approvals_that_a_push_voids_are_named_before_it() -> None:
    for is_certain, words in ((True, "voids"), (False, "may void")):
        [post] = announce_push(_resolving(), NEXT, ("rita",), is_certain=is_certain).outbox
        told = pull_post_words(post, PullPostContext(case=_resolving()), ReplyPhrasing())
        assert told == f"I am about to push {NEXT[:10]}, which {words} the approval of rita."
    assert announce_push(_resolving(), NEXT, (), is_certain=True).outbox == ()


def test_an_update_that_changes_nothing_says_so_and_asks_for_the_approval_again() -> None:
    updating = after_update(looked(begun(), BEHIND), BranchUpdated(how="merged", commit=NEXT, base=HEAD), NOW)
    assert updating.state is S.BUILDING
    done = Published(commit=NEXT, commits=(NEXT,), at=NOW, voided=("rita",), same_change=True)
    after = after_publish(updating, done, NOW)
    assert [(post.about, post.names) for post in after.outbox] == [(PullAbout.UPDATED, ("rita",))]


def test_a_conflict_is_given_to_the_developer_from_the_prepared_commit() -> None:
    third = Sha("c" * 40)
    conflict = Conflict(how="merge", prepared=third, tip=HEAD, other=NEXT, head=HEAD, base=NEXT, files=("a.py",))
    after = after_update(looked(begun(), BEHIND), BranchUpdated(how="conflict", conflict=conflict, base=NEXT), NOW)
    assert (after.state, after.commit, after.work.conflict) == (S.RESOLVING, third, conflict)


def test_work_on_a_head_that_is_gone_is_dropped() -> None:
    building = after_turn(_resolving(), _ended(checkpoint=NEXT), POLICY, NOW)
    after = after_moved_head(building, HeadMoved(head=NEXT), NOW)
    assert (after.state, after.work.checkpoint, after.work.answer_turn) == (S.LOOKING, None, None)


def test_a_refusal_ends_the_session_with_its_reason() -> None:
    after = after_refusal(_resolving(), NotPossible(reason="The branch is protected."), NOW)
    assert (after.session.end, after.reason) == (SessionEnd.BLOCKED, "The branch is protected.")


def test_a_usage_limit_pauses_until_it_is_lifted() -> None:
    failed = PullTurnFailed(reason="the model's usage limit is reached", why="quota", resume_at=later(90))
    paused = after_failed_turn(_resolving(), failed, NOW)
    assert (paused.session.pause, wake_at(paused, POLICY)) == (PauseCause.QUOTA, later(90))
    assert after_silence(paused, POLICY, later(90)).state is S.LOOKING


def test_a_turn_without_money_waits_for_a_person() -> None:
    paused = after_failed_turn(_resolving(), PullTurnFailed(reason="no money", why="budget"), NOW)
    assert (paused.session.pause, wake_at(paused, POLICY)) == (PauseCause.BUDGET, None)


def test_people_are_warned_once_of_a_budget_that_is_nearly_used() -> None:
    near = int(POLICY.budget_micros * 0.85)
    first = after_turn(_resolving(), _ended(spent_micros=near), POLICY, NOW)
    assert [post.about for post in first.outbox] == [PullAbout.BUDGET_NEAR]
    second = after_turn(first, _ended(spent_micros=near + 1), POLICY, NOW)
    assert second.outbox == first.outbox


def test_a_review_is_posted_and_then_done() -> None:
    reading = looked(begun("review"), THREADS).updated(turns=1)
    ended = _ended(role=Role.TECH_LEAD, task=Task.REVIEW_PULL, status="REVIEWED")
    posted = after_turn(reading, ended, POLICY, NOW)
    assert posted.state is S.PUBLISHING
    assert after_publish(posted, Published(at=NOW + timedelta(minutes=1)), NOW).session.end is SessionEnd.DONE


def _with_change() -> PullCase:
    prepared = _resolving().updated(base=Sha("c" * 40))
    return after_turn(prepared, _ended(checkpoint=NEXT), POLICY, NOW)


def test_what_turns_made_is_set_aside_when_the_session_stops() -> None:
    stopped = look(_with_change(), [claimed(Stop())], POLICY, NOW).after
    assert (stopped.work.checkpoint, stopped.rest.unpushed, stopped.rest.unpushed_from) == (None, NEXT, HEAD)
    assert stopped.has_work_to_keep
    assert stopped.unmerged == NEXT


def test_an_update_by_git_alone_is_not_kept() -> None:
    updating = looked(begun(), BEHIND)
    updated = after_update(updating, BranchUpdated(how="merged", commit=NEXT, base=HEAD), NOW)
    assert look(updated, [claimed(Stop())], POLICY, NOW).after.rest.unpushed is None


def test_work_that_no_branch_can_hold_stays_here_and_the_reason_is_told() -> None:
    stopped = look(_with_change(), [claimed(Stop())], POLICY, NOW).after
    refused = after_keep(stopped, NotPossible(reason="agent/pull-7 is protected."))
    assert not refused.has_work_to_keep
    assert refused.unmerged == NEXT
    assert unpushed_words(refused) == (
        "Work that was not pushed could not be put on a branch: agent/pull-7 is protected. "
        "Caseworker keeps it as `bbbbbbbbbbbb`."
    )


def test_work_that_an_interrupted_push_brought_to_the_branch_is_known_as_pushed() -> None:
    stopped = look(_with_change(), [claimed(Stop())], POLICY, NOW).after
    kept = after_keep(stopped, WorkKept(commits=(NEXT,)))
    assert (kept.rest.unpushed, kept.watch.pushed, kept.unmerged) == (None, (NEXT,), None)


def test_a_resumed_session_may_do_the_same_work_again() -> None:
    stopped = look(_resolving(), [claimed(Stop())], POLICY, NOW).after
    resumed = look(stopped, [claimed(Resume())], POLICY, NOW).after
    assert looked(resumed, THREADS).state is S.RESOLVING
