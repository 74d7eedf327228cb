"""The table of places: which developer turns are at work, and which wait in line."""

from datetime import datetime

from sqlalchemy import Boolean, Column, ForeignKey, Integer, Named, String, Table, TypedColumns, UniqueConstraint

from caseworker.store.columns import UtcTime, WideInteger
from caseworker.store.tables import metadata


class _Places(TypedColumns):
    ticket: Named[int] = Column(WideInteger, primary_key=True)
    """The order of the line: a lower number is further ahead."""
    case: Named[str] = Column("case_id", String, ForeignKey("cases.id"), key="case", nullable=False)
    turn: Named[int] = Column(Integer)
    held: Named[bool] = Column(Boolean, nullable=False)
    """True: at work. False: waits in line."""
    renewed_at: Named[datetime] = Column(UtcTime, nullable=False)


places = Table(
    "places",
    metadata,
    _Places,
    UniqueConstraint("case", "turn"),
    sqlite_autoincrement=True,  # never reuses a number: a reused one would be at the front of the line
)
