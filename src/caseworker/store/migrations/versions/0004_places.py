"""Who of the developers is at work, over all workers.

Written out, not taken from place_tables.py: that file goes on changing, and this must stay what it was.
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "places",
        sa.Column("ticket", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("case_id", sa.String(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("held", sa.Boolean(), nullable=False),
        sa.Column("renewed_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("ticket", name="pk_places"),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"], name="fk_places_case_id"),
        sa.UniqueConstraint("case_id", "turn", name="uq_places_case_id_turn"),
        sqlite_autoincrement=True,
    )
