"""The transitions of a bug case: what messages, the end of a turn, and silence make of it. Flows call these.

Posts go into the outbox. Their text is made elsewhere, when they are sent.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.policy import Policy
from caseworker.core.bug.acknowledge import TEAM, acknowledge
from caseworker.core.bug.budget_moves import warn_of_budget
from caseworker.core.bug.case import About, BugCase, BugState
from caseworker.core.bug.command_moves import carry_out_command
from caseworker.core.bug.moves import await_developers, enter, resolve, say, say_to_all
from caseworker.core.bug.receipts import KEPT_FOR_LATER, NOT_FOR_BUGS
from caseworker.core.bug.relays import relay
from caseworker.core.bug.turns import InvestigatorAnswer, InvestigatorTurn, Step
from caseworker.core.outcomes.bug import BugAction
from caseworker.core.people.commands import Resolution
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
            bug, outcome = carry_out_command(bug, message, policy, now)
            is_refused = outcome is None
            settled.append(Settled(messages=(message.id,), outcome=outcome or NOT_FOR_BUGS, refused=is_refused))
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
        case S.INVESTIGATING | S.AWAITING_REPORTER | S.DEV_TAKEOVER | S.RESOLVED:
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


def permitted_step(bug: BugCase, answer: InvestigatorAnswer) -> Step:
    """The step to take: what the agent proposed, or another one if the facts don't permit it."""
    post = Step.POST_FINDINGS if answer.found else Step.POST_ANSWER
    match answer.action:
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


def after_turn(bug: BugCase, turn: InvestigatorTurn, policy: Policy, now: datetime) -> Ended:
    """The case after a turn. `bug.progress.turns` already counts it."""
    bug = _note_speakers(bug, [message for message in turn.heard if message.kind in SPOKEN])
    step = permitted_step(bug, turn.answer)
    severity = turn.answer.severity or bug.report.severity
    bug = bug.updated(session=turn.session, severity=severity, waited_in=None, timed_out=False)
    after = _take(bug.updated(out_of_money=False), step, turn.answer, policy, now)
    return Ended(step=step, after=warn_of_budget(after, turn.spent_micros, policy))


def _take(bug: BugCase, step: Step, answer: InvestigatorAnswer, policy: Policy, now: datetime) -> BugCase:
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
            return resolve(told, kinds.get(answer.fix_type), "confirmed, and nothing is left to do")
        case Step.POST_FINDINGS | Step.POST_ANSWER:
            reason = "findings were posted" if step is Step.POST_FINDINGS else "an answer was posted"
            return await_developers(_post_result(bug, answer), policy, now, reason)
        case Step.ESCALATE:
            told = say(_post_result(bug, answer), About.ESCALATION, Audience.DEVELOPERS, turn)
            return await_developers(told.updated(escalated=True), policy, now, "people were called")
        case Step.CREATE_FIX:
            # A reporter who has the findings and said nothing since hears of the fix when it is opened.
            knows = bug.people.findings_posted and not bug.people.confirmable
            wanted = _post_result(bug, answer, to_all=not knows).updated(fix_wanted=True, fix_open=True)
            return await_developers(wanted, policy, now, "a fix was asked for")


def _post_result(bug: BugCase, answer: InvestigatorAnswer, *, to_all: bool = True) -> BugCase:
    told = say(bug, About.FINDINGS, Audience.REPORTER, bug.progress.turns) if to_all else bug
    told = say(told, About.FINDINGS, Audience.DEVELOPERS, bug.progress.turns)
    posted = bug.people.findings_posted or answer.found
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


def wake_at(bug: BugCase, policy: Policy) -> datetime | None:
    """The next time at which silence has a consequence. Null: never."""
    times = [at for at in (bug.waiting.remind_at, bug.waiting.until) if at is not None]
    return min(times) if times else None


def after_silence(bug: BugCase, policy: Policy, now: datetime) -> BugCase:
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
