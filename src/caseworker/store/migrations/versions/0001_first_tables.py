"""The tables of version 1.0, in the order of their references.

Written out, not taken from tables.py: that file will change, and a released migration must not. Constraints and indexes
without a name get theirs from the naming convention in tables.py, a check constraint as `ck_<table>_<its name here>`.
"""

import sqlalchemy as sa
from alembic import op

from caseworker.store.migrations.bug_conversations import create_view
from caseworker.store.migrations.column_kinds import (
    BOOLEAN,
    BYTES,
    INTEGER,
    JSON,
    STRING,
    TEXT,
    TIME,
    WIDE,
    optional,
    partial_index,
    required,
)
from caseworker.store.migrations.create_chat import create_chat
from caseworker.store.migrations.delivery_tables_of_1_0 import create_deliveries

revision = "0001"
down_revision = None


def upgrade() -> None:
    _create_repositories()
    _create_cases()
    _create_messages()
    _create_turns()
    _create_ledger()
    _create_effects()
    _create_learnings()
    _create_caps()
    create_chat()
    create_deliveries()
    op.execute(create_view(op.get_bind().dialect.name))


def _create_repositories() -> None:
    op.create_table(
        "repositories",
        sa.Column("id", STRING, primary_key=True),
        *required(STRING, "kind"),
        sa.Column("path", STRING, nullable=True, unique=True),
        *optional(STRING, "host", "owner", "name"),
        *required(TIME, "registered_at"),
        sa.CheckConstraint("kind IN ('local', 'remote')", name="kind"),
        sa.UniqueConstraint("host", "owner", "name"),
    )
    op.create_table(
        "issues",
        sa.Column("repository", STRING, sa.ForeignKey("repositories.id"), primary_key=True),
        sa.Column("number", INTEGER, primary_key=True, autoincrement=False),
        *required(STRING, "digest", "url"),
        *required(TEXT, "title", "body"),
        *required(JSON, "labels"),
        *required(TIME, "created_at"),
        sa.UniqueConstraint("repository", "digest"),
    )


def _create_cases() -> None:
    op.create_table(
        "cases",
        sa.Column("id", STRING, primary_key=True),
        sa.Column("parent", STRING, sa.ForeignKey("cases.id"), nullable=True),
        *required(STRING, "kind", "repository", "state", "trace"),
        *required(TEXT, "title"),
        *required(INTEGER, "sequence"),
        *required(BOOLEAN, "over"),
        *required(JSON, "snapshot", "policy"),
        *required(TIME, "opened_at", "changed_at"),
        *optional(STRING, "surface"),
        *optional(TEXT, "report", "reporter", "rehearsal"),
        *optional(INTEGER, "number"),
        *optional(JSON, "file"),
        sa.Index(None, "kind", "changed_at"),
        sa.Index(None, "changed_at", "id"),
        sa.Index(None, "over", "state"),
        sa.Index(None, "repository", "kind", "state"),
    )
    op.create_table(
        "runs",
        sa.Column("id", WIDE, primary_key=True),
        sa.Column("case_id", STRING, sa.ForeignKey("cases.id"), nullable=False, index=True),
        *required(STRING, "workflow"),
        *required(INTEGER, "turns_before"),
        *required(TIME, "began_at"),
        *optional(STRING, "ended_as"),
        *optional(TIME, "ended_at"),
        *optional(JSON, "discussion"),
        sa.CheckConstraint("ended_as IN ('succeeded', 'failed', 'incomplete')", name="ended_as"),
        partial_index("uq_runs_in_flight", "case_id", "workflow", where="ended_at IS NULL", unique=True),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "record",
        sa.Column("case_id", STRING, sa.ForeignKey("cases.id"), primary_key=True),
        sa.Column("sequence", INTEGER, primary_key=True, autoincrement=False),
        *required(STRING, "trace", "kind"),
        *required(INTEGER, "version"),
        *required(JSON, "body"),
        *required(TIME, "at"),
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
        *required(STRING, "surface", "standing", "kind", "trace"),
        *required(TEXT, "external_id", "author", "text"),
        *required(TIME, "received_at"),
        *required(JSON, "command"),
        *required(BOOLEAN, "refused"),
        *optional(TEXT, "reference", "refers_to", "outcome"),
        *optional(INTEGER, "turn"),
        sa.UniqueConstraint("surface", "external_id"),
        partial_index(
            "uq_messages_surface_reference", "surface", "reference", where="reference IS NOT NULL", unique=True
        ),
        sa.Index(None, "case_id", "turn"),
        sa.Index(None, "case_id", "id"),
        partial_index("ix_messages_unclaimed", "id", where="turn IS NULL"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "attachments",
        sa.Column("id", WIDE, primary_key=True),
        sa.Column("message_id", WIDE, sa.ForeignKey("messages.id"), nullable=False),
        sa.Column("case_id", STRING, sa.ForeignKey("cases.id"), nullable=False, index=True),
        *required(TEXT, "title", "media_type", "source", "problem"),
        *required(INTEGER, "position"),
        *required(WIDE, "size"),
        *optional(BYTES, "content"),
        sa.UniqueConstraint("message_id", "position"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "threads",
        sa.Column("case_id", STRING, sa.ForeignKey("cases.id"), primary_key=True),
        sa.Column("audience", STRING, primary_key=True),
        sa.Column("surface", STRING, primary_key=True),
        *required(STRING, "channel", "anchor"),
        *required(BOOLEAN, "guest"),
        partial_index("uq_threads_owner", "surface", "channel", "anchor", where="NOT guest", unique=True),
        sa.Index("ix_threads_surface_channel_anchor", "surface", "channel", "anchor"),
    )


def _create_turns() -> None:
    op.create_table(
        "turns",
        sa.Column("case_id", STRING, sa.ForeignKey("cases.id"), primary_key=True),
        sa.Column("turn", INTEGER, primary_key=True, autoincrement=False),
        *required(STRING, "role", "task"),
        *optional(JSON, "result"),
    )
    op.create_table(
        "attempts",
        sa.Column("case_id", STRING, primary_key=True),
        sa.Column("turn", INTEGER, primary_key=True, autoincrement=False),
        sa.Column("number", INTEGER, primary_key=True, autoincrement=False),
        sa.Column("token", STRING, nullable=False, unique=True),
        sa.Column("session", STRING, nullable=False, unique=True),
        *required(STRING, "state", "worker", "trace"),
        *required(TEXT, "reason"),
        *required(BYTES, "activity"),
        *required(TIME, "started_at"),
        *optional(TIME, "ended_at"),
        sa.ForeignKeyConstraint(["case_id", "turn"], ["turns.case_id", "turns.turn"]),
        sa.CheckConstraint("state IN ('running', 'superseded', 'completed', 'failed')", name="state"),
        partial_index("ix_attempts_running", "case_id", where="state = 'running'"),
    )
    op.create_table(
        "transcripts",
        sa.Column("id", WIDE, primary_key=True),
        *required(STRING, "session", "subpath", "project"),
        *required(TEXT, "entry"),
        *required(TIME, "at"),
        *optional(STRING, "uuid"),
        sa.UniqueConstraint("session", "subpath", "uuid"),
        sa.Index(None, "project", "session"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "places",
        sa.Column("ticket", WIDE, primary_key=True),
        sa.Column("case_id", STRING, sa.ForeignKey("cases.id"), nullable=False),
        *required(INTEGER, "turn"),
        *required(BOOLEAN, "held"),
        *required(TIME, "renewed_at"),
        sa.UniqueConstraint("case_id", "turn"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "forge_writes",
        sa.Column("id", WIDE, primary_key=True),
        *required(STRING, "account", "kind"),
        *required(TIME, "at"),
        sa.Index(None, "account", "at"),
    )


def _create_ledger() -> None:
    op.create_table(
        "ledger",
        sa.Column("id", WIDE, primary_key=True),
        sa.Column("case_id", STRING, sa.ForeignKey("cases.id")),
        *optional(INTEGER, "turn", "attempt"),
        sa.Column("repository_id", STRING, sa.ForeignKey("repositories.id")),
        *optional(STRING, "purpose"),
        *required(STRING, "model", "state"),
        *required(WIDE, "reserved_micros", "micros", "input_tokens", "output_tokens"),
        *required(WIDE, "cache_write_tokens", "long_cache_write_tokens", "cache_read_tokens"),
        *required(BOOLEAN, "rehearsed"),
        *required(TIME, "reserved_at"),
        *optional(TIME, "settled_at"),
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
        sa.Index(None, "reserved_at"),
        partial_index("ix_ledger_repository", "repository_id", "reserved_at", where="repository_id IS NOT NULL"),
        sqlite_autoincrement=True,
    )


def _create_effects() -> None:
    op.create_table(
        "effects",
        sa.Column("key", STRING, primary_key=True),
        sa.Column("case_id", STRING, sa.ForeignKey("cases.id"), nullable=False, index=True),
        *required(STRING, "kind"),
        *required(JSON, "intent", "result"),
        *required(TIME, "intended_at"),
        *optional(TIME, "done_at"),
        partial_index("ix_effects_begun", "kind", where="done_at IS NULL"),
    )
    op.create_table(
        "builds",
        sa.Column("case_id", STRING, sa.ForeignKey("cases.id"), primary_key=True),
        sa.Column("number", INTEGER, primary_key=True, autoincrement=False),
        *required(JSON, "build"),
        *required(TIME, "saved_at"),
    )
    op.create_table(
        "pulls",
        sa.Column("repository", STRING, sa.ForeignKey("repositories.id"), primary_key=True),
        sa.Column("number", INTEGER, primary_key=True, autoincrement=False),
        sa.Column("case_id", STRING, sa.ForeignKey("cases.id"), nullable=True, index=True),
        *required(STRING, "base", "head", "head_sha", "state", "url"),
        *required(TEXT, "title", "body"),
        sa.CheckConstraint("state IN ('open', 'merged', 'closed')", name="state"),
        partial_index("uq_pulls_open_head", "repository", "head", where="state = 'open'", unique=True),
    )


def _create_learnings() -> None:
    op.create_table(
        "learnings",
        sa.Column("id", WIDE, primary_key=True),
        *required(STRING, "repository", "digest", "first_case", "last_case"),
        *required(TEXT, "type", "content"),
        *required(INTEGER, "seen"),
        *required(TIME, "first_at", "last_at"),
        *optional(STRING, "approved_by"),
        sa.UniqueConstraint("repository", "digest"),
        sqlite_autoincrement=True,
    )


def _create_caps() -> None:
    op.create_table(
        "caps",
        sa.Column("name", STRING, primary_key=True),
        *required(WIDE, "value"),
        *required(STRING, "set_by"),
        *required(TIME, "set_at"),
    )
