"""The table of tracking comments: one row per run that is shown on a forge."""

from datetime import datetime

from sqlalchemy import Boolean, Column, ForeignKey, Named, String, Table, TypedColumns

from caseworker.store.columns import UtcTime, WideInteger
from caseworker.store.tables import metadata


class _TrackingComments(TypedColumns):
    run: Named[int] = Column("run_id", WideInteger, ForeignKey("runs.id"), key="run", primary_key=True)
    comment: Named[int | None] = Column("comment_id", WideInteger, key="comment", nullable=True)
    """Its id on the forge, set by compare-and-set."""
    digest: Named[str] = Column(String, nullable=False)
    """Of what was written last. Empty: nothing was."""
    is_tidy: Named[bool] = Column(Boolean, nullable=False)
    written_at: Named[datetime | None] = Column(UtcTime, nullable=True)
    shows: Named[str | None] = Column(String, nullable=True)
    """The end of the run that it shows. Null: it has to be looked after."""
    claim: Named[str | None] = Column(String, nullable=True)
    claimed_until: Named[datetime | None] = Column(UtcTime, nullable=True)
    again_at: Named[datetime | None] = Column(UtcTime, nullable=True)


tracking_comments = Table("tracking_comments", metadata, _TrackingComments)
