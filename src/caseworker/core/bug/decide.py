"""The rules of a bug case: what messages, the end of a turn, and silence change in it.

Posts go into the outbox. Their text is made elsewhere, when they are sent.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import CaseId, MessageId
from caseworker.core.base.policy import Policy
from caseworker.core.bug.case import About, BugCase, BugState
from caseworker.core.bug.moves import await_developers, enter, resolve, say, say_to_all
from caseworker.core.bug.receipts import (
    CLOSED,
    HANDED_BACK,
    KEPT_FOR_LATER,
    NOTHING_TAKEN,
    PASSED_ON,
    RESOLUTION_ASKED,
    TAKEN,
)
from caseworker.core.bug.relays import relay
from caseworker.core.bug.turns import Investigated, Verdict
from caseworker.core.outcomes.bug import BugAction
from caseworker.core.people.commands import CloseIncomplete, MessageKind, Resolution
from caseworker.core.people.messages import SPOKEN, Audience, Claimed, Standing
from caseworker.core.people.receipts import OVER, Settled

S = BugState
TEAM: Final = frozenset({Standing.DEVELOPER, Standing.OWNER})


class Look(BaseModel):
    """The result of reading the inbox. Messages that are not settled go to the next turn."""

    model_config = ConfigDict(frozen=True)

    after: BugCase
    settled: tuple[Settled, ...] = ()


class Ended(BaseModel):
    model_config = ConfigDict(frozen=True)

    action: BugAction
    """The action that was taken, which may differ from the proposed one."""
    after: BugCase


def look(bug: BugCase, claimed: Sequence[Claimed], policy: Policy, now: datetime) -> Look:
    """Handles messages in the order they came.

    Words before a close are settled as too late. Words after it that ask for more reopen the case, and later messages
    then go to an open case."""
    settled: list[Settled] = []
    spoken: list[Claimed] = []
    for message in claimed:
        if message.kind in SPOKEN and not bug.is_over:
            spoken.append(message)
        elif message.kind in SPOKEN and message.reopens:
            bug = _reopen(bug, message)
            spoken.append(message)
        elif message.kind in SPOKEN:
            settled += _settle_as_over([message])
        else:
            was_open = not bug.is_over
            bug, outcome = _carry_out_command(bug, message, policy, now)
            settled.append(Settled(messages=(message.id,), outcome=outcome))
            if was_open and bug.is_over:
                settled += _settle_as_over(spoken)
                spoken = []
    if not spoken:
        return Look(after=bug, settled=tuple(settled))
    bug = _note_speakers(_acknowledge(relay(bug, spoken), spoken), spoken)
    if bug.state is S.DEV_TAKEOVER:
        ids = tuple(message.id for message in spoken)
        return Look(after=bug, settled=(*settled, Settled(messages=ids, outcome=KEPT_FOR_LATER)))
    return Look(after=_wake(bug, spoken), settled=tuple(settled))


def _settle_as_over(spoken: Sequence[Claimed]) -> list[Settled]:
    return [Settled(messages=tuple(message.id for message in spoken), outcome=OVER)] if spoken else []


def _carry_out_command(bug: BugCase, message: Claimed, policy: Policy, now: datetime) -> tuple[BugCase, str]:
    match message.kind:
        case MessageKind.CLOSE if bug.is_over:
            return bug, OVER
        case MessageKind.CLOSE:
            closed = _close(bug, message, message.id)
            if message.standing is Standing.REPORTER and closed.repair.fix and closed.repair.fix_open:
                closed = say(closed, About.STOP_FIX, Audience.DEVELOPERS, message.id)
            return closed, CLOSED
        case MessageKind.CLOSE_INCOMPLETE if not bug.is_over:
            return _close_incomplete(bug, message)
        case MessageKind.TAKEOVER if not bug.is_over:
            taken = enter(bug, S.DEV_TAKEOVER, f"{message.author} has taken it", taken_by=message.author)
            return say(taken, About.TAKEN_OVER, Audience.DEVELOPERS, message.id), TAKEN
        case MessageKind.HAND_BACK if bug.state is S.DEV_TAKEOVER:
            back = enter(bug, S.INVESTIGATING, f"{message.author} handed it back", waited_in=S.DEV_TAKEOVER)
            return say(back, About.HANDED_BACK, Audience.DEVELOPERS, message.id), HANDED_BACK
        case MessageKind.HAND_BACK if not bug.is_over:
            return bug, NOTHING_TAKEN
        case MessageKind.FIX_NEWS | MessageKind.FIX_ENDED | MessageKind.FIX_MERGED:
            return _fix_news(bug, message, policy, now), PASSED_ON
        case _:
            return bug, OVER if bug.is_over else "not for a bug case"


def _close(bug: BugCase, message: Claimed, closed_by: MessageId) -> BugCase:
    return resolve(bug, message.resolution, f"closed by @{message.author}", closed_by=closed_by)


def _close_incomplete(bug: BugCase, message: Claimed) -> tuple[BugCase, str]:
    """Asks for what is missing. A person who gave the reason before only has to name the type."""
    reason = bug.people.close_reason if bug.people.asked_to_close == message.author else None
    if reason is not None and message.resolution is not None:
        return _close(bug, message, reason), CLOSED
    explained = isinstance(message.command, CloseIncomplete) and message.command.explained
    asked = bug.updated(asked_to_close=message.author, close_reason=message.id if explained else reason)
    return say(asked, About.ASKED_TO_CLOSE, Audience.DEVELOPERS, message.id), RESOLUTION_ASKED


def _fix_news(bug: BugCase, message: Claimed, policy: Policy, now: datetime) -> BugCase:
    told = say_to_all(bug, About.FIX_NEWS, message.id)
    if message.kind is MessageKind.FIX_NEWS:
        return told.updated(fix_open=True)
    told = told.updated(fix_open=False)
    if message.kind is MessageKind.FIX_MERGED and not told.is_over:
        return resolve(told, Resolution.CODE_FIX, "the fix was merged")
    # It waits for a developer again, with the time-out that the open fix had suspended.
    return await_developers(told, policy, now) if told.state is S.AWAITING_DEV else told


def _note_speakers(bug: BugCase, spoken: Sequence[Claimed]) -> BugCase:
    """Notes who has spoken, which decides whether a resolution or a fix is permitted."""
    return bug.updated(
        developer_spoke=bug.people.developer_spoke or any(message.standing in TEAM for message in spoken),
        confirmable=bug.people.confirmable
        or (bug.people.findings_posted and any(message.standing is Standing.REPORTER for message in spoken)),
    )


def _acknowledge(bug: BugCase, spoken: Sequence[Claimed]) -> BugCase:
    """Posts one acknowledgement per burst of messages and thread.

    None for the report itself (it has its own), none while a developer has the case and people talk to each other, and
    none if a follow-up is announced instead."""
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


def acknowledge_during_turn(bug: BugCase, said: Sequence[Claimed]) -> BugCase:
    """Acknowledges messages that arrive during a turn at once; the turn, or the next one, reads them."""
    spoken = [message for message in said if message.kind in SPOKEN]
    return _acknowledge(relay(bug, spoken), spoken) if spoken else bug


def _wake(bug: BugCase, spoken: Sequence[Claimed]) -> BugCase:
    match bug.state:
        case S.AWAITING_REPORTER if any(message.standing is Standing.REPORTER for message in spoken):
            return enter(bug, S.INVESTIGATING, "the reporter answered", waited_in=S.AWAITING_REPORTER)
        case S.AWAITING_DEV:
            who = "a developer" if any(message.standing in TEAM for message in spoken) else "the reporter"
            going_on = enter(bug, S.INVESTIGATING, f"{who} has spoken", waited_in=S.AWAITING_DEV)
            return say(going_on, About.FOLLOW_UP, Audience.DEVELOPERS, bug.progress.turns + 1)
        case _:
            return bug


def _reopen(bug: BugCase, message: Claimed) -> BugCase:
    """Reopens the case: counters and costs go on, confirmations of the last round no longer count."""
    opened = enter(bug, S.INVESTIGATING, "somebody spoke after it was resolved", waited_in=S.RESOLVED)
    opened = opened.updated(
        epoch=bug.epoch + 1,
        resolution=None,
        developer_spoke=False,
        findings_posted=False,
        confirmable=False,
        escalated=False,
        asked_to_close="",
        close_reason=None,
        answered=message.id,
        closed_by=None,
        base=None,
    )
    return say_to_all(opened, About.REOPENED, opened.epoch)


# --- the end of a turn


def is_without_tools(bug: BugCase, turn: int) -> bool:
    """Whether this turn has no tools: the first turn on a vague report only asks, unless work on it has begun."""
    return bug.report.vague and turn <= 1 and bug.waiting.waited_in is None


def permitted_action(bug: BugCase, verdict: Verdict) -> BugAction:
    """The action to take: the proposed one, or another if the facts don't permit it."""
    no_tools = is_without_tools(bug, bug.progress.turns)
    match verdict.action:
        case BugAction.POST_FINDINGS | BugAction.RESOLVED | BugAction.CREATE_FIX if no_tools:
            return BugAction.ASK_REPORTER  # without tools it can have found nothing
        case BugAction.RESOLVED if not (bug.people.developer_spoke or bug.people.confirmable):
            return BugAction.POST_FINDINGS
        case BugAction.CREATE_FIX if not bug.people.developer_spoke:
            return BugAction.POST_FINDINGS  # only developers may ask for a fix; reporters describe symptoms
        case BugAction.ASK_REPORTER if bug.waiting.timed_out:
            return BugAction.POST_FINDINGS  # the reporter did not answer in time: developers are next
        case action:
            return action


def after_turn(bug: BugCase, turn: Investigated, policy: Policy, now: datetime) -> Ended:
    """The case after a turn. `bug.progress.turns` already counts it."""
    bug = _note_speakers(bug, [message for message in turn.heard if message.kind in SPOKEN])
    action = permitted_action(bug, turn.verdict)
    severity = turn.verdict.severity or bug.report.severity
    bug = bug.updated(session=turn.session, severity=severity, waited_in=None, timed_out=False)
    return Ended(action=action, after=_carry_out(bug, action, turn.verdict, policy, now))


def _carry_out(bug: BugCase, action: BugAction, verdict: Verdict, policy: Policy, now: datetime) -> BugCase:
    match action:
        case BugAction.ASK_REPORTER:
            asking = say_to_all(bug, About.QUESTION, bug.progress.turns)
            until = now + timedelta(seconds=policy.reporter_wait_seconds)
            return enter(asking, S.AWAITING_REPORTER, "the reporter was asked", until=until)
        case BugAction.RESOLVED:
            told = say_to_all(bug, About.FINDINGS, bug.progress.turns)
            kinds = {kind.value: kind for kind in Resolution}
            return resolve(
                told, kinds.get(verdict.fix_type, Resolution.NOT_A_BUG), "confirmed, and nothing is left to do"
            )
        case BugAction.POST_FINDINGS | BugAction.ESCALATE | BugAction.CREATE_FIX:
            told = say_to_all(bug, About.FINDINGS, bug.progress.turns).updated(findings_posted=True, confirmable=False)
            if action is BugAction.ESCALATE:
                told = say(told, About.ESCALATION, Audience.DEVELOPERS, bug.progress.turns).updated(escalated=True)
            if action is BugAction.CREATE_FIX:
                told = told.updated(fix_wanted=True, fix_open=True)
            return await_developers(told, policy, now)


def after_failed_turn(bug: BugCase, reason: str, policy: Policy, now: datetime) -> BugCase:
    """The case after a failed turn: people are called, the case goes on."""
    told = say(bug, About.FAILED_TURN, Audience.DEVELOPERS, bug.progress.turns, note=reason)
    told = say(told, About.ESCALATION, Audience.DEVELOPERS, bug.progress.turns)
    told = say(told, About.FAILED_TURN, Audience.REPORTER, bug.progress.turns)
    told = told.updated(escalated=True, waited_in=None, timed_out=False)
    return await_developers(told, policy, now, reason="a turn failed; people were called")


def fix_opened(bug: BugCase, fix: CaseId) -> BugCase:
    opened = bug.updated(fix=fix, fix_wanted=False)
    return say_to_all(opened, About.FIX_OPENED, bug.progress.turns)


def fix_refused(bug: BugCase, reason: str, policy: Policy, now: datetime) -> BugCase:
    told = bug.updated(fix_wanted=False, fix_open=False)
    told = say(told, About.FIX_REFUSED, Audience.DEVELOPERS, bug.progress.turns, note=reason)
    if told.state is not S.AWAITING_DEV:
        return told  # people have moved the case meanwhile
    return await_developers(told, policy, now, reason="the fix could not be begun")


# --- silence


def wake_at(bug: BugCase) -> datetime | None:
    """The next time at which silence has a consequence. Null: never."""
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
        return enter(going_on, S.INVESTIGATING, reason, waited_in=S.AWAITING_REPORTER, timed_out=True)
    return resolve(bug, Resolution.NO_RESPONSE, "nobody responded")
