"""Takes a GitHub event, however it came: decides at once what needs nothing, and commits the rest to be processed."""

from collections.abc import Callable
from typing import Any, Final, Literal, assert_never

import structlog

from caseworker.core.people.registry import TargetKind, by_label
from caseworker.core.runs.delivery_outcomes import Ignored, IgnoreReason, Outcome, Received, Unreadable
from caseworker.intake.github_events import (
    Change,
    ChecksChanged,
    CommentChanged,
    Event,
    InstallationChanged,
    IssueChanged,
    LabelChanged,
    NotUsed,
    Pinged,
    PullChanged,
    PushReceived,
    TargetEvent,
    name_of,
)
from caseworker.intake.github_payloads import UnreadableBody, parse_event, read_body
from caseworker.ports import Store
from caseworker.ports.deliveries import NewDelivery

log = structlog.get_logger()

Source = Literal["webhook", "log", "look"]

_KEPT_UNREADABLE: Final = 64_000
"""Bytes of an unreadable body that are kept, so that a person can see what it was."""
_ISSUE_CHANGES: Final = frozenset({Change.EDITED, Change.CLOSED, Change.REOPENED, Change.TRANSFERRED, Change.DELETED})


class GitHubDoor:
    def __init__(self, *, store: Store, on_new: Callable[[], None] = lambda: None) -> None:
        """`on_new` is called when there is something to process."""
        self._store = store
        self._on_new = on_new

    async def take(self, guid: str, event: str, body: bytes, *, source: Source) -> bool:
        """Commit a delivery. False: this GUID was there already. Raises `Transient` if it could not be committed."""
        delivery = read_delivery(guid, event, body, source=source)
        new = await self._store.deliveries.put(delivery)
        log.debug(
            "delivery taken", guid=guid, event_name=event, lane=delivery.lane, outcome=delivery.outcome.kind, new=new
        )
        if new and isinstance(delivery.outcome, Received):
            self._on_new()
        return new


def read_delivery(guid: str, name: str, body: bytes, *, source: Source) -> NewDelivery:
    """The row for a delivery. Every body gives one: what can't be read is kept as unreadable."""
    try:
        payload = read_body(body)
        event = parse_event(name, payload)
    except UnreadableBody as problem:
        unreadable = Unreadable(problem=str(problem)[:500])
        kept = body[:_KEPT_UNREADABLE]
        return NewDelivery(guid=guid, source=source, event=name, lane=guid, body=kept, outcome=unreadable)
    outcome = outcome_at_the_door(event)
    action = payload.get("action")
    return NewDelivery(
        guid=guid,
        source=source,
        event=name,
        action=action if isinstance(action, str) else "",
        body=body if isinstance(outcome, Received) else b"",
        outcome=outcome,
        **{"lane": guid, **_about(event)},
    )


def _about(event: Event) -> dict[str, Any]:
    match event:
        case LabelChanged() | CommentChanged() | IssueChanged() | PullChanged():
            return _about_target(event)
        case ChecksChanged(repository=repository):
            return {"repository": name_of(repository)}
        case PushReceived(repository=repository, actor=actor):
            return {"repository": name_of(repository), "actor": actor.login}
        case InstallationChanged(account=account):
            return {"actor": account}
        case Pinged() | NotUsed():
            return {}
        case _:
            assert_never(event)


def _about_target(event: TargetEvent) -> dict[str, Any]:
    return {
        "repository": name_of(event.repository),
        "number": event.number,
        "actor": event.actor.login,
        "lane": event.lane,
        "subject": event.subject,
        "happened_at": event.at,
    }


def outcome_at_the_door(event: Event) -> Outcome:
    """`Received` for events that have to be processed; most events of a busy repository are not among them."""
    match event:
        case LabelChanged(target=TargetKind.PULL):
            return Received()
        case LabelChanged(change=Change.LABELED, label=label):
            return Ignored(reason=IgnoreReason.NOT_OUR_LABEL, detail=label) if by_label(label) is None else Received()
        case LabelChanged():
            return Ignored(reason=IgnoreReason.UNUSED_ACTION, detail=event.change)
        case CommentChanged():
            return Received()
        case IssueChanged(change=change):
            used = change in _ISSUE_CHANGES
            return Received() if used else Ignored(reason=IgnoreReason.UNUSED_ACTION, detail=change)
        case ChecksChanged() | PullChanged() | PushReceived():
            return Received()
        case InstallationChanged():
            return Ignored(reason=IgnoreReason.NOBODY_WAITS)
        case Pinged():
            return Ignored(reason=IgnoreReason.UNUSED_EVENT, detail="ping")
        case NotUsed(reason=reason, detail=detail):
            return Ignored(reason=reason, detail=detail)
        case _:
            assert_never(event)
