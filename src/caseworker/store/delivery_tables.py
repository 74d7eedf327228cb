"""The tables of what comes from a forge: events as they were delivered, and the runs that people asked for there."""

from datetime import datetime

from sqlalchemy import (
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Named,
    String,
    Table,
    TypedColumns,
    text,
)

from caseworker.store.columns import Document, UtcTime, WideInteger, Words
from caseworker.store.tables import metadata


class _Deliveries(TypedColumns):
    """No references: an event may be about a repository or a case that is not here."""

    id: Named[int] = Column(WideInteger, primary_key=True)
    guid: Named[str] = Column(Words, nullable=False)
    is_repeat: Named[bool] = Column(Boolean, nullable=False)
    """This GUID was delivered before: the row only records that it came again."""
    source: Named[str] = Column(String)
    event: Named[str] = Column(Words, nullable=False)
    action: Named[str] = Column(Words, nullable=False)
    repository: Named[str] = Column(Words, nullable=False)
    number: Named[int | None] = Column(WideInteger, nullable=True)
    actor: Named[str] = Column(Words, nullable=False)
    lane: Named[str] = Column(Words, nullable=False)
    subject: Named[str] = Column(Words, nullable=False)
    happened_at: Named[datetime | None] = Column(UtcTime, nullable=True)
    body: Named[bytes | None] = Column(LargeBinary, nullable=True)
    """Compressed. Null if it will not be read."""
    is_open: Named[bool] = Column(Boolean, nullable=False)
    """Still to be processed."""
    outcome: Named[str] = Column(String)
    """The kind of its outcome, again: what queries ask for."""
    detail: Named[dict[str, object]] = Column(Document, nullable=False)
    intent: Named[str | None] = Column(Words, nullable=True)
    """What the classifier read in it, so that it is asked once."""
    tries: Named[int] = Column(Integer)
    received_at: Named[datetime] = Column(UtcTime, nullable=False)
    settled_at: Named[datetime | None] = Column(UtcTime, nullable=True)
    claim: Named[str | None] = Column(String, nullable=True)
    claimed_until: Named[datetime | None] = Column(UtcTime, nullable=True)
    again_at: Named[datetime | None] = Column(UtcTime, nullable=True)
    """Not to be tried before this time."""


deliveries = Table(
    "deliveries",
    metadata,
    _Deliveries,
    Index(
        "uq_deliveries_guid",
        "guid",
        unique=True,
        sqlite_where=text("NOT is_repeat"),
        postgresql_where=text("NOT is_repeat"),
    ),
    Index("ix_deliveries_open", "lane", "id", sqlite_where=text("is_open"), postgresql_where=text("is_open")),
    Index(None, "subject", "id"),
    Index(None, "outcome", "id"),
    sqlite_autoincrement=True,
)


class _Dispatches(TypedColumns):
    key: Named[str] = Column(Words, primary_key=True)
    """The subject of the event that asked for it."""
    run: Named[int] = Column("run_id", WideInteger, ForeignKey("runs.id"), key="run", index=True, nullable=False)
    case: Named[str] = Column("case_id", String, ForeignKey("cases.id"), key="case", index=True, nullable=False)
    workflow: Named[str] = Column(String)
    reference: Named[str] = Column(Words, nullable=False)
    """The comment that asked for it. Empty: a label did."""
    told: Named[str | None] = Column(String, nullable=True)
    """The end of the run that its comment shows by a reaction. Null: none yet."""


dispatches = Table("dispatches", metadata, _Dispatches)
