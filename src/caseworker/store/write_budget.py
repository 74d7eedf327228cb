"""Counts our writes to forges over all workers, so that together they keep to a pace."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import delete, func, insert, select, text

from caseworker.core.base.pace import Pace
from caseworker.store.columns import now
from caseworker.store.connection import Connection
from caseworker.store.database import Database
from caseworker.store.forge_tables import forge_writes
from caseworker.store.port import Port

_ADVISORY_LOCK: Final = 0x_CA5E_0003
"""The key of this lock among the advisory locks of a PostgreSQL database."""
_HOLD: Final = "hold"


class StoredWriteBudget(Port):
    def __init__(self, database: Database, *, clock: Callable[[], datetime] | None = None) -> None:
        """`clock`: for tests. By default the time comes from the database, because workers' clocks may differ."""
        super().__init__(database)
        self._clock = clock

    async def take(self, account: str, kind: str, *, pace: Pace) -> float:
        of_account = forge_writes.c.account == account
        async with self._database.writing() as connection:
            await _one_at_a_time(connection)
            at = await self._now(connection)
            await connection.execute(delete(forge_writes).where(forge_writes.c.at < at - timedelta(hours=1)))
            past = list(await connection.scalars(select(forge_writes.c.at).where(of_account)))
            seconds = pace.wait(past, at)
            if seconds <= 0:
                await connection.execute(insert(forge_writes).values(account=account, kind=kind, at=at))
            return max(0.0, seconds)

    async def hold(self, account: str, seconds: float) -> None:
        async with self._database.writing() as connection:
            until = await self._now(connection) + timedelta(seconds=seconds)
            await connection.execute(insert(forge_writes).values(account=account, kind=_HOLD, at=until))

    async def _now(self, connection: Connection) -> datetime:
        if self._clock is not None:
            return self._clock()
        if self._database.is_sqlite:  # all its processes are on one machine
            return now()
        at = await connection.scalar(select(func.clock_timestamp()))
        assert isinstance(at, datetime)
        return at


async def _one_at_a_time(connection: Connection) -> None:
    """Locks until the transaction ends. SQLite needs no lock: it has one writer at a time."""
    if connection.dialect.name == "postgresql":
        await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _ADVISORY_LOCK})
