"""The first tables.

Written out, not taken from tables.py: that file goes on changing, and this must stay what it was.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_TIME = sa.DateTime(timezone=True)
_WIDE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _partial_index(name: str, table: str, columns: list[str], only: str, *, unique: bool = False) -> None:
    op.create_index(name, table, columns, unique=unique, sqlite_where=sa.text(only), postgresql_where=sa.text(only))


def upgrade() -> None:
    _local_repositories()
    _cases()
    _turns()
    _deliveries()


def _local_repositories() -> None:
    op.create_table(
        "repositories",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("registered_at", _TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_repositories"),
        sa.UniqueConstraint("path", name="uq_repositories_path"),
    )
    op.create_table(
        "issues",
        sa.Column("repository", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("labels", sa.JSON(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.ForeignKeyConstraint(["repository"], ["repositories.id"], name="fk_issues_repository"),
        sa.PrimaryKeyConstraint("repository", "number", name="pk_issues"),
        sa.UniqueConstraint("repository", "digest", name="uq_issues_repository_digest"),
    )


def _cases() -> None:
    op.create_table(
        "cases",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("repository", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("over", sa.Boolean(), nullable=False),
        sa.Column("snapshot", sa.JSON(), nullable=False),
        sa.Column("policy", sa.JSON(), nullable=False),
        sa.Column("file", sa.JSON(), nullable=False),
        sa.Column("rehearsal", sa.Text(), nullable=True),
        sa.Column("trace", sa.String(), nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("opened_at", _TIME, nullable=False),
        sa.Column("changed_at", _TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_cases"),
    )
    op.create_index("ix_cases_changed_at", "cases", ["changed_at"])
    op.create_index("ix_cases_over_state", "cases", ["over", "state"])
    op.create_table(
        "messages",
        sa.Column("id", _WIDE, nullable=False),
        sa.Column("case_id", sa.String(), nullable=False),
        sa.Column("surface", sa.String(), nullable=False),
        sa.Column("external_id", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("standing", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("trace", sa.String(), nullable=False),
        sa.Column("received_at", _TIME, nullable=False),
        sa.Column("turn", sa.Integer(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"], name="fk_messages_case_id"),
        sa.PrimaryKeyConstraint("id", name="pk_messages"),
        sa.UniqueConstraint("surface", "external_id", name="uq_messages_surface_external_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_messages_case_id_turn", "messages", ["case_id", "turn"])
    _partial_index("ix_messages_unclaimed", "messages", ["id"], "turn IS NULL")
    op.create_table(
        "record",
        sa.Column("case_id", sa.String(), nullable=False),
        sa.Column("sequence", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", _TIME, nullable=False),
        sa.Column("trace", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"], name="fk_record_case_id"),
        sa.PrimaryKeyConstraint("case_id", "sequence", name="pk_record"),
    )
    op.create_table(
        "record_keys",
        sa.Column("case_id", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"], name="fk_record_keys_case_id"),
        sa.PrimaryKeyConstraint("case_id", "key", name="pk_record_keys"),
    )


def _turns() -> None:
    op.create_table(
        "turns",
        sa.Column("case_id", sa.String(), nullable=False),
        sa.Column("turn", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("task", sa.String(), nullable=False),
        sa.Column("result", sa.JSON(), nullable=True),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"], name="fk_turns_case_id"),
        sa.PrimaryKeyConstraint("case_id", "turn", name="pk_turns"),
    )
    op.create_table(
        "attempts",
        sa.Column("case_id", sa.String(), nullable=False),
        sa.Column("turn", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("session", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("worker", sa.String(), nullable=False),
        sa.Column("activity", sa.LargeBinary(), nullable=False),
        sa.Column("trace", sa.String(), nullable=False),
        sa.Column("started_at", _TIME, nullable=False),
        sa.Column("ended_at", _TIME, nullable=True),
        sa.CheckConstraint("state IN ('running', 'superseded', 'completed', 'failed')", name="ck_attempts_state"),
        sa.ForeignKeyConstraint(["case_id", "turn"], ["turns.case_id", "turns.turn"], name="fk_attempts_case_id_turn"),
        sa.PrimaryKeyConstraint("case_id", "turn", "number", name="pk_attempts"),
        sa.UniqueConstraint("session", name="uq_attempts_session"),
        sa.UniqueConstraint("token", name="uq_attempts_token"),
    )
    _partial_index("ix_attempts_running", "attempts", ["case_id"], "state = 'running'")
    op.create_table(
        "ledger",
        sa.Column("id", _WIDE, nullable=False),
        sa.Column("case_id", sa.String(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("rehearsed", sa.Boolean(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("reserved_micros", _WIDE, nullable=False),
        sa.Column("micros", _WIDE, nullable=False),
        sa.Column("input_tokens", _WIDE, nullable=False),
        sa.Column("output_tokens", _WIDE, nullable=False),
        sa.Column("cache_write_tokens", _WIDE, nullable=False),
        sa.Column("long_cache_write_tokens", _WIDE, nullable=False),
        sa.Column("cache_read_tokens", _WIDE, nullable=False),
        sa.Column("reserved_at", _TIME, nullable=False),
        sa.Column("settled_at", _TIME, nullable=True),
        sa.CheckConstraint("state IN ('reserved', 'settled', 'abandoned')", name="ck_ledger_state"),
        sa.ForeignKeyConstraint(
            ["case_id", "turn", "attempt"],
            ["attempts.case_id", "attempts.turn", "attempts.number"],
            name="fk_ledger_case_id_turn_attempt",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_ledger"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_ledger_case_id_turn_attempt", "ledger", ["case_id", "turn", "attempt"])
    op.create_table(
        "transcripts",
        sa.Column("id", _WIDE, nullable=False),
        sa.Column("session", sa.String(), nullable=False),
        sa.Column("subpath", sa.String(), nullable=False),
        sa.Column("project", sa.String(), nullable=False),
        sa.Column("uuid", sa.String(), nullable=True),
        sa.Column("entry", sa.Text(), nullable=False),
        sa.Column("at", _TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_transcripts"),
        sa.UniqueConstraint("session", "subpath", "uuid", name="uq_transcripts_session_subpath_uuid"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_transcripts_project_session", "transcripts", ["project", "session"])


def _deliveries() -> None:
    op.create_table(
        "effects",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("case_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("intent", sa.JSON(), nullable=False),
        sa.Column("result", sa.JSON(), nullable=False),
        sa.Column("intended_at", _TIME, nullable=False),
        sa.Column("done_at", _TIME, nullable=True),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"], name="fk_effects_case_id"),
        sa.PrimaryKeyConstraint("key", name="pk_effects"),
    )
    op.create_index("ix_effects_case_id", "effects", ["case_id"])
    op.create_table(
        "builds",
        sa.Column("case_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("build", sa.JSON(), nullable=False),
        sa.Column("saved_at", _TIME, nullable=False),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"], name="fk_builds_case_id"),
        sa.PrimaryKeyConstraint("case_id", "number", name="pk_builds"),
    )
    op.create_table(
        "pulls",
        sa.Column("repository", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("case_id", sa.String(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("base", sa.String(), nullable=False),
        sa.Column("head", sa.String(), nullable=False),
        sa.Column("head_sha", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.CheckConstraint("state IN ('open', 'merged', 'closed')", name="ck_pulls_state"),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"], name="fk_pulls_case_id"),
        sa.ForeignKeyConstraint(["repository"], ["repositories.id"], name="fk_pulls_repository"),
        sa.PrimaryKeyConstraint("repository", "number", name="pk_pulls"),
    )
    op.create_index("ix_pulls_case_id", "pulls", ["case_id"])
    _partial_index("uq_pulls_open_head", "pulls", ["repository", "head"], "state = 'open'", unique=True)
