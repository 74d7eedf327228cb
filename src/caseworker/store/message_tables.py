"""The tables of what people say: messages, the files that came with them, and the threads they were said in."""

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
    UniqueConstraint,
    text,
)

from caseworker.store.columns import Document, UtcTime, WideInteger, Words
from caseworker.store.tables import metadata


class _Messages(TypedColumns):
    id: Named[int] = Column(WideInteger, primary_key=True)
    case: Named[str] = Column("case_id", String, ForeignKey("cases.id"), key="case", nullable=False)
    surface: Named[str] = Column(String)
    external_id: Named[str] = Column(Words, nullable=False)
    author: Named[str] = Column(Words, nullable=False)
    standing: Named[str] = Column(String)
    kind: Named[str] = Column(String)
    """The command's, again: what queries ask for."""
    command: Named[dict[str, object]] = Column(Document, nullable=False)
    text: Named[str] = Column(Words, nullable=False)
    reference: Named[str | None] = Column(Words, nullable=True)
    """Null instead of empty if there is none: the unique index must not compare those."""
    refers_to: Named[str | None] = Column(Words, nullable=True)
    trace: Named[str] = Column(String)
    received_at: Named[datetime] = Column(UtcTime, nullable=False)
    turn: Named[int | None] = Column(Integer, nullable=True)
    outcome: Named[str | None] = Column(Words, nullable=True)
    refused: Named[bool] = Column(Boolean, nullable=False)


messages = Table(
    "messages",
    metadata,
    _Messages,
    # A surface's id is its own over all cases: a redelivery must not open a second case either.
    UniqueConstraint("surface", "external_id"),
    Index(
        "uq_messages_surface_reference",
        "surface",
        "reference",
        unique=True,
        sqlite_where=text("reference IS NOT NULL"),
        postgresql_where=text("reference IS NOT NULL"),
    ),
    Index(None, "case", "turn"),
    Index(None, "case", "id"),  # the whole conversation in its order, however long it is
    Index("ix_messages_unclaimed", "id", sqlite_where=text("turn IS NULL"), postgresql_where=text("turn IS NULL")),
    sqlite_autoincrement=True,  # an id is never given twice, not even after a purge
)


class _Attachments(TypedColumns):
    id: Named[int] = Column(WideInteger, primary_key=True)
    message: Named[int] = Column("message_id", WideInteger, ForeignKey("messages.id"), key="message", nullable=False)
    case: Named[str] = Column("case_id", String, ForeignKey("cases.id"), key="case", index=True, nullable=False)
    position: Named[int] = Column(Integer)
    title: Named[str] = Column(Words, nullable=False)
    media_type: Named[str] = Column(Words, nullable=False)
    size: Named[int] = Column(WideInteger, nullable=False)
    source: Named[str] = Column(Words, nullable=False)
    content: Named[bytes | None] = Column(LargeBinary, nullable=True)
    """Null: not here (yet)."""
    problem: Named[str] = Column(Words, nullable=False)


attachments = Table(
    "attachments",
    metadata,
    _Attachments,
    UniqueConstraint("message", "position"),
    sqlite_autoincrement=True,
)


class _Threads(TypedColumns):
    case: Named[str] = Column("case_id", String, ForeignKey("cases.id"), key="case", primary_key=True)
    audience: Named[str] = Column(String, primary_key=True)
    surface: Named[str] = Column(String, primary_key=True)
    channel: Named[str] = Column(String)
    anchor: Named[str] = Column(String)
    guest: Named[bool] = Column(Boolean)
    """The thread belongs to another case, and this one speaks there as well: a fix in its bug's thread."""


threads = Table(
    "threads",
    metadata,
    _Threads,
    Index(
        "uq_threads_owner",
        "surface",
        "channel",
        "anchor",
        unique=True,
        sqlite_where=text("NOT guest"),
        postgresql_where=text("NOT guest"),
    ),
    Index(None, "surface", "channel", "anchor"),
)
