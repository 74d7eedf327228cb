"""The rules of a pull case for what people say: start, stop, resume, abort, take over, hand back, budget, words."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, assert_never

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.policy import Policy
from caseworker.core.people.commands import (
    Abort,
    BringUpToDate,
    Close,
    FixNews,
    HandBack,
    MessageKind,
    PullNews,
    RaiseBudget,
    Resume,
    Retry,
    SpokenCommand,
    StartWork,
    Stop,
    Takeover,
    ToBug,
    ToIssue,
)
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
NOT_FOR_PULLS: Final = "not for a pull request"
NOT_RUNNING: Final = "nothing runs on this pull request"
IN_FLIGHT: Final = "a run is in flight on this pull request already"
RECORDED: Final = "recorded; it asks for nothing"
READ_BEFORE: Final = "an earlier turn has read it in its review thread"


_Steering = Stop | Takeover | Abort | Close | BringUpToDate | Resume | HandBack | Retry


class PullLook(BaseModel):
    """The result of reading the inbox. Messages that are not settled go to the next turn."""

    model_config = ConfigDict(frozen=True)

    after: PullCase
    settled: tuple[Settled, ...] = ()


def look(case: PullCase, claimed: Sequence[Claimed], policy: Policy, now: datetime) -> PullLook:
    settled: list[Settled] = []
    for message in claimed:
        case, receipt = _read(case, message, policy, now)
        if receipt is not None:
            settled.append(receipt)
    return PullLook(after=case, settled=tuple(settled))


def pushes_nothing(case: PullCase) -> str:
    return f"a {case.session.workflow} pushes nothing"


def settle_rest(claimed: Sequence[Claimed]) -> tuple[Settled, ...]:
    """The receipts of words that no turn will read, because the session is over."""
    ids = tuple(message.id for message in claimed if message.kind in SPOKEN)
    return (Settled(messages=ids, outcome=OVER),) if ids else ()


def _read(case: PullCase, message: Claimed, policy: Policy, now: datetime) -> tuple[PullCase, Settled | None]:
    """Null as the receipt: the next turn reads it."""
    command = message.command
    if isinstance(command, SpokenCommand):
        return _spoken(case, message, now)
    if isinstance(command, ToIssue | ToBug | PullNews | FixNews):
        return case, _refused(message, NOT_FOR_PULLS)
    if isinstance(command, StartWork):
        return _start(case, message, command, policy, now)
    if isinstance(command, RaiseBudget):
        raised = _raise(case, command, now)
        return raised, _done(message, budget_raised(command.micros, cap_of(raised, policy)))
    return _steered(case, message, command, policy, now)


def _done(message: Claimed, outcome: str) -> Settled:
    return Settled(messages=(message.id,), outcome=outcome)


def _refused(message: Claimed, why: str) -> Settled:
    return Settled(messages=(message.id,), outcome=why, refused=True)


def _spoken(case: PullCase, message: Claimed, now: datetime) -> tuple[PullCase, Settled | None]:
    if message.standing not in TEAM:
        return case, _done(message, STRANGERS)
    if case.is_over:
        return case, _done(message, OVER)
    if not message.command.wants_something and message.kind is K.WORDS:
        return case, _done(message, RECORDED)
    if message.was_read and message.kind is K.WORDS:
        return case, _done(message, READ_BEFORE)
    case = case.updated(spoke=True)
    if case.state is S.WAITING:
        case = look_again(case, f"{message.author} wrote.", now)
    return case, None


def _steered(
    case: PullCase, message: Claimed, command: _Steering, policy: Policy, now: datetime
) -> tuple[PullCase, Settled]:
    """A command to the session that runs, or is paused."""
    by, obeys = message.author, (message.id,)
    if case.is_over:
        return case, _refused(message, NOT_RUNNING)
    match command:
        case Stop():
            return pause(case, PauseCause.STOPPED, f"{by} stopped it.", now, by=by, obeys=obeys), _done(
                message, STOPPED
            )
        case Takeover():
            told = f"{by} has taken it over."
            return pause(case, PauseCause.TAKEN, told, now, by=by, obeys=obeys), _done(message, STOPPED)
        case Abort() | Close():
            return end(case, SessionEnd.ABORTED, f"{by} ended it.", now, obeys=obeys), _done(message, ABORTED)
        case BringUpToDate() if case.reading is not None:
            return case, _refused(message, pushes_nothing(case))
        case BringUpToDate():
            return _bring_up_to_date(case, message, now), _done(message, TO_BE_UPDATED)
        case Retry() if case.stalled is not None:
            return case.updated(stalled=None), _done(message, RESUMED)
        case Resume() | HandBack() | Retry():
            return _resume(case, message, policy, now), _done(message, RESUMED)
        case _:
            assert_never(command)


def _start(
    case: PullCase, message: Claimed, command: StartWork, policy: Policy, now: datetime
) -> tuple[PullCase, Settled]:
    """Begin a session, on the head as it is now. One that is paused gives way to it."""
    is_new = case.session.began_at is None
    if not is_new and case.state not in (S.ENDED, S.PAUSED):
        return case, _refused(message, IN_FLIGHT)
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
        return say(begun, PullAbout.RESUMED, begun.progress.transitions), _done(message, RESUMED)
    return look_again(begun, f"{command.workflow} was asked for.", now), _done(message, STARTED)


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
