"""What a person's command means to an issue case, as a fact. Words are none: somebody has to make sense of them."""

from caseworker.core.issue.facts import (
    Agreed,
    BudgetRaised,
    CloseAsked,
    Declined,
    Fact,
    HandedBack,
    Merged,
    RetryAsked,
    TakenOver,
)
from caseworker.core.people.messages import Claimed, MessageKind


def fact_of(message: Claimed) -> Fact | None:
    match message.kind:
        case MessageKind.CLOSE:
            return CloseAsked(by=message.author)
        case MessageKind.PULL_CLOSED:
            return CloseAsked(by=message.author, unmerged=True)
        case MessageKind.MERGED:
            return Merged(by=message.author)
        case MessageKind.APPROVE:
            return Agreed(by=message.author, until=message.until)
        case MessageKind.REJECT:
            return Declined(by=message.author, messages=(message.id,))
        case MessageKind.TAKEOVER:
            return TakenOver(by=message.author)
        case MessageKind.HAND_BACK:
            return HandedBack(by=message.author)
        case MessageKind.BUDGET:
            return BudgetRaised(by=message.author, micros=message.micros)
        case MessageKind.RETRY:
            return RetryAsked(by=message.author)
        case _:
            return None
