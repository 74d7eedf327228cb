"""Steps that many decisions of a bug case share: enter a state, wait, resolve, post."""

from datetime import datetime, timedelta

from caseworker.core.base.ids import MessageId
from caseworker.core.base.policy import Policy
from caseworker.core.bug.case import About, BugCase, BugPost, BugState
from caseworker.core.people.commands import Resolution
from caseworker.core.people.messages import NO_MESSAGE, Audience

S = BugState


def enter(bug: BugCase, to: BugState, reason: str, **changes: object) -> BugCase:
    """Enters a state, and resets the fields that belong to the previous one."""
    reset: dict[str, object] = {"until": None, "remind_at": None, "taken_by": "", "cure": False}
    into = {"state": to, "reason": reason, "transitions": bug.progress.transitions + 1}
    return bug.updated(**{**reset, **into, **changes})


def await_developers(bug: BugCase, policy: Policy, now: datetime, reason: str) -> BugCase:
    """Waits for developers. Silence resolves the case only if nobody was called and no fix is open."""
    held = bug.people.escalated or bug.repair.fix_open
    until = None if held else now + timedelta(seconds=policy.developer_wait_seconds)
    remind_at = now + timedelta(seconds=policy.reminder_seconds)
    return enter(bug, S.AWAITING_DEV, reason, until=until, remind_at=remind_at)


def resolve(bug: BugCase, resolution: Resolution | None, reason: str, *, closed_by: MessageId | None = None) -> BugCase:
    over = enter(
        bug,
        S.RESOLVED,
        reason,
        resolution=resolution,
        closed_by=closed_by,
        asked_to_close="",
        close_reason=None,
        fix_open=bug.repair.fix_open and not bug.repair.fix_wanted,  # a fix that was not opened yet won't be
        fix_wanted=False,
    )
    return say_to_all(over, About.RESOLVED, over.epoch)


def say(
    bug: BugCase,
    about: About,
    audience: Audience,
    number: int,
    *,
    note: str = "",
    acknowledges: tuple[MessageId, ...] = (),
    since: MessageId = NO_MESSAGE,
) -> BugCase:
    is_end = about is About.RESOLVED
    post = BugPost(
        about=about,
        audience=audience,
        epoch=bug.epoch,
        number=number,
        acknowledges=acknowledges,
        note=bug.reason if is_end else note[:1_000],
        resolution=bug.ending.resolution if is_end else None,
        closed_by_message=is_end and bug.ending.closed_by is not None,
        since=since,
    )
    return bug.model_copy(update={"outbox": (*bug.outbox, post)})


def say_to_all(bug: BugCase, about: About, number: int) -> BugCase:
    return say(say(bug, about, Audience.REPORTER, number), about, Audience.DEVELOPERS, number)


def without_post(bug: BugCase, post: BugPost, policy: Policy, now: datetime) -> BugCase:
    """Removes a sent post. People have the whole wait from when they were told, even if the surface was slow."""
    left = tuple(other for other in bug.outbox if other != post)
    changes: dict[str, object] = {"outbox": left}
    if post.about is About.QUESTION and bug.state is S.AWAITING_REPORTER and bug.waiting.until is not None:
        changes["until"] = now + timedelta(seconds=policy.reporter_wait_seconds)
    if (
        post.about in (About.FINDINGS, About.OPEN_QUESTION)
        and bug.state is S.AWAITING_DEV
        and bug.waiting.remind_at is not None
    ):
        changes["remind_at"] = now + timedelta(seconds=policy.reminder_seconds)
        if bug.waiting.until is not None:
            changes["until"] = now + timedelta(seconds=policy.developer_wait_seconds)
    return bug.updated(**changes)
