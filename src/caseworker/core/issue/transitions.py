"""The transitions of an issue case: what messages, facts and silence make of it. Flows call these."""

from collections.abc import Sequence
from datetime import datetime

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.failed_steps import EffectRefused
from caseworker.core.base.ids import MessageId
from caseworker.core.base.policy import Policy
from caseworker.core.issue.apply import add_remarks, apply_fact
from caseworker.core.issue.case import IssueCase, cap_of
from caseworker.core.issue.check_moves import after_checks as move_after_checks
from caseworker.core.issue.check_moves import apply_checks
from caseworker.core.issue.command_facts import TRIED_AGAIN, Meaning, fact_of, meaning_of
from caseworker.core.issue.decide import decide
from caseworker.core.issue.facts import (
    BudgetRaised,
    ChecksSeen,
    Fact,
    HandedBack,
    Merged,
    RetryAsked,
    Spoke,
    TakenOver,
    TimedOut,
)
from caseworker.core.issue.misfits import misfit_of
from caseworker.core.issue.moves import Move, count_change, make_move, next_reminder, reminded
from caseworker.core.issue.moves_by_people import automatic_move, reopened
from caseworker.core.issue.states import WAITING, IssueState
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.issue.turns import at_work
from caseworker.core.issue.words import kept, where_the_work_is
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.messages import SPOKEN, Claimed
from caseworker.core.people.receipts import OVER, STRANGERS, Settled, budget_raised, not_done


class Look(BaseModel):
    """The result of reading the inbox. Messages neither settled nor in hand are claimed again next time."""

    model_config = ConfigDict(frozen=True)

    after: IssueCase
    note: str = ""
    """For the record, if the case changed without a move."""
    settled: tuple[Settled, ...] = ()
    in_hand: tuple[Claimed, ...] = ()
    """Messages for the next turn."""
    moved: bool = False
    """The case has changed: read the inbox again before anything else."""


def after(case: IssueCase, fact: Fact, policy: Policy, now: datetime) -> IssueCase:
    """The case with the fact applied and the following move made."""
    known = apply_fact(case, fact)
    return make_move(known, decide(known, fact, policy), policy, now)


def look(
    case: IssueCase, claimed: Sequence[Claimed], policy: Policy, now: datetime, said_meanwhile: Sequence[MessageId] = ()
) -> Look:
    """Carries out the first possible command; without one, words wake a case in which nobody works. `said_meanwhile`:
    messages since the takeover that ask for something, for a hand-back."""
    refused: list[Settled] = []
    for message in claimed:
        meaning = meaning_of(message)
        if meaning is None:
            continue
        if isinstance(meaning.fact, HandedBack):
            meaning = meaning._replace(fact=meaning.fact.model_copy(update={"messages": tuple(said_meanwhile)}))
        misfit = misfit_of(case, meaning.fact)
        if misfit is None:
            done = _carry_out(case, message, meaning, claimed, policy, now)
            return done.model_copy(update={"settled": (*refused, *done.settled)})
        refused.append(Settled(messages=(message.id,), outcome=not_done(misfit), refused=True))
    heard = _receive_words(case, [message for message in claimed if fact_of(message) is None], policy, now)
    return heard.model_copy(update={"settled": (*refused, *heard.settled)})


def _carry_out(
    case: IssueCase, message: Claimed, meaning: Meaning, claimed: Sequence[Claimed], policy: Policy, now: datetime
) -> Look:
    fact, done = meaning
    if isinstance(fact, Merged):  # unread remarks from just before it are reported as left open
        unread = [one.id for one in claimed if one.id < message.id and one.kind in SPOKEN and one.reopens]
        case = add_remarks(case, unread)
    note = ""
    if isinstance(fact, BudgetRaised) and not waits_for(case, WaitingFor.BUDGET):
        then, note = count_change(apply_fact(case, fact)), f"{fact.by} has raised the budget."
    elif isinstance(fact, RetryAsked) and case.stalled is not None:
        then, note = count_change(case.updated(stalled=None)), f"{fact.by} wants another try at once."
    else:
        then = after(case, fact, policy, now)
    if isinstance(fact, BudgetRaised):
        done = budget_raised(fact.micros, cap_of(then, policy))
    elif isinstance(fact, TakenOver):
        done = f"{done}; {where_the_work_is(then)}"
    settled = [Settled(messages=(message.id,), outcome=done)]
    earlier = tuple(one.id for one in claimed if one.id < message.id)
    if then.is_over and earlier:  # earlier messages are settled as too late
        settled.append(Settled(messages=earlier, outcome=OVER))
    return Look(after=then, note=note, settled=tuple(settled), moved=True)


def _receive_words(case: IssueCase, spoken: Sequence[Claimed], policy: Policy, now: datetime) -> Look:
    if at_work(case):
        return Look(after=case, in_hand=tuple(spoken))
    meant = [message for message in spoken if _wakes(case, message)]
    if meant:
        words = Spoke(by=meant[0].author, messages=_ids(meant))
        return Look(after=after(case, words, policy, now), moved=True)
    strangers = [message for message in spoken if message.is_strangers]
    others = [message for message in spoken if not message.is_strangers]
    outcomes = ((_ids(strangers), STRANGERS), (_ids(others), kept(case)))
    settled = tuple(Settled(messages=ids, outcome=outcome) for ids, outcome in outcomes if ids)
    return Look(after=case, settled=settled)


def _wakes(case: IssueCase, message: Claimed) -> bool:
    """Whether the message wakes the case: never during a takeover, and never a stranger's, whose words must cost
    nothing; "yes" only if the case waits for an answer."""
    if case.people.taken_by or message.is_strangers:
        return False
    return message.reopens or waits_for(case, WaitingFor.ANSWER) or waits_for(case, WaitingFor.APPROVAL)


def waits_for(case: IssueCase, reason: WaitingFor) -> bool:
    """Whether the case waits for this, also if it is blocked by a time-out or got stuck during an interpret turn."""
    wait = case.waiting.wait
    if wait is None or wait.reason is not reason:
        return False
    if case.state is IssueState.REQUIRES_HUMAN_INTERVENTION:
        return not case.people.taken_by
    return case.state in WAITING or case.state is IssueState.BLOCKED


def wants_pushed_work(case: IssueCase) -> bool:
    """Whether a person who handed the case back may have pushed to its branch."""
    return case.people.handed_back and case.delivery.checkpoint is not None


def after_automatic_move(case: IssueCase, policy: Policy, now: datetime) -> IssueCase | None:
    """The case after the move that code makes in a working state before any turn. Null: there is none."""
    move = automatic_move(case)
    return make_move(case, move, policy, now) if move is not None else None


def after_late_remarks(case: IssueCase, policy: Policy, now: datetime) -> IssueCase | None:
    """The case woken by late remarks, once the pull request is updated. Null: there are none."""
    stuck = case.state is IssueState.REQUIRES_HUMAN_INTERVENTION
    if not case.people.late or stuck or not waits_for(case, WaitingFor.MERGE):
        return None
    return after(case, Spoke(by="Somebody", messages=case.people.late), policy, now)


# --- the forge's checks


def wants_checks(case: IssueCase) -> bool:
    """Whether to look at the checks of its pull request now."""
    checks = case.delivery.checks
    return case.waits_for is WaitingFor.MERGE and checks is not None and checks.is_open


def after_checks(case: IssueCase, fact: ChecksSeen | EffectRefused, policy: Policy, now: datetime) -> IssueCase:
    """The case after a look at its checks. As long as they stand as before, it makes no move. A person has to help
    where they can't be read."""
    if isinstance(fact, EffectRefused):
        reason = f"The checks of pull request {case.delivery.pull_request} can't be read: {fact.reason}"
        return make_move(case, Move(to=IssueState.BLOCKED, reason=reason), policy, now)
    known = apply_checks(case, fact, policy)
    before, checks = case.delivery.checks, known.delivery.checks
    if before is None or checks is None or checks.stands == before.stands:
        return known
    return make_move(known, move_after_checks(known, policy), policy, now)


# --- silence


def wake_at(case: IssueCase, policy: Policy) -> datetime | None:
    """The next time at which silence has a consequence. Null: never."""
    times = [next_reminder(case, policy)]
    if case.state in WAITING and case.waiting.wait is not None:
        times.append(case.waiting.wait.until)
    if case.delivery.checks is not None and wants_checks(case):
        times.append(case.delivery.checks.next_look(policy))
    return min((time for time in times if time is not None), default=None)


def after_silence(case: IssueCase, policy: Policy, now: datetime) -> IssueCase:
    wait = case.waiting.wait
    if case.state in WAITING and wait is not None and wait.until is not None and now >= wait.until:
        return after(case, TimedOut(), policy, now)
    due = next_reminder(case, policy)
    return reminded(case) if due is not None and now >= due else case


# --- after the end


def leaves_work(case: IssueCase) -> bool:
    """Whether a failed case has work that is kept on its branch."""
    return case.state is IssueState.FAILED and case.delivery.checkpoint != case.delivery.base


class Late(BaseModel):
    """The result of messages to a finished case."""

    model_config = ConfigDict(frozen=True)

    after: IssueCase
    reopened: bool = False
    follow_up: tuple[MessageId, ...] = ()
    """Messages that ask a completed case for work. A new case does it."""
    settled: tuple[Settled, ...] = ()


def after_end(case: IssueCase, late: Sequence[Claimed]) -> Late:
    """`retry` and requests for work reopen the case, or open a new one if it is completed. Thanks are recorded."""
    asking = [one for one in late if one.kind is MessageKind.RETRY or (one.kind in SPOKEN and one.reopens)]
    if asking and case.state is not IssueState.COMPLETED:
        settled = tuple(one.id for one in late if one.kind not in SPOKEN)
        told = (Settled(messages=settled, outcome=TRIED_AGAIN),) if settled else ()
        return Late(after=_reopen(case, asking[0], late), reopened=True, settled=told)
    others = tuple(one.id for one in late if one not in asking)
    told = (Settled(messages=others, outcome=OVER),) if others else ()
    return Late(after=case, follow_up=_ids(asking), settled=told)


def _reopen(case: IssueCase, message: Claimed, late: Sequence[Claimed]) -> IssueCase:
    spoken = tuple(one.id for one in late if one.kind in SPOKEN)
    again = reopened(apply_fact(case, RetryAsked(by=message.author, messages=spoken)))
    # Only a retry merges pushed commits at once: words are interpreted first, and perhaps nothing follows.
    retried = message.kind is MessageKind.RETRY
    go = again.waiting.resume if retried else None
    return again.updated(reason=f"{message.author} wants it worked on again.", go=go, handed_back=retried)


def _ids(messages: Sequence[Claimed]) -> tuple[MessageId, ...]:
    return tuple(message.id for message in messages)
