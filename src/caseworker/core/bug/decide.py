"""The rules of a bug case: what messages, the end of a turn, and silence change in it.

Posts go into the outbox. Their text is made elsewhere, when they are sent.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import MessageId
from caseworker.core.base.policy import Policy
from caseworker.core.bug.acknowledge import TEAM, acknowledge
from caseworker.core.bug.budget_moves import raise_budget, warn_of_budget
from caseworker.core.bug.case import About, BugCase, BugState
from caseworker.core.bug.fix_moves import answered_stop, fix_news
from caseworker.core.bug.moves import await_developers, enter, resolve, say, say_to_all
from caseworker.core.bug.receipts import (
    CLOSED,
    HANDED_BACK,
    KEPT_FOR_LATER,
    NOTHING_TAKEN,
    NOTHING_TO_TRY,
    PASSED_ON,
    RESOLUTION_ASKED,
    TAKEN,
    TRIED_AGAIN,
)
from caseworker.core.bug.relays import relay
from caseworker.core.bug.turns import Investigated, Step, Verdict
from caseworker.core.outcomes.bug import BugAction
from caseworker.core.people.commands import CloseIncomplete, MessageKind, RaiseBudget, Resolution, StopFix
from caseworker.core.people.messages import SPOKEN, Audience, Claimed, Standing
from caseworker.core.people.receipts import OVER, Settled

S = BugState


class Look(BaseModel):
    """The result of reading the inbox. Messages that are not settled go to the next turn."""

    model_config = ConfigDict(frozen=True)

    after: BugCase
    settled: tuple[Settled, ...] = ()


class Ended(BaseModel):
    model_config = ConfigDict(frozen=True)

    step: Step
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
    bug = _note_speakers(acknowledge(relay(bug, spoken), spoken), spoken)
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
                closed = say(closed, About.STOP_FIX, Audience.DEVELOPERS, message.id).updated(stop_asked=True)
            return closed, CLOSED
        case MessageKind.STOP_FIX if bug.repair.stop_asked and isinstance(message.command, StopFix):
            return answered_stop(bug, message, message.command.stop)
        case MessageKind.CLOSE_INCOMPLETE if not bug.is_over:
            return _close_incomplete(bug, message)
        case MessageKind.TAKEOVER if not bug.is_over:
            taken = enter(bug, S.DEV_TAKEOVER, f"{message.author} has taken it", taken_by=message.author)
            return say(taken, About.TAKEN_OVER, Audience.DEVELOPERS, message.id), TAKEN
        case MessageKind.HAND_BACK if bug.state is S.DEV_TAKEOVER:
            back = enter(bug, S.INVESTIGATING, f"{message.author} handed it back", waited_in=S.DEV_TAKEOVER)
            return say(back, About.HANDED_BACK, Audience.DEVELOPERS, message.id), HANDED_BACK
        case MessageKind.HAND_BACK if not bug.is_over:
            return say(bug, About.NOT_TAKEN, Audience.DEVELOPERS, message.id), NOTHING_TAKEN
        case MessageKind.RETRY if not bug.is_over:
            return _try_again(bug, message)
        case MessageKind.BUDGET if not bug.is_over and isinstance(message.command, RaiseBudget):
            return raise_budget(bug, message.author, message.command.micros, policy)
        case MessageKind.FIX_READY | MessageKind.FIX_WAITING | MessageKind.FIX_ENDED | MessageKind.FIX_MERGED:
            return fix_news(bug, message, policy, now), PASSED_ON
        case _:
            return bug, OVER if bug.is_over else "not for a bug case"


def _try_again(bug: BugCase, message: Claimed) -> tuple[BugCase, str]:
    """What stopped the last turn may have been put right."""
    match bug.state:
        case S.AWAITING_DEV:
            reason = f"{message.author} wants another try"
            return enter(bug, S.INVESTIGATING, reason, waited_in=S.AWAITING_DEV), TRIED_AGAIN
        case S.INVESTIGATING if bug.stalled is not None:
            return bug.updated(stalled=None), TRIED_AGAIN
        case _:
            return bug, NOTHING_TO_TRY


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


def _note_speakers(bug: BugCase, spoken: Sequence[Claimed]) -> BugCase:
    """Notes who has spoken, which decides whether a resolution or a fix is permitted."""
    return bug.updated(
        developer_spoke=bug.people.developer_spoke or any(message.standing in TEAM for message in spoken),
        confirmable=bug.people.confirmable
        or (bug.people.answer_posted and any(message.standing is Standing.REPORTER for message in spoken)),
    )


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
        answer_posted=False,
        confirmable=False,
        escalated=False,
        asked_to_close="",
        close_reason=None,
        stop_asked=False,
        answered=message.id,
        closed_by=None,
        base=None,
    )
    return say_to_all(opened, About.REOPENED, opened.epoch)


# --- the end of a turn


def is_without_tools(bug: BugCase, turn: int) -> bool:
    """Whether this turn has no tools: the first turn on a vague report only asks, unless work on it has begun."""
    return bug.report.vague and turn <= 1 and bug.waiting.waited_in is None


def permitted_step(bug: BugCase, verdict: Verdict) -> Step:
    """The step to take: what the agent proposed, or another one if the facts don't permit it."""
    post = Step.POST_FINDINGS if verdict.found else Step.POST_ANSWER
    match verdict.action:
        case BugAction.POST_FINDINGS | BugAction.RESOLVED | BugAction.CREATE_FIX if is_without_tools(
            bug, bug.progress.turns
        ):
            return Step.ASK_REPORTER  # without tools it can have found nothing
        case BugAction.ASK_REPORTER:
            return Step.ASK_DEVELOPERS if bug.waiting.timed_out else Step.ASK_REPORTER
        case BugAction.POST_FINDINGS:
            return post
        case BugAction.ESCALATE:
            return Step.ESCALATE
        case BugAction.RESOLVED:
            return Step.RESOLVE if bug.people.developer_spoke or bug.people.confirmable else post
        case BugAction.CREATE_FIX:  # only developers may ask for a fix; reporters describe symptoms
            return Step.CREATE_FIX if bug.people.developer_spoke else post


def after_turn(bug: BugCase, turn: Investigated, policy: Policy, now: datetime) -> Ended:
    """The case after a turn. `bug.progress.turns` already counts it."""
    bug = _note_speakers(bug, [message for message in turn.heard if message.kind in SPOKEN])
    step = permitted_step(bug, turn.verdict)
    severity = turn.verdict.severity or bug.report.severity
    bug = bug.updated(session=turn.session, severity=severity, waited_in=None, timed_out=False)
    after = _take(bug.updated(out_of_money=False), step, turn.verdict, policy, now)
    return Ended(step=step, after=warn_of_budget(after, turn.spent_micros, policy))


def _take(bug: BugCase, step: Step, verdict: Verdict, policy: Policy, now: datetime) -> BugCase:
    turn = bug.progress.turns
    match step:
        case Step.ASK_REPORTER:
            until = now + timedelta(seconds=policy.reporter_wait_seconds)
            asking = say_to_all(bug, About.QUESTION, turn)
            return enter(asking, S.AWAITING_REPORTER, "the reporter was asked", until=until)
        case Step.ASK_DEVELOPERS:
            asking = say(bug, About.OPEN_QUESTION, Audience.DEVELOPERS, turn)
            return await_developers(asking, policy, now, "the reporter did not answer, so the developers were asked")
        case Step.RESOLVE:
            told = say_to_all(bug, About.FINDINGS, turn)
            kinds = {kind.value: kind for kind in Resolution}
            return resolve(told, kinds.get(verdict.fix_type), "confirmed, and nothing is left to do")
        case Step.POST_FINDINGS | Step.POST_ANSWER:
            reason = "findings were posted" if step is Step.POST_FINDINGS else "an answer was posted"
            return await_developers(_post_result(bug, verdict), policy, now, reason)
        case Step.ESCALATE:
            told = say(_post_result(bug, verdict), About.ESCALATION, Audience.DEVELOPERS, turn)
            return await_developers(told.updated(escalated=True), policy, now, "people were called")
        case Step.CREATE_FIX:
            # A reporter who has the findings and said nothing since hears of the fix when it is opened.
            knows = bug.people.findings_posted and not bug.people.confirmable
            wanted = _post_result(bug, verdict, to_all=not knows).updated(fix_wanted=True, fix_open=True)
            return await_developers(wanted, policy, now, "a fix was asked for")


def _post_result(bug: BugCase, verdict: Verdict, *, to_all: bool = True) -> BugCase:
    told = say(bug, About.FINDINGS, Audience.REPORTER, bug.progress.turns) if to_all else bug
    told = say(told, About.FINDINGS, Audience.DEVELOPERS, bug.progress.turns)
    posted = bug.people.findings_posted or verdict.found
    return told.updated(findings_posted=posted, answer_posted=True, confirmable=False)


def after_failed_turn(
    bug: BugCase, reason: str, policy: Policy, now: datetime, *, out_of_money: bool = False
) -> BugCase:
    """The case after a failed turn: people are called, the case goes on. `out_of_money`: the budget is used up."""
    bug = bug.updated(out_of_money=out_of_money)
    told = say(bug, About.FAILED_TURN, Audience.DEVELOPERS, bug.progress.turns, note=reason)
    told = say(told, About.ESCALATION, Audience.DEVELOPERS, bug.progress.turns)
    told = say(told, About.FAILED_TURN, Audience.REPORTER, bug.progress.turns)
    told = told.updated(escalated=True, waited_in=None, timed_out=False)
    waits = await_developers(told, policy, now, reason=f"a turn failed, and people were called: {reason}"[:300])
    return waits.updated(cure=not out_of_money)


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
