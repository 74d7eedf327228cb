"""The tables of version 1.0, in the order of their references.

Written out, not taken from tables.py: that file will change, and a released migration must not. Constraints and indexes
without a name get theirs from the naming convention in tables.py, a check constraint as `ck_<table>_<its name here>`.
"""

from typing import TypeVar

import sqlalchemy as sa
from alembic import op
from sqlalchemy.types import TypeEngine

from caseworker.store.migrations.bug_conversations import create_view

revision = "0001"
down_revision = None

T = TypeVar("T")

STRING = sa.String()
TEXT = sa.Text()
INTEGER = sa.Integer()
BOOLEAN = sa.Boolean()
JSON = sa.JSON()
BYTES = sa.LargeBinary()
TIME = sa.DateTime(timezone=True)
WIDE = sa.BigInteger().with_variant(INTEGER, "sqlite")


def upgrade() -> None:
    _create_repositories()
    _create_cases()
    _create_messages()
    _create_turns()
    _create_ledger()
    _create_deliveries()
    _create_learnings()
    op.execute(create_view(op.get_bind().dialect.name))


def _create_repositories() -> None:
    op.create_table(
        "repositories",
        sa.Column("id", STRING, primary_key=True),
        *_required(STRING, "kind"),
        sa.Column("path", STRING, nullable=True, unique=True),
        *_optional(STRING, "host", "owner", "name"),
        *_required(TIME, "registered_at"),
        sa.CheckConstraint("kind IN ('local', 'remote')", name="kind"),
        sa.UniqueConstraint("host", "owner", "name"),
    )
    op.create_table(
        "issues",
        sa.Column("repository", STRING, sa.ForeignKey("repositories.id"), primary_key=True),
        sa.Column("number", INTEGER, primary_key=True, autoincrement=False),
        *_required(STRING, "digest", "url"),
        *_required(TEXT, "title", "body"),
        *_required(JSON, "labels"),
        *_required(TIME, "created_at"),
        sa.UniqueConstraint("repository", "digest"),
    )


def _create_cases() -> None:
    op.create_table(
        "cases",
        sa.Column("id", STRING, primary_key=True),
        sa.Column("parent", STRING, sa.ForeignKey("cases.id"), nullable=True),
        *_required(STRING, "kind", "repository", "state", "trace"),
        *_required(TEXT, "title"),
        *_required(INTEGER, "sequence"),
        *_required(BOOLEAN, "over"),
        *_required(JSON, "snapshot", "policy"),
        *_required(TIME, "opened_at", "changed_at"),
        *_optional(STRING, "surface"),
        *_optional(TEXT, "report", "reporter", "rehearsal"),
        *_optional(INTEGER, "number"),
        *_optional(JSON, "file"),
        sa.Index(None, "kind", "changed_at"),
        sa.Index(None, "over", "state"),
    )
    op.create_table(
        "runs",
        sa.Column("id", WIDE, primary_key=True),
        sa.Column("case_id", STRING, sa.ForeignKey("cases.id"), nullable=False, index=True),
        *_required(STRING, "workflow"),
        *_required(INTEGER, "turns_before"),
        *_required(TIME, "began_at"),
        *_optional(STRING, "ended_as"),
        *_optional(TIME, "ended_at"),
        sa.CheckConstraint("ended_as IN ('succeeded', 'failed', 'incomplete')", name="ended_as"),
        _partial_index("uq_runs_in_flight", "case_id", "workflow", where="ended_at IS NULL", unique=True),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "record",
        sa.Column("case_id", STRING, sa.ForeignKey("cases.id"), primary_key=True),
        sa.Column("sequence", INTEGER, primary_key=True, autoincrement=False),
        *_required(STRING, "trace", "kind"),
        *_required(INTEGER, "version"),
        *_required(JSON, "body"),
        *_required(TIME, "at"),
    )
    op.create_table(
        "record_keys",
        sa.Column("case_id", STRING, sa.ForeignKey("cases.id"), primary_key=True),
        sa.Column("key", STRING, primary_key=True),
    )


def _create_messages() -> None:
    op.create_table(
        "messages",
        sa.Column("id", WIDE, primary_key=True),
        sa.Column("case_id", STRING, sa.ForeignKey("cases.id"), nullable=False),
        *_required(STRING, "surface", "standing", "kind", "trace"),
        *_required(TEXT, "external_id", "author", "text"),
        *_required(TIME, "received_at"),
        *_required(JSON, "command"),
        *_required(BOOLEAN, "refused"),
        *_optional(TEXT, "reference", "refers_to", "outcome"),
        *_optional(INTEGER, "turn"),
        sa.UniqueConstraint("surface", "external_id"),
        _partial_index(
            "uq_messages_surface_reference", "surface", "reference", where="reference IS NOT NULL", unique=True
        ),
        sa.Index(None, "case_id", "turn"),
        sa.Index(None, "case_id", "id"),
        _partial_index("ix_messages_unclaimed", "id", where="turn IS NULL"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "attachments",
        sa.Column("id", WIDE, primary_key=True),
        sa.Column("message_id", WIDE, sa.ForeignKey("messages.id"), nullable=False),
        sa.Column("case_id", STRING, sa.ForeignKey("cases.id"), nullable=False, index=True),
        *_required(TEXT, "title", "media_type", "source", "problem"),
        *_required(INTEGER, "position"),
        *_required(WIDE, "size"),
        *_optional(BYTES, "content"),
        sa.UniqueConstraint("message_id", "position"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "threads",
        sa.Column("case_id", STRING, sa.ForeignKey("cases.id"), primary_key=True),
        sa.Column("audience", STRING, primary_key=True),
        sa.Column("surface", STRING, primary_key=True),
        *_required(STRING, "channel", "anchor"),
        *_required(BOOLEAN, "guest"),
        _partial_index("uq_threads_owner", "surface", "channel", "anchor", where="NOT guest", unique=True),
        sa.Index("ix_threads_surface_channel_anchor", "surface", "channel", "anchor"),
    )


def _create_turns() -> None:
    op.create_table(
        "turns",
        sa.Column("case_id", STRING, sa.ForeignKey("cases.id"), primary_key=True),
        sa.Column("turn", INTEGER, primary_key=True, autoincrement=False),
        *_required(STRING, "role", "task"),
        *_optional(JSON, "result"),
    )
    op.create_table(
        "attempts",
        sa.Column("case_id", STRING, primary_key=True),
        sa.Column("turn", INTEGER, primary_key=True, autoincrement=False),
        sa.Column("number", INTEGER, primary_key=True, autoincrement=False),
        sa.Column("token", STRING, nullable=False, unique=True),
        sa.Column("session", STRING, nullable=False, unique=True),
        *_required(STRING, "state", "worker", "trace"),
        *_required(TEXT, "reason"),
        *_required(BYTES, "activity"),
        *_required(TIME, "started_at"),
        *_optional(TIME, "ended_at"),
        sa.ForeignKeyConstraint(["case_id", "turn"], ["turns.case_id", "turns.turn"]),
        sa.CheckConstraint("state IN ('running', 'superseded', 'completed', 'failed')", name="state"),
        _partial_index("ix_attempts_running", "case_id", where="state = 'running'"),
    )
    op.create_table(
        "transcripts",
        sa.Column("id", WIDE, primary_key=True),
        *_required(STRING, "session", "subpath", "project"),
        *_required(TEXT, "entry"),
        *_required(TIME, "at"),
        *_optional(STRING, "uuid"),
        sa.UniqueConstraint("session", "subpath", "uuid"),
        sa.Index(None, "project", "session"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "places",
        sa.Column("ticket", WIDE, primary_key=True),
        sa.Column("case_id", STRING, sa.ForeignKey("cases.id"), nullable=False),
        *_required(INTEGER, "turn"),
        *_required(BOOLEAN, "held"),
        *_required(TIME, "renewed_at"),
        sa.UniqueConstraint("case_id", "turn"),
        sqlite_autoincrement=True,
    )


def _create_ledger() -> None:
    op.create_table(
        "ledger",
        sa.Column("id", WIDE, primary_key=True),
        sa.Column("case_id", STRING, sa.ForeignKey("cases.id")),
        *_optional(INTEGER, "turn", "attempt"),
        sa.Column("repository_id", STRING, sa.ForeignKey("repositories.id")),
        *_optional(STRING, "purpose"),
        *_required(STRING, "model", "state"),
        *_required(WIDE, "reserved_micros", "micros", "input_tokens", "output_tokens"),
        *_required(WIDE, "cache_write_tokens", "long_cache_write_tokens", "cache_read_tokens"),
        *_required(BOOLEAN, "rehearsed"),
        *_required(TIME, "reserved_at"),
        *_optional(TIME, "settled_at"),
        sa.ForeignKeyConstraint(
            ["case_id", "turn", "attempt"], ["attempts.case_id", "attempts.turn", "attempts.number"]
        ),
        sa.CheckConstraint("state IN ('reserved', 'settled', 'abandoned')", name="state"),
        sa.CheckConstraint(
            "(purpose IS NULL) = (turn IS NOT NULL AND attempt IS NOT NULL)"
            " AND (case_id IS NULL) = (repository_id IS NOT NULL) AND (purpose IS NOT NULL OR case_id IS NOT NULL)",
            name="payer",
        ),
        sa.Index(None, "case_id", "turn", "attempt"),
        _partial_index("ix_ledger_repository", "repository_id", "reserved_at", where="repository_id IS NOT NULL"),
        sqlite_autoincrement=True,
    )


def _create_deliveries() -> None:
    op.create_table(
        "effects",
        sa.Column("key", STRING, primary_key=True),
        sa.Column("case_id", STRING, sa.ForeignKey("cases.id"), nullable=False, index=True),
        *_required(STRING, "kind"),
        *_required(JSON, "intent", "result"),
        *_required(TIME, "intended_at"),
        *_optional(TIME, "done_at"),
        _partial_index("ix_effects_begun", "kind", where="done_at IS NULL"),
    )
    op.create_table(
        "builds",
        sa.Column("case_id", STRING, sa.ForeignKey("cases.id"), primary_key=True),
        sa.Column("number", INTEGER, primary_key=True, autoincrement=False),
        *_required(JSON, "build"),
        *_required(TIME, "saved_at"),
    )
    op.create_table(
        "pulls",
        sa.Column("repository", STRING, sa.ForeignKey("repositories.id"), primary_key=True),
        sa.Column("number", INTEGER, primary_key=True, autoincrement=False),
        sa.Column("case_id", STRING, sa.ForeignKey("cases.id"), nullable=True, index=True),
        *_required(STRING, "base", "head", "head_sha", "state", "url"),
        *_required(TEXT, "title", "body"),
        sa.CheckConstraint("state IN ('open', 'merged', 'closed')", name="state"),
        _partial_index("uq_pulls_open_head", "repository", "head", where="state = 'open'", unique=True),
    )


def _create_learnings() -> None:
    op.create_table(
        "learnings",
        sa.Column("id", WIDE, primary_key=True),
        *_required(STRING, "repository", "digest", "first_case", "last_case"),
        *_required(TEXT, "type", "content"),
        *_required(INTEGER, "seen"),
        *_required(TIME, "first_at", "last_at"),
        sa.UniqueConstraint("repository", "digest"),
        sqlite_autoincrement=True,
    )


def _required(of_type: TypeEngine[T], *names: str) -> list[sa.Column[T]]:
    """Columns of one type that are never null."""
    return [sa.Column(name, of_type, nullable=False) for name in names]


def _optional(of_type: TypeEngine[T], *names: str) -> list[sa.Column[T]]:
    """Columns of one type that may be null."""
    return [sa.Column(name, of_type, nullable=True) for name in names]


def _partial_index(name: str, *columns: str, where: str, unique: bool = False) -> sa.Index:
    """An index of the rows that meet `where`."""
    only = sa.text(where)
    return sa.Index(name, *columns, unique=unique, sqlite_where=only, postgresql_where=only)
