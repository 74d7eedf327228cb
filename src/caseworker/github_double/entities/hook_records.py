"""Webhooks of Apps and repositories, and the log of their deliveries."""

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(kw_only=True, eq=False)
class Hook:
    id: int
    url: str
    secret: str | None
    events: list[str]
    """`*` stands for all."""
    is_active: bool
    is_of_app: bool
    created_at: datetime
    updated_at: datetime
    deliveries: list["Delivery"] = field(default_factory=list)


@dataclass(kw_only=True, eq=False)
class Delivery:
    """One try to deliver one event. A redelivery has the guid of the first try."""

    id: int
    guid: str
    event: str
    action: str | None
    delivered_at: datetime
    is_redelivery: bool
    installation_id: int | None
    repository_id: int | None
    payload: bytes
    headers: dict[str, str]
    duration: float = 0.0
    status: str = "pending"
    """`OK`, or what went wrong as GitHub words it."""
    status_code: int = 0
    answer: str = ""
    answer_headers: dict[str, str] = field(default_factory=dict)
