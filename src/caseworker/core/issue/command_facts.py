"""Turns a person's command into a fact of an issue case. Words are no fact: an agent has to interpret them."""

from typing import Final, NamedTuple, assert_never

from caseworker.core.issue import facts
from caseworker.core.issue.facts import (
    Agreed,
    BudgetRaised,
    CloseAsked,
    CommandFact,
    Declined,
    HandedBack,
    RerunAsked,
    RetryAsked,
    TakenOver,
)
from caseworker.core.people.commands import (
    Abort,
    Answer,
    Approve,
    BringUpToDate,
    Close,
    CloseIncomplete,
    Delete,
    Edit,
    FixEnded,
    FixMerged,
    FixReady,
    FixWaiting,
    HandBack,
    Merged,
    PullClosed,
    RaiseBudget,
    Reject,
    Rerun,
    Resume,
    Retry,
    Say,
    StartWork,
    Stop,
    StopFix,
    Takeover,
)
from caseworker.core.people.messages import Claimed


class Meaning(NamedTuple):
    fact: CommandFact
    done: str
    """The beginning of the receipt, once it is carried out."""


TRIED_AGAIN: Final = "tried again"


def fact_of(message: Claimed) -> CommandFact | None:
    meaning = meaning_of(message)
    return meaning.fact if meaning is not None else None


def meaning_of(message: Claimed) -> Meaning | None:
    """Null: words, or a command for another kind of case."""
    by = message.author
    match message.command:
        case Close():
            return Meaning(CloseAsked(by=by, message=message.id), "closed the case")
        case PullClosed():
            return Meaning(CloseAsked(by=by, unmerged=True), "closed the case")
        case Merged(commit=commit):
            return Meaning(facts.Merged(by=by, commit=commit), "completed the case")
        case Approve(milestone=milestone):
            return Meaning(Agreed(by=by, message=message.id, until=milestone), "approved")
        case Reject():
            return Meaning(Declined(by=by, messages=(message.id,)), "not approved")
        case Takeover():
            return Meaning(TakenOver(by=by), "taken over: the agents stand back")
        case HandBack():
            return Meaning(HandedBack(by=by), "handed back: the work goes on")
        case RaiseBudget(micros=micros):
            return Meaning(BudgetRaised(by=by, micros=micros), "")  # its receipt has the new budget
        case Retry():
            return Meaning(RetryAsked(by=by), TRIED_AGAIN)
        case Rerun(milestone=milestone):
            return Meaning(RerunAsked(by=by, milestone=milestone, message=message.id), "made again")
        case Say() | Answer() | Edit() | Delete():
            return None
        case StartWork() | BringUpToDate() | Stop() | Resume() | Abort():
            return None  # only for pull cases
        case CloseIncomplete() | StopFix() | FixReady() | FixWaiting() | FixMerged() | FixEnded():
            return None  # only for bug cases
        case _:
            assert_never(message.command)
