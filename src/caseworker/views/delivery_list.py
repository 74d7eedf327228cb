"""The deliveries from GitHub as they are shown: one line each, with what came of it in words."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import CaseId
from caseworker.core.runs.delivery_outcomes import BecameMessage, Dispatched, Outcome, Woken
from caseworker.core.runs.outcome_kinds import OutcomeKind
from caseworker.core.telling.delivery_words import outcome_words
from caseworker.ports import Store
from caseworker.ports.deliveries import Delivery


class DeliveryLine(BaseModel):
    model_config = ConfigDict(frozen=True)

    received_at: datetime
    event: str
    """With its action: `issues.labeled`."""
    target: str
    """`acme/shop#7`, the repository alone, or nothing."""
    case: CaseId | None = None
    """The case that it began, wrote to or woke."""
    actor: str
    outcome: OutcomeKind
    because: str
    guid: str
    source: str
    tries: int


async def delivery_lines(store: Store, *, outcome: OutcomeKind | None, limit: int) -> list[DeliveryLine]:
    """Newest first."""
    return [_line(delivery) for delivery in await store.deliveries.list(outcome=outcome, limit=limit)]


def _line(delivery: Delivery) -> DeliveryLine:
    number = "" if delivery.number is None else f"#{delivery.number}"
    return DeliveryLine(
        received_at=delivery.received_at,
        event=f"{delivery.event}.{delivery.action}" if delivery.action else delivery.event,
        target=f"{delivery.repository}{number}",
        case=_case_of(delivery.outcome),
        actor=delivery.actor,
        outcome=delivery.outcome.kind,
        because=outcome_words(delivery.outcome),
        guid=delivery.guid,
        source=delivery.source,
        tries=delivery.tries,
    )


def _case_of(outcome: Outcome) -> CaseId | None:
    return outcome.case if isinstance(outcome, Dispatched | BecameMessage | Woken) else None
