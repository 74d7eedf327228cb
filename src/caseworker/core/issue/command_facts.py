"""Turns a person's command into a fact of an issue case. Words are no fact: an agent has to interpret them."""

from typing import assert_never

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


def fact_of(message: Claimed) -> CommandFact | None:
    match message.command:
        case Close():
            return CloseAsked(by=message.author, message=message.id)
        case PullClosed():
            return CloseAsked(by=message.author, unmerged=True)
        case Merged():
            return facts.Merged(by=message.author)
        case Approve(milestone=milestone):
            return Agreed(by=message.author, message=message.id, until=milestone)
        case Reject():
            return Declined(by=message.author, messages=(message.id,))
        case Takeover():
            return TakenOver(by=message.author)
        case HandBack():
            return HandedBack(by=message.author)
        case RaiseBudget(micros=micros):
            return BudgetRaised(by=message.author, micros=micros)
        case Retry():
            return RetryAsked(by=message.author)
        case Rerun(milestone=milestone):
            return RerunAsked(by=message.author, milestone=milestone, message=message.id)
        case Say() | Answer() | Edit() | Delete():
            return None
        case StartWork() | BringUpToDate() | Stop() | Resume() | Abort():
            return None  # only for pull cases
        case CloseIncomplete() | StopFix() | FixReady() | FixWaiting() | FixMerged() | FixEnded():
            return None  # only for bug cases
        case _:
            assert_never(message.command)
