"""What a command of a person, or news of a fix, changes in a bug case."""

from datetime import datetime
from typing import assert_never

from caseworker.core.base.ids import MessageId
from caseworker.core.base.policy import Policy
from caseworker.core.bug.budget_moves import raise_budget
from caseworker.core.bug.case import About, BugCase, BugState
from caseworker.core.bug.fix_moves import answered_stop, fix_news
from caseworker.core.bug.moves import enter, resolve, say
from caseworker.core.bug.receipts import (
    CLOSED,
    HANDED_BACK,
    NOTHING_TAKEN,
    NOTHING_TO_TRY,
    PASSED_ON,
    RESOLUTION_ASKED,
    TAKEN,
    TRIED_AGAIN,
)
from caseworker.core.people.commands import (
    Close,
    CloseIncomplete,
    Command,
    FixNews,
    HandBack,
    PullNews,
    RaiseBudget,
    Retry,
    SpokenCommand,
    StopFix,
    Takeover,
    ToIssue,
    ToSession,
)
from caseworker.core.people.messages import Audience, Claimed, Standing
from caseworker.core.people.receipts import OVER

S = BugState


def bug_misfit(bug: BugCase, command: Command) -> str | None:
    """Why the command changes nothing, for a person who waits for the answer. Null: it fits."""
    if bug.is_over:
        return None
    if isinstance(command, HandBack) and bug.state is not S.DEV_TAKEOVER:
        return "nobody has taken it over"
    if isinstance(command, Retry) and _try_again(bug, "")[1] == NOTHING_TO_TRY:
        return NOTHING_TO_TRY
    return None


def carry_out_command(bug: BugCase, message: Claimed, policy: Policy, now: datetime) -> tuple[BugCase, str | None]:
    """Null as the outcome: the command is not for a bug case."""
    command = message.command
    if isinstance(command, FixNews):
        return fix_news(bug, message, policy, now), PASSED_ON
    if isinstance(command, SpokenCommand | ToIssue | ToSession | PullNews):
        return bug, None
    match command:
        case StopFix() as answer if bug.repair.stop_asked:
            return answered_stop(bug, message, answer.stop)
        case Close() | CloseIncomplete() | Takeover() | HandBack() | Retry() | RaiseBudget() | StopFix() if bug.is_over:
            return bug, OVER
        case Close():
            closed = _close(bug, message, message.id)
            if message.standing is Standing.REPORTER and closed.repair.fix and closed.repair.fix_open:
                closed = say(closed, About.STOP_FIX, Audience.DEVELOPERS, message.id).updated(stop_asked=True)
            return closed, CLOSED
        case CloseIncomplete():
            return _close_incomplete(bug, message)
        case Takeover():
            taken = enter(bug, S.DEV_TAKEOVER, f"{message.author} has taken it", taken_by=message.author)
            return say(taken, About.TAKEN_OVER, Audience.DEVELOPERS, message.id), TAKEN
        case HandBack() if bug.state is S.DEV_TAKEOVER:
            back = enter(bug, S.INVESTIGATING, f"{message.author} handed it back", waited_in=S.DEV_TAKEOVER)
            return say(back, About.HANDED_BACK, Audience.DEVELOPERS, message.id), HANDED_BACK
        case HandBack():
            return say(bug, About.NOT_TAKEN, Audience.DEVELOPERS, message.id), NOTHING_TAKEN
        case Retry():
            return _try_again(bug, message.author)
        case RaiseBudget(micros=micros):
            return raise_budget(bug, message.author, micros, policy)
        case StopFix():  # nobody was asked
            return bug, None
        case _:
            assert_never(command)


def _try_again(bug: BugCase, author: str) -> tuple[BugCase, str]:
    """What stopped the last turn may have been put right."""
    match bug.state:
        case S.AWAITING_DEV:
            reason = f"{author} wants another try"
            return enter(bug, S.INVESTIGATING, reason, waited_in=S.AWAITING_DEV), TRIED_AGAIN
        case S.INVESTIGATING if bug.stalled is not None:
            return bug.updated(stalled=None), TRIED_AGAIN
        case S.INVESTIGATING | S.AWAITING_REPORTER | S.DEV_TAKEOVER | S.RESOLVED:
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
