"""The table of who of the developers is at work, and who stands in line for a place."""

from datetime import datetime

from sqlalchemy import Boolean, Column, ForeignKey, Integer, Named, String, Table, TypedColumns, UniqueConstraint

from caseworker.store.columns import UtcTime, WideInteger
from caseworker.store.tables import metadata


class _Places(TypedColumns):
    ticket: Named[int] = Column(WideInteger, primary_key=True)
    """The order of the line."""
    case: Named[str] = Column("case_id", String, ForeignKey("cases.id"), key="case", nullable=False)
    turn: Named[int] = Column(Integer)
    held: Named[bool] = Column(Boolean, nullable=False)
    """False: it stands in line."""
    renewed_at: Named[datetime] = Column(UtcTime, nullable=False)


places = Table(
    "places",
    metadata,
    _Places,
    UniqueConstraint("case", "turn"),
    sqlite_autoincrement=True,  # a number that is free again would be in front of the line
)
