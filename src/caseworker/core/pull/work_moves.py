"""What follows from work on a pull request: the end of a turn, a build, an update of the branch, a push. Pure."""

from datetime import datetime
from typing import Final

from caseworker.core.base.ids import Sha
from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Task
from caseworker.core.pull.case import PauseCause, PullCase, PullState, SessionEnd, cap_of
from caseworker.core.pull.pull_events import (
    BranchUpdated,
    HeadMoved,
    NotPossible,
    Published,
    PullBuilt,
    PullTurnEnded,
    PullTurnFailed,
)
from caseworker.core.pull.pull_moves import act, drop_work, end, enter, look_again, pause, say
from caseworker.core.pull.pull_posts import PullAbout

S = PullState
_WARN_AT: Final = 0.8
_MOST_PUSHED: Final = 200
"""Commits of ours that a case remembers."""
_PAUSES: Final = {"budget": PauseCause.BUDGET, "quota": PauseCause.QUOTA, "other": PauseCause.TURN_FAILED}


def after_turn(case: PullCase, ended: PullTurnEnded, policy: Policy, now: datetime) -> PullCase:
    """The case after a completed turn, which `turns` counts already."""
    turn = case.progress.turns
    case = _warn(case, ended.spent_micros, policy).updated(
        sessions={**case.progress.sessions, ended.role.value: ended.session}, spoke=False
    )
    if ended.replies:
        case = say(case, PullAbout.REPLY, turn, turn=turn)
    case = case.updated(answer_turn=turn if ended.posts else case.work.answer_turn)
    if ended.task is Task.REVIEW_PULL:
        return enter(case, S.PUBLISHING, "The findings are posted.", now)
    case = case.updated(checkpoint=ended.checkpoint, tries=_tries(case))
    if ended.checkpoint != case.work.started_from:
        return enter(case, S.BUILDING, "The change is built and tested before it is pushed.", now)
    if ended.status == "BLOCKED":
        return end(case, SessionEnd.BLOCKED, "The developer can't go on.", now, block="refused")
    return enter(case, S.PUBLISHING, "The answers are posted.", now)


def after_failed_turn(case: PullCase, failed: PullTurnFailed, now: datetime) -> PullCase:
    """A turn that can't be run pauses the session: a person, or the time of a reset, lets it go on."""
    return pause(drop_work(case), _PAUSES[failed.why], failed.reason, now, resume_at=failed.resume_at)


def after_build(case: PullCase, built: PullBuilt, policy: Policy, now: datetime) -> PullCase:
    if built.verdict != "red":
        return enter(case, S.PUBLISHING, "The build is green." if built.verdict == "green" else built.reason, now)
    reds = case.work.red_builds + 1
    if reds >= policy.attempts:
        reason = f"The change does not build after {reds} tries: {built.reason}"
        return end(case, SessionEnd.BLOCKED, reason, now, block="build_stays_red")
    return act(case, S.RESOLVING, f"The build is red: {built.reason}", now, red_builds=reds, feedback=built.feedback)


def after_update(case: PullCase, updated: BranchUpdated, now: datetime) -> PullCase:
    case = case.updated(asked_update=False)
    begun = {"started_from": case.sight.head, "base": updated.base}
    match updated.how:
        case "left_alone":
            return enter(case, S.WAITING, "The branch needs no update.", now)
        case "ask_contributor":
            asked = say(case.updated(told_contributor=True), PullAbout.ASK_CONTRIBUTOR, case.epoch)
            return enter(asked, S.WAITING, "The branch is in a fork: its author was asked to update it.", now)
        case "conflict":
            assert updated.conflict is not None, "it is what makes it a conflict"
            reason = f"Conflicts in {', '.join(updated.conflict.files[:5])}."
            solving = {"conflict": updated.conflict, "checkpoint": updated.conflict.prepared}
            return act(case, S.RESOLVING, reason, now, **begun, **solving)
        case "rebased" | "merged":
            words = "rebased onto its base" if updated.how == "rebased" else "joined with its base"
            return enter(case, S.BUILDING, f"The branch was {words}.", now, checkpoint=updated.commit, **begun)


def after_publish(case: PullCase, done: Published, now: datetime) -> PullCase:
    if case.session.workflow == "review":
        return end(case, SessionEnd.DONE, "The review is posted.", now)
    if done.commit is None:
        return look_again(drop_work(case), "The answers are posted.", now)
    pushes = case.work.pushes + 1
    if done.same_change:
        case = say(case, PullAbout.UPDATED, pushes, commit=done.commit, names=done.voided)
    pushed = drop_work(case).updated(
        pushed=(*case.watch.pushed, *done.commits)[-_MOST_PUSHED:],
        pushed_at=done.at,
        head_seen_at=done.at,
        pushes=pushes,
    )
    return look_again(pushed, f"Pushed {done.commit[:10]}.", now)


def after_moved_head(case: PullCase, moved: HeadMoved, now: datetime) -> PullCase:
    """Work on a head that is no longer there is dropped; the next look says who has the branch."""
    return look_again(drop_work(case), f"The head is {moved.head[:10]} now: the work on the old one is dropped.", now)


def after_refusal(case: PullCase, refused: NotPossible, now: datetime) -> PullCase:
    return end(case, SessionEnd.BLOCKED, refused.reason, now, block="refused")


def announce_push(case: PullCase, commit: Sha, voids: tuple[str, ...]) -> PullCase:
    """Say beforehand which approvals a push voids."""
    return say(case, PullAbout.PUSH, case.work.pushes + 1, commit=commit, names=voids) if voids else case


def _tries(case: PullCase) -> dict[str, int]:
    tries = dict(case.fixes.tries)
    for one in case.fixes.failures:
        if one.kind == "ours" and one.commit == case.sight.head:
            tries[one.signature] = tries.get(one.signature, 0) + 1
    return tries


def _warn(case: PullCase, spent_micros: int, policy: Policy) -> PullCase:
    if case.people.warned or spent_micros < _WARN_AT * cap_of(case, policy):
        return case
    return say(case.updated(warned=True), PullAbout.BUDGET_NEAR, case.progress.turns)
