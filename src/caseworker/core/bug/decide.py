"""What a bug case does next: a look into the inbox, a turn's end or a silence in, the case as it is then out.

Everything that is to be said lands in the outbox; who says it and in which words is decided elsewhere.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import CaseId, MessageId
from caseworker.core.base.policy import Policy
from caseworker.core.bug.case import About, BugCase, BugState
from caseworker.core.bug.moves import awaiting_developers, moved, resolved, say, say_to_all
from caseworker.core.bug.receipts import (
    CLOSED,
    HANDED_BACK,
    KEPT_FOR_LATER,
    NOTHING_TAKEN,
    PASSED_ON,
    RESOLUTION_ASKED,
    TAKEN,
)
from caseworker.core.bug.turns import Investigated, Verdict
from caseworker.core.outcomes.bug import BugAction
from caseworker.core.people.commands import MessageKind, Resolution
from caseworker.core.people.messages import SPOKEN, Audience, Claimed, Standing
from caseworker.core.people.receipts import OVER, Settled

S = BugState
TEAM: Final = frozenset({Standing.DEVELOPER, Standing.OWNER})


class Look(BaseModel):
    """What a look into the inbox came to. What is not settled is in the hands of the coming turn."""

    model_config = ConfigDict(frozen=True)

    after: BugCase
    settled: tuple[Settled, ...] = ()


class Ended(BaseModel):
    model_config = ConfigDict(frozen=True)

    action: BugAction
    """The one that was taken."""
    after: BugCase


def look(bug: BugCase, claimed: Sequence[Claimed], policy: Policy, now: datetime) -> Look:
    """Everything in the order it came. What was said before a close is answered for as over; what asks for more after
    it opens the case again, and what follows that is said to an open case."""
    settled: list[Settled] = []
    spoken: list[Claimed] = []
    for message in claimed:
        if message.kind in SPOKEN and not bug.is_over:
            spoken.append(message)
        elif message.kind in SPOKEN and message.reopens:
            bug = _heard_again(bug, message)
            spoken.append(message)
        elif message.kind in SPOKEN:
            settled += _as_over([message])
        else:
            was_open = not bug.is_over
            bug, outcome = _obey(bug, message, policy, now)
            settled.append(Settled(messages=(message.id,), outcome=outcome))
            if was_open and bug.is_over:
                settled += _as_over(spoken)
                spoken = []
    if not spoken:
        return Look(after=bug, settled=tuple(settled))
    bug = _listened(_noted(bug, spoken), spoken)
    if bug.state is S.DEV_TAKEOVER:
        ids = tuple(message.id for message in spoken)
        return Look(after=bug, settled=(*settled, Settled(messages=ids, outcome=KEPT_FOR_LATER)))
    return Look(after=_woken(bug, spoken), settled=tuple(settled))


def _as_over(spoken: Sequence[Claimed]) -> list[Settled]:
    return [Settled(messages=tuple(message.id for message in spoken), outcome=OVER)] if spoken else []


def _obey(bug: BugCase, message: Claimed, policy: Policy, now: datetime) -> tuple[BugCase, str]:
    match message.kind:
        case MessageKind.CLOSE if bug.is_over:
            return bug, OVER
        case MessageKind.CLOSE:
            why = f"closed by @{message.author}"
            return resolved(bug, message.resolution, why, closed_by=message.id), CLOSED
        case MessageKind.CLOSE_INCOMPLETE if not bug.is_over:
            asked = bug.updated(asked_to_close=message.author)
            return say(asked, About.ASKED_TO_CLOSE, Audience.DEVELOPERS, message.id), RESOLUTION_ASKED
        case MessageKind.TAKEOVER if not bug.is_over:
            taken = moved(bug, S.DEV_TAKEOVER, f"{message.author} has taken it", taken_by=message.author)
            return say(taken, About.TAKEN_OVER, Audience.DEVELOPERS, message.id), TAKEN
        case MessageKind.HAND_BACK if bug.state is S.DEV_TAKEOVER:
            back = moved(bug, S.INVESTIGATING, f"{message.author} handed it back", waited_in=S.DEV_TAKEOVER)
            return say(back, About.HANDED_BACK, Audience.DEVELOPERS, message.id), HANDED_BACK
        case MessageKind.HAND_BACK if not bug.is_over:
            return bug, NOTHING_TAKEN
        case MessageKind.FIX_NEWS | MessageKind.FIX_ENDED | MessageKind.FIX_MERGED:
            return _fix_news(bug, message, policy, now), PASSED_ON
        case _:
            return bug, OVER if bug.is_over else "not for a bug case"


def _fix_news(bug: BugCase, message: Claimed, policy: Policy, now: datetime) -> BugCase:
    told = say_to_all(bug, About.FIX_NEWS, message.id)
    if message.kind is MessageKind.FIX_NEWS:
        return told.updated(fix_open=True)
    told = told.updated(fix_open=False)
    if message.kind is MessageKind.FIX_MERGED and not told.is_over:
        return resolved(told, Resolution.CODE_FIX, "the fix was merged")
    # Now it waits for a developer again, with the time-out that a fix under way had suspended.
    return awaiting_developers(told, policy, now) if told.state is S.AWAITING_DEV else told


def _listened(bug: BugCase, spoken: Sequence[Claimed]) -> BugCase:
    """Who has spoken: it decides whether a resolution or a fix may follow."""
    return bug.updated(
        developer_spoke=bug.people.developer_spoke or any(message.standing in TEAM for message in spoken),
        confirmable=bug.people.confirmable
        or (bug.people.findings_posted and any(message.standing is Standing.REPORTER for message in spoken)),
    )


def _noted(bug: BugCase, spoken: Sequence[Claimed]) -> BugCase:
    """One acknowledgement per burst and thread; none to the report itself (it has its own), none while a developer has
    the case and people talk among themselves, none where a follow-up is announced instead."""
    newest = max(message.id for message in spoken)
    fresh = [message for message in spoken if message.id > bug.people.answered]
    bug = bug.updated(answered=MessageId(max(newest, bug.people.answered)))
    if bug.state is S.DEV_TAKEOVER or bug.report.severity is None:
        return bug
    if any(message.standing is Standing.REPORTER for message in fresh):
        bug = say(bug, About.NOTED, Audience.REPORTER, newest)
    if any(message.standing in TEAM for message in fresh) and bug.state is not S.AWAITING_DEV:
        bug = say(bug, About.NOTED, Audience.DEVELOPERS, newest)
    return bug


def acknowledged(bug: BugCase, said: Sequence[Claimed]) -> BugCase:
    """What people said while a turn is at work: answered in the thread at once, read by the turn or after it."""
    spoken = [message for message in said if message.kind in SPOKEN]
    return _noted(bug, spoken) if spoken else bug


def _woken(bug: BugCase, spoken: Sequence[Claimed]) -> BugCase:
    match bug.state:
        case S.AWAITING_REPORTER if any(message.standing is Standing.REPORTER for message in spoken):
            return moved(bug, S.INVESTIGATING, "the reporter answered", waited_in=S.AWAITING_REPORTER)
        case S.AWAITING_DEV:
            who = "a developer" if any(message.standing in TEAM for message in spoken) else "the reporter"
            going_on = moved(bug, S.INVESTIGATING, f"{who} has spoken", waited_in=S.AWAITING_DEV)
            return say(going_on, About.FOLLOW_UP, Audience.DEVELOPERS, bug.progress.turns + 1)
        case _:
            return bug


def _heard_again(bug: BugCase, message: Claimed) -> BugCase:
    """A new round: counters and money go on, what was confirmed in the last one counts no more."""
    opened = moved(bug, S.INVESTIGATING, "somebody spoke after it was resolved", waited_in=S.RESOLVED)
    opened = opened.updated(
        epoch=bug.epoch + 1,
        resolution=None,
        developer_spoke=False,
        findings_posted=False,
        confirmable=False,
        escalated=False,
        asked_to_close="",
        answered=message.id,
        closed_by=None,
        base=None,
    )
    return say_to_all(opened, About.REOPENED, opened.epoch)


# --- the end of a turn


def is_blind(bug: BugCase, turn: int) -> bool:
    """A vague report is asked about before any tool is used; unless somebody has worked on it meanwhile."""
    return bug.report.vague and turn <= 1 and bug.waiting.waited_in is None


def honoured(bug: BugCase, verdict: Verdict) -> BugAction:
    """The action that is taken: a model proposes, facts permit."""
    match verdict.action:
        case BugAction.POST_FINDINGS | BugAction.RESOLVED | BugAction.CREATE_FIX if is_blind(bug, bug.progress.turns):
            return BugAction.ASK_REPORTER  # it had no tools: there is nothing it could have found
        case BugAction.RESOLVED if not (bug.people.developer_spoke or bug.people.confirmable):
            return BugAction.POST_FINDINGS
        case BugAction.CREATE_FIX if not bug.people.developer_spoke:
            return BugAction.POST_FINDINGS  # reporters tell symptoms; fixes are the developers' to ask for
        case BugAction.ASK_REPORTER if bug.waiting.timed_out:
            return BugAction.POST_FINDINGS  # asked, waited for, not answered: developers are next
        case action:
            return action


def after_turn(bug: BugCase, turn: Investigated, policy: Policy, now: datetime) -> Ended:
    """`bug.turns` counts this turn already."""
    bug = _listened(bug, [message for message in turn.heard if message.kind in SPOKEN])
    action = honoured(bug, turn.verdict)
    severity = turn.verdict.severity or bug.report.severity
    bug = bug.updated(session=turn.session, severity=severity, waited_in=None, timed_out=False)
    return Ended(action=action, after=_acted(bug, action, turn.verdict, policy, now))


def _acted(bug: BugCase, action: BugAction, verdict: Verdict, policy: Policy, now: datetime) -> BugCase:
    match action:
        case BugAction.ASK_REPORTER:
            asking = say_to_all(bug, About.QUESTION, bug.progress.turns)
            until = now + timedelta(seconds=policy.reporter_wait_seconds)
            return moved(asking, S.AWAITING_REPORTER, "the reporter was asked", until=until)
        case BugAction.RESOLVED:
            told = say_to_all(bug, About.FINDINGS, bug.progress.turns)
            kinds = {kind.value: kind for kind in Resolution}
            return resolved(
                told, kinds.get(verdict.fix_type, Resolution.NOT_A_BUG), "confirmed, and nothing is left to do"
            )
        case BugAction.POST_FINDINGS | BugAction.ESCALATE | BugAction.CREATE_FIX:
            told = say_to_all(bug, About.FINDINGS, bug.progress.turns).updated(findings_posted=True, confirmable=False)
            if action is BugAction.ESCALATE:
                told = say(told, About.ESCALATION, Audience.DEVELOPERS, bug.progress.turns).updated(escalated=True)
            if action is BugAction.CREATE_FIX:
                told = told.updated(fix_wanted=True, fix_open=True)
            return awaiting_developers(told, policy, now)


def after_failed_turn(bug: BugCase, reason: str, policy: Policy, now: datetime) -> BugCase:
    """A failing turn calls people; it never crashes the case."""
    told = say(bug, About.FAILED_TURN, Audience.DEVELOPERS, bug.progress.turns, note=reason)
    told = say(told, About.ESCALATION, Audience.DEVELOPERS, bug.progress.turns)
    told = say(told, About.FAILED_TURN, Audience.REPORTER, bug.progress.turns)
    told = told.updated(escalated=True, waited_in=None, timed_out=False)
    return awaiting_developers(told, policy, now, reason="a turn failed; people were called")


def fix_opened(bug: BugCase, fix: CaseId) -> BugCase:
    opened = bug.updated(fix=fix, fix_wanted=False)
    return say_to_all(opened, About.FIX_OPENED, bug.progress.turns)


def fix_refused(bug: BugCase, reason: str, policy: Policy, now: datetime) -> BugCase:
    told = bug.updated(fix_wanted=False, fix_open=False)
    told = say(told, About.FIX_REFUSED, Audience.DEVELOPERS, bug.progress.turns, note=reason)
    if told.state is not S.AWAITING_DEV:
        return told  # people have moved it meanwhile
    return awaiting_developers(told, policy, now, reason="the fix could not be begun")


# --- silence


def wake_at(bug: BugCase) -> datetime | None:
    """When silence itself means something."""
    times = [at for at in (bug.waiting.remind_at, bug.waiting.until) if at is not None]
    return min(times) if times else None


def after_silence(bug: BugCase, now: datetime) -> BugCase:
    if bug.waiting.remind_at is not None and now >= bug.waiting.remind_at:
        reminded = bug.updated(remind_at=None)
        return say(reminded, About.REMINDER, Audience.DEVELOPERS, bug.progress.transitions)
    if bug.waiting.until is None or now < bug.waiting.until:
        return bug
    if bug.state is S.AWAITING_REPORTER:
        going_on = say_to_all(bug, About.NO_ANSWER, bug.progress.turns)
        reason = "the reporter did not answer in time; going on without"
        return moved(going_on, S.INVESTIGATING, reason, waited_in=S.AWAITING_REPORTER, timed_out=True)
    return resolved(bug, Resolution.NO_RESPONSE, "nobody responded")


# --- small moves
