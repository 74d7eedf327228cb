"""The rules of a pull case for what people say: start, stop, resume, abort, take over, hand back, budget, words."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.policy import Policy
from caseworker.core.people.commands import MessageKind, RaiseBudget, StartWork
from caseworker.core.people.messages import SPOKEN, Claimed, Standing
from caseworker.core.people.receipts import OVER, STRANGERS, Settled, budget_raised
from caseworker.core.pull.case import PauseCause, PullCase, PullState, SessionEnd, cap_of
from caseworker.core.pull.pull_moves import drop_work, end, look_again, pause, say
from caseworker.core.pull.pull_posts import PullAbout

K = MessageKind
S = PullState
TEAM: Final = frozenset({Standing.OWNER, Standing.DEVELOPER})

STARTED: Final = "begun"
STOPPED: Final = "paused"
RESUMED: Final = "goes on"
ABORTED: Final = "ended"
TO_BE_UPDATED: Final = "the branch is brought up to date next"
REVIEW_PUSHES_NOTHING: Final = "a review pushes nothing"
NOT_RUNNING: Final = "nothing runs on this pull request"
IN_FLIGHT: Final = "a run is in flight on this pull request already"
RECORDED: Final = "recorded; it asks for nothing"
READ_BEFORE: Final = "an earlier turn has read it in its review thread"


class PullLook(BaseModel):
    """The result of reading the inbox. Messages that are not settled go to the next turn."""

    model_config = ConfigDict(frozen=True)

    after: PullCase
    settled: tuple[Settled, ...] = ()


def look(case: PullCase, claimed: Sequence[Claimed], policy: Policy, now: datetime) -> PullLook:
    settled: list[Settled] = []
    for message in claimed:
        if message.kind in SPOKEN:
            case, outcome = _spoken(case, message, now)
        else:
            case, outcome = _commanded(case, message, policy, now)
        if outcome is not None:
            refused = outcome in (NOT_RUNNING, IN_FLIGHT, REVIEW_PUSHES_NOTHING)
            settled.append(Settled(messages=(message.id,), outcome=outcome, refused=refused))
    return PullLook(after=case, settled=tuple(settled))


def settle_rest(claimed: Sequence[Claimed]) -> tuple[Settled, ...]:
    """The receipts of words that no turn will read, because the session is over."""
    ids = tuple(message.id for message in claimed if message.kind in SPOKEN)
    return (Settled(messages=ids, outcome=OVER),) if ids else ()


def _spoken(case: PullCase, message: Claimed, now: datetime) -> tuple[PullCase, str | None]:
    """Null as the outcome: the next turn reads it."""
    if message.standing not in TEAM:
        return case, STRANGERS
    if case.is_over:
        return case, OVER
    if not message.command.wants_something and message.kind is K.WORDS:
        return case, RECORDED
    if message.was_read and message.kind is K.WORDS:
        return case, READ_BEFORE
    case = case.updated(spoke=True)
    if case.state is S.WAITING:
        case = look_again(case, f"{message.author} wrote.", now)
    return case, None


def _commanded(case: PullCase, message: Claimed, policy: Policy, now: datetime) -> tuple[PullCase, str | None]:
    command, by = message.command, message.author
    match command.kind:
        case K.START if isinstance(command, StartWork):
            return _start(case, command, policy, now)
        case K.BUDGET if isinstance(command, RaiseBudget):
            raised = _raise(case, command, now)
            return raised, budget_raised(command.micros, cap_of(raised, policy))
        case _ if case.is_over:
            return case, NOT_RUNNING
        case K.STOP | K.TAKEOVER:
            cause = PauseCause.STOPPED if command.kind is K.STOP else PauseCause.TAKEN
            words = "stopped it" if cause is PauseCause.STOPPED else "has taken it over"
            return pause(case, cause, f"{by} {words}.", now, by=by, obeys=(message.id,)), STOPPED
        case K.ABORT | K.CLOSE:
            return end(case, SessionEnd.ABORTED, f"{by} ended it.", now, obeys=(message.id,)), ABORTED
        case K.REBASE if case.session.workflow == "review":
            return case, REVIEW_PUSHES_NOTHING
        case K.REBASE:
            return _bring_up_to_date(case, message, now), TO_BE_UPDATED
        case K.RETRY if case.stalled is not None:
            return case.updated(stalled=None), RESUMED
        case K.RESUME | K.HAND_BACK | K.RETRY:
            return _resume(case, message, policy, now), RESUMED
        case _:
            return case, "not for a pull request"


def _start(case: PullCase, command: StartWork, policy: Policy, now: datetime) -> tuple[PullCase, str]:
    """Begin a session, on the head as it is now. One that is paused gives way to it."""
    is_new = case.session.began_at is None
    if not is_new and case.state not in (S.ENDED, S.PAUSED):
        return case, IN_FLIGHT
    seconds = command.deadline_seconds or policy.ship_seconds
    begun = drop_work(case).updated(
        epoch=case.epoch if is_new else case.epoch + 1,
        workflow=command.workflow,
        began_at=now,
        deadline=now + timedelta(seconds=seconds),
        iterations=0,
        worked_on="",
        first_turn=case.progress.turns,
        pushed_before=len(case.watch.pushed),
        ci_minutes=0,
        end=None,
        block=None,
        baseline=None,
        failures=(),
        tries={},
        cleared={},
        reruns={},
        told_contributor=False,
        asked_update=None,
    )
    if command.resumes:
        begun = look_again(begun, "A person lets it go on, from the head as it is now.", now)
        return say(begun, PullAbout.RESUMED, begun.progress.transitions), RESUMED
    return look_again(begun, f"{command.workflow} was asked for.", now), STARTED


def _resume(case: PullCase, message: Claimed, policy: Policy, now: datetime) -> PullCase:
    """Go on from the head as it is now. A deadline that has passed meanwhile begins anew."""
    deadline = case.session.deadline
    if deadline is not None and deadline <= now:
        deadline = now + timedelta(seconds=policy.ship_seconds)
    resumed = look_again(case, f"{message.author} lets it go on.", now, baseline=None, deadline=deadline)
    return say(resumed, PullAbout.RESUMED, resumed.progress.transitions, obeys=(message.id,))


def _bring_up_to_date(case: PullCase, message: Claimed, now: datetime) -> PullCase:
    """At the next look: what is in hand is pushed first."""
    asked = case.updated(asked_update=message.id)
    return look_again(asked, f"{message.author} asks for a rebase.", now) if case.state is S.WAITING else asked


def _raise(case: PullCase, command: RaiseBudget, now: datetime) -> PullCase:
    raised = case.updated(extra_micros=case.people.extra_micros + command.micros, warned=False)
    if raised.state is S.PAUSED and raised.session.pause is PauseCause.BUDGET:
        return look_again(raised, "The budget was raised.", now)
    return raised
