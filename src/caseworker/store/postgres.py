"""PostgreSQL: many writers, each with its own transaction."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from caseworker.store.columns import to_json


class Postgres:
    def __init__(self, url: URL) -> None:
        # The ping costs a round trip, but without it the first queries fail after the server was restarted.
        self._engine = create_async_engine(
            url, json_serializer=to_json, pool_size=10, max_overflow=20, pool_pre_ping=True, pool_recycle=1_800
        )
        # PostgreSQL shows each statement what was committed before it, also inside a transaction: reading without one
        # sees the same, and saves two round trips.
        self._reads = self._engine.execution_options(isolation_level="AUTOCOMMIT")

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        async with self._reads.connect() as connection:
            yield connection

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        async with self._engine.begin() as connection:
            yield connection

    @asynccontextmanager
    async def rebuilding(self) -> AsyncIterator[AsyncConnection]:
        async with self._engine.begin() as connection:
            yield connection

    async def prepare(self) -> None:
        """Does nothing: PostgreSQL needs no preparation."""

    async def close(self) -> None:
        await self._engine.dispose()
