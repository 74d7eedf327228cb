"""What follows from work on a pull request: the end of a turn, a build, an update of the branch, a push. Pure."""

from datetime import datetime
from typing import Final

from caseworker.core.base.ids import Sha
from caseworker.core.base.policy import Policy
from caseworker.core.pull.case import PauseCause, PullCase, PullState, SessionEnd, cap_of
from caseworker.core.pull.pull_events import (
    BranchUpdated,
    HeadMoved,
    NotPossible,
    Published,
    PullBuilt,
    PullTurnEnded,
    PullTurnFailed,
    WorkKept,
)
from caseworker.core.pull.pull_moves import act, drop_work, end, enter, look_again, pause, reply, say, set_aside
from caseworker.core.pull.pull_posts import PullAbout

S = PullState
SAME_CHANGE: Final = "Its change is the same as before."
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
    case = case.updated(
        answer_turn=turn if ended.posts else case.work.answer_turn,
        reply_turn=turn if ended.replies else case.work.reply_turn,
    )
    if case.reading is not None:
        return enter(case, S.PUBLISHING, "The findings are posted.", now)
    by_turn = case.work.by_turn or ended.checkpoint != case.commit
    case = case.updated(checkpoint=ended.checkpoint, tries=_tries(case), by_turn=by_turn)
    if ended.checkpoint != case.work.started_from:
        return enter(case, S.BUILDING, "The change is built and tested before it is pushed.", now)
    if ended.status == "BLOCKED":
        return end(case, SessionEnd.BLOCKED, "The developer can't go on.", now, block="refused")
    return enter(case, S.PUBLISHING, "The answers are posted.", now)


def after_failed_turn(case: PullCase, failed: PullTurnFailed, now: datetime) -> PullCase:
    """Pauses the session until a person resumes it, or until the time at which a limit is reset."""
    return pause(case, _PAUSES[failed.why], failed.reason, now, resume_at=failed.resume_at)


def after_build(case: PullCase, built: PullBuilt, policy: Policy, now: datetime) -> PullCase:
    if built.verdict == "could_not_run":
        return pause(case, PauseCause.NOT_RUN, f"The change can't be tested: {built.reason}", now)
    if built.verdict != "red":
        return enter(case, S.PUBLISHING, "The build is green." if built.verdict == "green" else built.reason, now)
    reds = case.work.red_builds + 1
    if reds >= policy.attempts:
        reason = f"The change does not build after {reds} tries: {built.reason}"
        return end(case, SessionEnd.BLOCKED, reason, now, block="build_stays_red")
    return act(case, S.RESOLVING, f"The build is red: {built.reason}", now, red_builds=reds, feedback=built.feedback)


def after_update(case: PullCase, updated: BranchUpdated, now: datetime) -> PullCase:
    asked = case.people.asked_update
    begun = {"started_from": case.sight.head, "base": updated.base}
    match updated.how:
        case "left_alone":
            if asked is not None:
                case = say(case.updated(asked_update=None), PullAbout.UP_TO_DATE, asked, obeys=(asked,))
            return enter(case, S.WAITING, "The branch needs no update.", now)
        case "ask_contributor":
            done = () if asked is None else (asked,)
            told = case.updated(told_contributor=True, asked_update=None)
            told = say(told, PullAbout.ASK_CONTRIBUTOR, case.epoch, obeys=done)
            return enter(told, S.WAITING, "The branch is in a fork: its author was asked to update it.", now)
        case "conflict":
            assert updated.conflict is not None, "it is what makes it a conflict"
            reason = f"Conflicts in {', '.join(updated.conflict.files[:5])}."
            solving = {"conflict": updated.conflict, "checkpoint": updated.conflict.prepared}
            return act(case, S.RESOLVING, reason, now, **begun, **solving)
        case "rebased" | "merged":
            words = "rebased onto its base" if updated.how == "rebased" else "joined with its base"
            return enter(case, S.BUILDING, f"The branch was {words}.", now, checkpoint=updated.commit, **begun)


def after_publish(case: PullCase, done: Published, now: datetime) -> PullCase:
    case = reply(case, is_pushed=True)
    if case.reading is not None:
        return end(case, SessionEnd.DONE, f"The {case.session.workflow} is posted.", now)
    if done.commit is None:
        return look_again(drop_work(case), "The answers are posted.", now)
    pushes = case.work.pushes + 1
    asked = case.people.asked_update
    if done.same_change or asked is not None:
        case = say(
            case.updated(asked_update=None),
            PullAbout.UPDATED,
            pushes,
            note=SAME_CHANGE if done.same_change else "",
            commit=done.commit,
            names=done.voided,
            obeys=() if asked is None else (asked,),
        )
    if case.work.by_turn:
        case = case.updated(unpushed=None)  # a later turn has done the work again
    pushed = drop_work(case).updated(
        pushed=_with_pushed(case, done.commits),
        pushed_at=done.at,
        head_seen_at=done.at,
        pushes=pushes,
    )
    return look_again(pushed, f"Pushed {done.commit[:10]}.", now)


def after_keep(case: PullCase, kept: WorkKept | NotPossible) -> PullCase:
    """Notes where unpushed work was kept. Changes no state: people are told with the pause or the end."""
    match kept:
        case NotPossible():
            return case.updated(not_kept=kept.reason)
        case WorkKept(branch=""):
            return case.updated(unpushed=None, pushed=_with_pushed(case, kept.commits))
        case WorkKept():
            return case.updated(kept_on=kept.branch)


def after_moved_head(case: PullCase, moved: HeadMoved, now: datetime) -> PullCase:
    """Drops the work, because its head is gone, and looks again: the look shows who has the branch."""
    return look_again(
        drop_work(reply(case)), f"The head is {moved.head[:10]} now: the work on the old one is dropped.", now
    )


def after_withheld_push(case: PullCase, now: datetime) -> PullCase:
    """Keeps the work for people and looks again: the look shows who has the pull request."""
    return look_again(set_aside(case), "A person has decided meanwhile: nothing is pushed.", now)


def after_refusal(case: PullCase, refused: NotPossible, now: datetime) -> PullCase:
    return end(case, SessionEnd.BLOCKED, refused.reason, now, block="refused")


def announce_push(case: PullCase, commit: Sha, voids: tuple[str, ...], *, is_certain: bool) -> PullCase:
    """Tells people before a push which approvals it voids, or may void."""
    if not voids:
        return case
    return say(case, PullAbout.PUSH, case.work.pushes + 1, commit=commit, names=voids, is_certain=is_certain)


def _with_pushed(case: PullCase, commits: tuple[Sha, ...]) -> tuple[Sha, ...]:
    known = case.watch.pushed
    return (*known, *(one for one in commits if one not in known))[-_MOST_PUSHED:]


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
