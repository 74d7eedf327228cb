"""What cases have found out about their repositories.

Written out, not taken from tables.py: that file goes on changing, and this must stay what it was.
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "learnings",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("repository", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("seen", sa.Integer(), nullable=False),
        sa.Column("first_case", sa.String(), nullable=False),
        sa.Column("last_case", sa.String(), nullable=False),
        sa.Column("first_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_learnings"),
        sa.UniqueConstraint("repository", "digest", name="uq_learnings_repository_digest"),
        sqlite_autoincrement=True,
    )
