"""The table of our writes to forges, by which all workers together keep to a pace."""

from datetime import datetime

from sqlalchemy import Column, Index, Named, String, Table, TypedColumns

from caseworker.store.columns import UtcTime, WideInteger
from caseworker.store.tables import metadata


class _ForgeWrites(TypedColumns):
    id: Named[int] = Column(WideInteger, primary_key=True)
    account: Named[str] = Column(String, nullable=False)
    """Whose limits count."""
    kind: Named[str] = Column(String, nullable=False)
    """What was written; `hold` for a pause that the service asked for, with its end as the time."""
    at: Named[datetime] = Column(UtcTime, nullable=False)


forge_writes = Table("forge_writes", metadata, _ForgeWrites, Index(None, "account", "at"))
