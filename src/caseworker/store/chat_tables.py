"""The tables of chat: turns and proposals of a thread, and the rules that owners gave for reviews."""

from datetime import datetime

from sqlalchemy import (
    CheckConstraint,
    Column,
    Index,
    Named,
    String,
    Table,
    TypedColumns,
    UniqueConstraint,
    text,
)

from caseworker.store.columns import Document, UtcTime, WideInteger, Words
from caseworker.store.tables import metadata


class _ChatTurns(TypedColumns):
    """No reference to a case: a thread may have none."""

    id: Named[int] = Column(WideInteger, primary_key=True)
    surface: Named[str] = Column(String)
    channel: Named[str] = Column(String)
    anchor: Named[str] = Column(String)
    comment: Named[str] = Column(String)
    author: Named[str] = Column(String)
    side: Named[str] = Column(String)
    said: Named[str] = Column(Words, nullable=False)
    act: Named[dict[str, object]] = Column(Document, nullable=False)
    at: Named[datetime] = Column(UtcTime, nullable=False)


chat_turns = Table(
    "chat_turns",
    metadata,
    _ChatTurns,
    UniqueConstraint("surface", "channel", "anchor", "comment"),
)


class _Proposals(TypedColumns):
    id: Named[int] = Column(WideInteger, primary_key=True)
    surface: Named[str] = Column(String)
    channel: Named[str] = Column(String)
    anchor: Named[str] = Column(String)
    payload: Named[dict[str, object]] = Column(Document, nullable=False)
    text: Named[str] = Column(Words, nullable=False)
    proposed_in: Named[str] = Column(String)
    """The comment that led to it."""
    proposed_at: Named[datetime] = Column(UtcTime, nullable=False)
    expires_at: Named[datetime] = Column(UtcTime, nullable=False)
    state: Named[str] = Column(String)
    decided_by: Named[str | None] = Column(String, nullable=True)
    decided_in: Named[str | None] = Column(String, nullable=True)


proposals = Table(
    "proposals",
    metadata,
    _Proposals,
    CheckConstraint("state IN ('open', 'approved', 'declined', 'replaced', 'expired')", name="state"),
    Index(
        "uq_proposals_open",
        "surface",
        "channel",
        "anchor",
        unique=True,
        sqlite_where=text("state = 'open'"),
        postgresql_where=text("state = 'open'"),
    ),
    sqlite_autoincrement=True,  # an approval names the id
)


class _ReviewLearnings(TypedColumns):
    """No references: they outlive the cases."""

    id: Named[int] = Column(WideInteger, primary_key=True)
    repository: Named[str] = Column(String)
    digest: Named[str] = Column(String)
    """Of the words and the paths, however they were written."""
    scope: Named[str] = Column(String)
    glob: Named[str] = Column(String)
    text: Named[str] = Column(Words, nullable=False)
    author: Named[str] = Column(String)
    source: Named[str] = Column(String)
    at: Named[datetime] = Column(UtcTime, nullable=False)


review_learnings = Table(
    "review_learnings",
    metadata,
    _ReviewLearnings,
    UniqueConstraint("repository", "digest"),
    sqlite_autoincrement=True,  # an id that a person was shown is never another's
)
