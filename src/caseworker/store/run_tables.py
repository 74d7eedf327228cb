"""The table of runs. What is computed from turns and ledger when a run is read has no column here."""

from datetime import datetime

from sqlalchemy import (
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    Named,
    String,
    Table,
    TypedColumns,
    text,
)

from caseworker.store.columns import Document, UtcTime, WideInteger
from caseworker.store.tables import metadata


class _Runs(TypedColumns):
    id: Named[int] = Column(WideInteger, primary_key=True)
    case: Named[str] = Column("case_id", String, ForeignKey("cases.id"), key="case", index=True, nullable=False)
    workflow: Named[str] = Column(String)
    turns_before: Named[int] = Column(Integer)
    """Turns of the case when it began: its own have higher numbers."""
    began_at: Named[datetime] = Column(UtcTime, nullable=False)
    ended_as: Named[str | None] = Column(String, nullable=True)
    """Null: in flight."""
    ended_at: Named[datetime | None] = Column(UtcTime, nullable=True)
    discussion: Named[dict[str, object] | None] = Column(Document, nullable=True)
    """What its turns are given of the discussion on the forge. Null: it was not read."""


runs = Table(
    "runs",
    metadata,
    _Runs,
    CheckConstraint("ended_as IN ('succeeded', 'failed', 'incomplete')", name="ended_as"),
    Index(
        "uq_runs_in_flight",
        "case",
        "workflow",
        unique=True,
        sqlite_where=text("ended_at IS NULL"),
        postgresql_where=text("ended_at IS NULL"),
    ),
    sqlite_autoincrement=True,  # a tracking comment is marked with the id
)
