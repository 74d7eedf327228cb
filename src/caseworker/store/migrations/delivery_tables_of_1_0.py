"""The tables of version 1.0 for what comes from a forge. Part of migration 0001, in a file of its own for its size."""

import sqlalchemy as sa
from alembic import op

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


def create_deliveries() -> None:
    op.create_table(
        "deliveries",
        sa.Column("id", WIDE, primary_key=True),
        *required(TEXT, "guid", "event", "action", "repository", "actor", "lane", "subject"),
        *required(STRING, "source", "outcome"),
        *required(BOOLEAN, "is_repeat", "is_open"),
        *required(JSON, "detail"),
        *required(INTEGER, "tries"),
        *required(TIME, "received_at"),
        *optional(WIDE, "number"),
        *optional(BYTES, "body"),
        *optional(TEXT, "intent"),
        *optional(STRING, "claim"),
        *optional(TIME, "happened_at", "settled_at", "claimed_until", "again_at"),
        partial_index("uq_deliveries_guid", "guid", where="NOT is_repeat", unique=True),
        partial_index("ix_deliveries_open", "lane", "id", where="is_open"),
        sa.Index(None, "subject", "id"),
        sa.Index(None, "outcome", "id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "dispatches",
        sa.Column("key", TEXT, primary_key=True),
        sa.Column("run_id", WIDE, sa.ForeignKey("runs.id"), nullable=False, index=True),
        sa.Column("case_id", STRING, sa.ForeignKey("cases.id"), nullable=False, index=True),
        *required(STRING, "workflow"),
        *required(TEXT, "reference"),
        *optional(STRING, "told"),
    )
    op.create_table(
        "tracking_comments",
        sa.Column("run_id", WIDE, sa.ForeignKey("runs.id"), primary_key=True),
        *required(STRING, "digest"),
        *required(BOOLEAN, "is_tidy"),
        *optional(WIDE, "comment_id"),
        *optional(STRING, "shows", "claim"),
        *optional(TIME, "written_at", "claimed_until", "again_at"),
    )
