"""Deliveries and dispatches for tests, with defaults, so that a test names only what it is about."""

from datetime import UTC, datetime

from caseworker.core.base.ids import CaseId, TraceId, issue_case
from caseworker.core.base.policy import Milestone, Policy
from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.people.commands import Say
from caseworker.core.people.messages import NewMessage, Standing
from caseworker.core.runs.delivery_outcomes import Outcome, Received
from caseworker.ports import Issue, Thread
from caseworker.ports.deliveries import NewDelivery, NewDispatch
from caseworker.store.store import Store

BEGAN = datetime(2026, 11, 16, 9, 40, tzinfo=UTC)
SHOP = RemoteRepository(host="github.com", owner="acme", name="shop")


def delivery(
    guid: str,
    *,
    lane: str = "acme/shop#7",
    subject: str = "",
    at: datetime | None = None,
    outcome: Outcome | None = None,
) -> NewDelivery:
    return NewDelivery(
        guid=guid,
        source="webhook",
        event="issues",
        action="labeled",
        repository="acme/shop",
        number=7,
        actor="ann",
        lane=lane,
        subject=subject,
        happened_at=at,
        body=b'{"action": "labeled"}',
        outcome=outcome or Received(),
    )


async def dispatched(store: Store, *, number: int = 7, key: str = "asked", shop: RemoteRepository = SHOP) -> CaseId:
    """Opens a case for a triage that a comment asked for."""
    repository = await store.repositories.register(shop)
    issue = Issue(
        repository=repository, number=number, title="Checkout", body="500", labels=[], url="", created_at=BEGAN
    )
    first = message_to(issue_case(repository, number), f"run {key}")
    asked = NewDispatch(key=key, workflow=WorkflowName.TRIAGE, reference="comment:9")
    assert await store.dispatches.open_case(
        issue, asked, first, thread=thread_of(number), policy=Policy(until=Milestone.TRIAGE), rehearsal=None
    )
    return first.case


def message_to(case: CaseId, external_id: str) -> NewMessage:
    return NewMessage(
        case=case,
        surface="github",
        external_id=external_id,
        author="ann",
        standing=Standing.OWNER,
        command=Say(),
        text="Please work on this.",
        trace=TraceId("trace-1"),
    )


def thread_of(number: int) -> Thread:
    return Thread(surface="github", channel="acme/shop", anchor=str(number))
