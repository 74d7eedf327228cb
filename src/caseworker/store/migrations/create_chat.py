"""The tables of chat and of owners' rules in version 1.0. Part of revision 0001."""

import sqlalchemy as sa
from alembic import op

from caseworker.store.migrations.column_kinds import JSON, STRING, TEXT, TIME, WIDE, optional, partial_index, required


def create_chat() -> None:
    op.create_table(
        "chat_turns",
        sa.Column("id", WIDE, primary_key=True),
        *required(STRING, "surface", "channel", "anchor", "comment", "author", "side"),
        *required(TEXT, "said"),
        *required(JSON, "act"),
        *required(TIME, "at"),
        sa.UniqueConstraint("surface", "channel", "anchor", "comment"),
    )
    op.create_table(
        "proposals",
        sa.Column("id", WIDE, primary_key=True),
        *required(STRING, "surface", "channel", "anchor", "proposed_in", "state"),
        *required(JSON, "payload"),
        *required(TEXT, "text"),
        *required(TIME, "proposed_at", "expires_at"),
        *optional(STRING, "decided_by", "decided_in"),
        sa.CheckConstraint("state IN ('open', 'approved', 'declined', 'replaced', 'expired')", name="state"),
        partial_index("uq_proposals_open", "surface", "channel", "anchor", where="state = 'open'", unique=True),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "review_learnings",
        sa.Column("id", WIDE, primary_key=True),
        *required(STRING, "repository", "digest", "scope", "glob", "author", "source"),
        *required(TEXT, "text"),
        *required(TIME, "at"),
        sa.UniqueConstraint("repository", "digest"),
        sqlite_autoincrement=True,
    )
