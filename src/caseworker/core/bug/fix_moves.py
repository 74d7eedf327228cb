"""The rules of a bug case about the issue case that fixes it: opened, refused, its news, and whether it shall stop."""

from datetime import datetime

from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Policy
from caseworker.core.bug.case import About, BugCase, BugState
from caseworker.core.bug.moves import await_developers, resolve, say, say_to_all
from caseworker.core.bug.receipts import FIX_GOES_ON, FIX_STOPS, STOP_ASKED
from caseworker.core.people.commands import MessageKind, Resolution
from caseworker.core.people.messages import Audience, Claimed

S = BugState


def answered_stop(bug: BugCase, message: Claimed, stop: bool | None) -> tuple[BugCase, str]:
    """A clear answer ends the question; otherwise it is asked again."""
    if stop is None:
        return say(bug, About.STOP_FIX, Audience.DEVELOPERS, message.id), STOP_ASKED
    if stop:
        return bug.updated(stop_asked=False, stopped_by=message.id), FIX_STOPS
    return say(bug.updated(stop_asked=False), About.FIX_GOES_ON, Audience.DEVELOPERS, message.id), FIX_GOES_ON


def fix_news(bug: BugCase, message: Claimed, policy: Policy, now: datetime) -> BugCase:
    """News of a fix is told to all. Once the report is closed, it concerns the developers only."""
    if bug.is_over:
        told = say(bug, About.FIX_NEWS, Audience.DEVELOPERS, message.id)
    else:
        told = say_to_all(bug, About.FIX_NEWS, message.id)
    if message.kind in (MessageKind.FIX_READY, MessageKind.FIX_WAITING):
        return told.updated(fix_open=True)
    told = told.updated(fix_open=False, stop_asked=False)
    if message.kind is MessageKind.FIX_MERGED and not told.is_over:
        return resolve(told, Resolution.CODE_FIX, "the fix was merged")
    # It waits for a developer again, with the time-out that the open fix had suspended.
    return await_developers(told, policy, now, "the fix ended") if told.state is S.AWAITING_DEV else told


def fix_opened(bug: BugCase, fix: CaseId) -> BugCase:
    """A new fix is told to all. Newer findings for a fix that is open already concern the developers only."""
    opened = bug.updated(fix=fix, fix_wanted=False)
    if bug.repair.fix == fix:
        return say(opened, About.FIX_INFORMED, Audience.DEVELOPERS, bug.progress.turns)
    about = About.FIX_OPENED if bug.repair.fix is None else About.ANOTHER_FIX
    return say_to_all(opened, about, bug.progress.turns)


def fix_refused(bug: BugCase, reason: str, policy: Policy, now: datetime) -> BugCase:
    told = bug.updated(fix_wanted=False, fix_open=False)
    told = say(told, About.FIX_REFUSED, Audience.DEVELOPERS, bug.progress.turns, note=reason)
    if told.state is not S.AWAITING_DEV:
        return told  # people have moved the case meanwhile
    return await_developers(told, policy, now, reason="the fix could not be begun")
