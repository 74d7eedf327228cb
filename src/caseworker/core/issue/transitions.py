"""The verbs of an issue case: a look into the inbox, a fact or a silence in, the case as it is then out."""

from collections.abc import Sequence
from datetime import datetime

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import MessageId
from caseworker.core.base.policy import Policy
from caseworker.core.issue.apply import learn, remarked
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.command_facts import fact_of
from caseworker.core.issue.decide import decide
from caseworker.core.issue.facts import BudgetRaised, Fact, HandedBack, Merged, RetryAsked, Spoke, TimedOut
from caseworker.core.issue.fits import fits
from caseworker.core.issue.moves import counted, next_reminder, reminded, take
from caseworker.core.issue.people import passing_by, reopened
from caseworker.core.issue.states import TERMINAL, WAITING, IssueState
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.issue.turns import at_work
from caseworker.core.issue.words import OBEYED, kept, obeyed
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.messages import SPOKEN, Claimed
from caseworker.core.people.receipts import OVER, Settled, not_done


class Look(BaseModel):
    """What a look into the inbox came to. What is neither settled nor in hand is claimed again by the next look."""

    model_config = ConfigDict(frozen=True)

    after: IssueCase
    note: str = ""
    """For the record, where the case changed without leaving its state."""
    settled: tuple[Settled, ...] = ()
    in_hand: tuple[Claimed, ...] = ()
    """Given to the coming turn."""
    moved: bool = False
    """The case has changed: look again before anything else."""


def after(case: IssueCase, fact: Fact, policy: Policy, now: datetime) -> IssueCase:
    """The case after a fact: what it learns, and the move that follows."""
    known = learn(case, fact)
    return take(known, decide(known, fact, policy), policy, now)


def look(
    case: IssueCase, claimed: Sequence[Claimed], policy: Policy, now: datetime, said_meanwhile: Sequence[MessageId] = ()
) -> Look:
    """Obeys the first command that fits; lets words wake a case in which nobody works. `said_meanwhile`: what a person
    who hands the case back, or others since the takeover, want to be acted on."""
    refused: list[Settled] = []
    for message in claimed:
        fact = fact_of(message)
        if fact is None:
            continue
        if isinstance(fact, HandedBack):
            fact = fact.model_copy(update={"messages": tuple(said_meanwhile)})
        misfit = fits(case, fact)
        if misfit is None:
            obeyed_it = _obey(case, message, fact, claimed, policy, now)
            return obeyed_it.model_copy(update={"settled": (*refused, *obeyed_it.settled)})
        refused.append(Settled(messages=(message.id,), outcome=not_done(misfit), refused=True))
    heard = _hear(case, [message for message in claimed if fact_of(message) is None], policy, now)
    return heard.model_copy(update={"settled": (*refused, *heard.settled)})


def _obey(
    case: IssueCase, message: Claimed, fact: Fact, claimed: Sequence[Claimed], policy: Policy, now: datetime
) -> Look:
    if isinstance(fact, Merged):  # what was said just before it, and nobody has read, is told to be left open
        unread = [one.id for one in claimed if one.id < message.id and one.kind in SPOKEN and one.reopens]
        case = remarked(case, unread)
    note = ""
    if isinstance(fact, BudgetRaised) and not waits_for(case, WaitingFor.BUDGET):
        then, note = counted(learn(case, fact)), f"{fact.by} has raised the budget."
    else:
        then = after(case, fact, policy, now)
    settled = [Settled(messages=(message.id,), outcome=obeyed(message.kind, then))]
    earlier = tuple(one.id for one in claimed if one.id < message.id)
    if then.state in TERMINAL and earlier:  # what was said before it ended asks for nothing any more
        settled.append(Settled(messages=earlier, outcome=OVER))
    return Look(after=then, note=note, settled=tuple(settled), moved=True)


def _hear(case: IssueCase, spoken: Sequence[Claimed], policy: Policy, now: datetime) -> Look:
    if at_work(case):
        return Look(after=case, in_hand=tuple(spoken))
    meant = [message for message in spoken if _wakes(case, message)]
    if meant:
        words = Spoke(by=meant[0].author, messages=_ids(meant))
        return Look(after=after(case, words, policy, now), moved=True)
    settled = (Settled(messages=_ids(spoken), outcome=kept(case)),) if spoken else ()
    return Look(after=case, settled=settled)


def _wakes(case: IssueCase, message: Claimed) -> bool:
    """Who has taken the case over is not disturbed; and "yes" is an answer where one is waited for, mere thanks where
    none is."""
    if case.people.taken_by:
        return False
    return message.reopens or waits_for(case, WaitingFor.ANSWER) or waits_for(case, WaitingFor.APPROVAL)


def waits_for(case: IssueCase, reason: WaitingFor) -> bool:
    """Also after it has waited so long that it is blocked, or when it got stuck over what people said to it."""
    wait = case.waiting.wait
    if wait is None or wait.reason is not reason:
        return False
    if case.state is IssueState.REQUIRES_HUMAN_INTERVENTION:
        return not case.people.taken_by
    return case.state in WAITING or case.state is IssueState.BLOCKED


def on_the_way(case: IssueCase, policy: Policy, now: datetime) -> IssueCase | None:
    """What code does in a working state before anybody is given a turn. Null: nothing."""
    passing = passing_by(case)
    return take(case, passing, policy, now) if passing is not None else None


def after_late_remarks(case: IssueCase, policy: Policy, now: datetime) -> IssueCase | None:
    """Remarks that came while the last change was written are read once the pull request is updated. Null: none."""
    stuck = case.state is IssueState.REQUIRES_HUMAN_INTERVENTION
    if not case.people.late or stuck or not waits_for(case, WaitingFor.MERGE):
        return None
    return after(case, Spoke(by="Somebody", messages=case.people.late), policy, now)


# --- silence


def wake_at(case: IssueCase, policy: Policy) -> datetime | None:
    """When silence itself means something. Null: never."""
    times = [next_reminder(case, policy)]
    if case.state in WAITING and case.waiting.wait is not None:
        times.append(case.waiting.wait.until)
    return min((time for time in times if time is not None), default=None)


def after_silence(case: IssueCase, policy: Policy, now: datetime) -> IssueCase:
    wait = case.waiting.wait
    if case.state in WAITING and wait is not None and wait.until is not None and now >= wait.until:
        return after(case, TimedOut(), policy, now)
    due = next_reminder(case, policy)
    return reminded(case) if due is not None and now >= due else case


# --- after the end


class Late(BaseModel):
    """What messages to a case that is over come to."""

    model_config = ConfigDict(frozen=True)

    after: IssueCase
    reopened: bool = False
    follow_up: tuple[MessageId, ...] = ()
    """Asks for work on a completed case: another case takes it up."""
    settled: tuple[Settled, ...] = ()


def after_end(case: IssueCase, late: Sequence[Claimed]) -> Late:
    """`retry` and requests for work open the case again, or another one if this is completed; thanks are recorded."""
    asking = [one for one in late if one.kind is MessageKind.RETRY or (one.kind in SPOKEN and one.reopens)]
    if asking and case.state is not IssueState.COMPLETED:
        settled = tuple(one.id for one in late if one.kind not in SPOKEN)
        told = (Settled(messages=settled, outcome=OBEYED[MessageKind.RETRY]),) if settled else ()
        return Late(after=_reopen(case, asking[0], late), reopened=True, settled=told)
    others = tuple(one.id for one in late if one not in asking)
    told = (Settled(messages=others, outcome=OVER),) if others else ()
    return Late(after=case, follow_up=_ids(asking), settled=told)


def _reopen(case: IssueCase, message: Claimed, late: Sequence[Claimed]) -> IssueCase:
    spoken = tuple(one.id for one in late if one.kind in SPOKEN)
    again = reopened(learn(case, RetryAsked(by=message.author, messages=spoken)))
    # Words are made sense of first, and perhaps nothing follows from them: only a retry takes in what was pushed.
    retried = message.kind is MessageKind.RETRY
    go = again.waiting.resume if retried else None
    return again.updated(reason=f"{message.author} wants it worked on again.", go=go, handed_back=retried)


# --- questions between roles


def _ids(messages: Sequence[Claimed]) -> tuple[MessageId, ...]:
    return tuple(message.id for message in messages)
