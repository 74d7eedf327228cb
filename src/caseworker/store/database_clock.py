"""The time for leases that several machines share: the database's own, because their clocks may differ."""

from collections.abc import Callable
from datetime import datetime

from sqlalchemy import func, select

from caseworker.store.columns import now
from caseworker.store.connection import Connection

Clock = Callable[[], datetime]


async def time_of(connection: Connection, clock: Clock | None = None) -> datetime:
    """`clock`: for tests."""
    if clock is not None:
        return clock()
    if connection.dialect.name == "sqlite":  # all its processes are on one machine
        return now()
    at = await connection.scalar(select(func.clock_timestamp()))
    assert isinstance(at, datetime)
    return at
