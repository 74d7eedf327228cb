"""The tables, except those of repositories (repository_tables.py), messages (message_tables.py), runs (run_tables.py)
and places (place_tables.py).

A change here needs the same change in migrations/: docs/upgrades.md says how.
"""

from datetime import datetime

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Named,
    String,
    Table,
    Text,
    TypedColumns,
    UniqueConstraint,
    text,
)

from caseworker.store.columns import Document, UtcTime, WideInteger, Words

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)
"""Migrations name their constraints by this convention too, so it does not change after 1.0."""


class _Cases(TypedColumns):
    """Cases of all kinds: what a kind does not have is null. core/kinds.py lists the kinds, so no constraint does."""

    id: Named[str] = Column(String, primary_key=True)
    kind: Named[str] = Column(String)
    parent: Named[str | None] = Column(String, ForeignKey("cases.id"), nullable=True)
    """The bug that this issue case fixes."""
    repository: Named[str] = Column(String)
    number: Named[int | None] = Column(Integer, nullable=True)
    title: Named[str] = Column(Words, nullable=False)
    report: Named[str | None] = Column(Words, nullable=True)
    reporter: Named[str | None] = Column(Words, nullable=True)
    surface: Named[str | None] = Column(String, nullable=True)
    state: Named[str] = Column(String)
    """As in the snapshot; a column, so that it can be asked for without reading every case."""
    over: Named[bool] = Column(Boolean, nullable=False)
    """Ended, with everything done that follows from the end. The workflow may be gone."""
    snapshot: Named[dict[str, object]] = Column(Document, nullable=False)
    policy: Named[dict[str, object]] = Column(Document, nullable=False)
    file: Named[dict[str, object] | None] = Column(Document(none_as_null=True), nullable=True)
    rehearsal: Named[str | None] = Column(Words, nullable=True)
    trace: Named[str] = Column(String)
    sequence: Named[int] = Column(Integer)
    """The number of the newest record entry: counted here, since only a row can be locked on every database."""
    opened_at: Named[datetime] = Column(UtcTime, nullable=False)
    changed_at: Named[datetime] = Column(UtcTime, nullable=False)


cases = Table(
    "cases",
    metadata,
    _Cases,
    Index(None, "kind", "changed_at"),
    Index(None, "changed_at", "id"),  # the board's order, and what has changed since a moment
    Index(None, "over", "state"),
    Index(None, "repository", "kind", "state"),  # counts of the board, without reading the wide rows
)


class _Record(TypedColumns):
    case: Named[str] = Column("case_id", String, ForeignKey("cases.id"), key="case", primary_key=True)
    sequence: Named[int] = Column(Integer, primary_key=True, autoincrement=False)
    at: Named[datetime] = Column(UtcTime, nullable=False)
    trace: Named[str] = Column(String)
    version: Named[int] = Column(Integer)
    kind: Named[str] = Column(String)
    body: Named[dict[str, object]] = Column(Document, nullable=False)


record = Table("record", metadata, _Record)


class _RecordKeys(TypedColumns):
    case: Named[str] = Column("case_id", String, ForeignKey("cases.id"), key="case", primary_key=True)
    key: Named[str] = Column(String, primary_key=True)


record_keys = Table("record_keys", metadata, _RecordKeys)


class _Turns(TypedColumns):
    case: Named[str] = Column("case_id", String, ForeignKey("cases.id"), key="case", primary_key=True)
    turn: Named[int] = Column(Integer, primary_key=True, autoincrement=False)
    role: Named[str] = Column(String)
    task: Named[str] = Column(String)
    result: Named[dict[str, object] | None] = Column(Document(none_as_null=True), nullable=True)
    """The FinishedTurn. Null: not finished."""


turns = Table("turns", metadata, _Turns)


class _Attempts(TypedColumns):
    case: Named[str] = Column("case_id", String, key="case", primary_key=True)
    turn: Named[int] = Column(Integer, primary_key=True, autoincrement=False)
    number: Named[int] = Column(Integer, primary_key=True, autoincrement=False)
    token: Named[str] = Column(String, unique=True)
    session: Named[str] = Column(String, unique=True)
    state: Named[str] = Column(String)
    reason: Named[str] = Column(Words, nullable=False)
    worker: Named[str] = Column(String)
    activity: Named[bytes] = Column(LargeBinary)
    trace: Named[str] = Column(String)
    started_at: Named[datetime] = Column(UtcTime, nullable=False)
    ended_at: Named[datetime | None] = Column(UtcTime, nullable=True)


attempts = Table(
    "attempts",
    metadata,
    _Attempts,
    ForeignKeyConstraint(["case", "turn"], ["turns.case", "turns.turn"]),
    CheckConstraint("state IN ('running', 'superseded', 'completed', 'failed')", name="state"),
    Index(
        "ix_attempts_running",
        "case",
        sqlite_where=text("state = 'running'"),
        postgresql_where=text("state = 'running'"),
    ),
)


class _Ledger(TypedColumns):
    id: Named[int] = Column(WideInteger, primary_key=True)
    case: Named[str | None] = Column("case_id", String, ForeignKey("cases.id"), key="case", nullable=True)
    turn: Named[int | None] = Column(Integer, nullable=True)
    attempt: Named[int | None] = Column(Integer, nullable=True)
    repository: Named[str | None] = Column(
        "repository_id", String, ForeignKey("repositories.id"), key="repository", nullable=True
    )
    purpose: Named[str | None] = Column(String, nullable=True)
    """Of a single question, which has no turn and no attempt. It is paid by a case or by a repository."""
    model: Named[str] = Column(String)
    rehearsed: Named[bool] = Column(Boolean)
    state: Named[str] = Column(String)
    reserved_micros: Named[int] = Column(WideInteger, nullable=False)
    micros: Named[int] = Column(WideInteger, nullable=False)
    """What counts against the cap now: the reservation, then the cost."""
    input_tokens: Named[int] = Column(WideInteger, nullable=False)
    output_tokens: Named[int] = Column(WideInteger, nullable=False)
    cache_write_tokens: Named[int] = Column(WideInteger, nullable=False)
    long_cache_write_tokens: Named[int] = Column(WideInteger, nullable=False)
    cache_read_tokens: Named[int] = Column(WideInteger, nullable=False)
    reserved_at: Named[datetime] = Column(UtcTime, nullable=False)
    settled_at: Named[datetime | None] = Column(UtcTime, nullable=True)


ledger = Table(
    "ledger",
    metadata,
    _Ledger,
    ForeignKeyConstraint(["case", "turn", "attempt"], ["attempts.case", "attempts.turn", "attempts.number"]),
    CheckConstraint("state IN ('reserved', 'settled', 'abandoned')", name="state"),
    CheckConstraint(
        "(purpose IS NULL) = (turn IS NOT NULL AND attempt IS NOT NULL)"
        " AND (case_id IS NULL) = (repository_id IS NOT NULL) AND (purpose IS NOT NULL OR case_id IS NOT NULL)",
        name="payer",
    ),
    Index(None, "case", "turn", "attempt"),
    Index(None, "reserved_at"),
    Index(
        "ix_ledger_repository",
        "repository",
        "reserved_at",
        sqlite_where=text("repository_id IS NOT NULL"),
        postgresql_where=text("repository_id IS NOT NULL"),
    ),
    sqlite_autoincrement=True,
)


class _Effects(TypedColumns):
    key: Named[str] = Column(String, primary_key=True)
    case: Named[str] = Column("case_id", String, ForeignKey("cases.id"), key="case", index=True, nullable=False)
    kind: Named[str] = Column(String)
    intent: Named[dict[str, str]] = Column(Document, nullable=False)
    result: Named[dict[str, str]] = Column(Document, nullable=False)
    intended_at: Named[datetime] = Column(UtcTime, nullable=False)
    done_at: Named[datetime | None] = Column(UtcTime, nullable=True)


effects = Table(
    "effects",
    metadata,
    _Effects,
    Index("ix_effects_begun", "kind", sqlite_where=text("done_at IS NULL"), postgresql_where=text("done_at IS NULL")),
)


class _Builds(TypedColumns):
    case: Named[str] = Column("case_id", String, ForeignKey("cases.id"), key="case", primary_key=True)
    number: Named[int] = Column(Integer, primary_key=True, autoincrement=False)
    build: Named[dict[str, object]] = Column(Document, nullable=False)
    saved_at: Named[datetime] = Column(UtcTime, nullable=False)


builds = Table("builds", metadata, _Builds)


class _Transcripts(TypedColumns):
    id: Named[int] = Column(WideInteger, primary_key=True)
    session: Named[str] = Column(String)
    subpath: Named[str] = Column(String)
    project: Named[str] = Column(String)
    uuid: Named[str | None] = Column(String, nullable=True)
    entry: Named[str] = Column(Text)
    """JSON as text: it is the agent's, we never look into it."""
    at: Named[datetime] = Column(UtcTime, nullable=False)


transcripts = Table(
    "transcripts",
    metadata,
    _Transcripts,
    UniqueConstraint("session", "subpath", "uuid"),  # entries without a uuid don't collide: NULLs differ
    Index(None, "project", "session"),
    sqlite_autoincrement=True,
)


class _Learnings(TypedColumns):
    """No references: they outlive the cases and the repository's folder."""

    id: Named[int] = Column(WideInteger, primary_key=True)
    repository: Named[str] = Column(String)
    digest: Named[str] = Column(String)
    """Of the words, however they were written."""
    type: Named[str] = Column(Words, nullable=False)
    content: Named[str] = Column(Words, nullable=False)
    seen: Named[int] = Column(Integer)
    first_case: Named[str] = Column(String)
    last_case: Named[str] = Column(String)
    first_at: Named[datetime] = Column(UtcTime, nullable=False)
    last_at: Named[datetime] = Column(UtcTime, nullable=False)
    approved_by: Named[str | None] = Column(String)


learnings = Table(
    "learnings",
    metadata,
    _Learnings,
    UniqueConstraint("repository", "digest"),
    sqlite_autoincrement=True,  # an id that a person was shown is never another's
)
