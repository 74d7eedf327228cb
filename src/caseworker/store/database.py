"""An open database: its transactions, and the translation of its errors. No tables, no queries."""

import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

from sqlalchemy import make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from caseworker.core.base.errors import Refused
from caseworker.store.connection import Connection
from caseworker.store.database_failures import translated
from caseworker.store.sqlite import Sqlite

if TYPE_CHECKING:
    from caseworker.store.postgres import Postgres

_SQLITE = "sqlite"
_POSTGRES = "postgresql+asyncpg"


class Database:
    def __init__(self, kind: "Sqlite | Postgres") -> None:
        self.kind = kind
        self.is_sqlite = isinstance(kind, Sqlite)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[Connection]:
        with _translated_errors():
            async with self.kind.reading() as connection:
                yield connection

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[Connection]:
        """A transaction, committed at the end unless there is an error. It is on disk when this returns."""
        with _translated_errors():
            async with self.kind.writing() as connection:
                yield connection

    @asynccontextmanager
    async def rebuilding(self) -> AsyncIterator[Connection]:
        """Like `writing`, for changes to the tables themselves."""
        with _translated_errors():
            async with self.kind.rebuilding() as connection:
                yield connection

    async def prepare(self) -> None:
        """Call it before tables are made or changed."""
        with _translated_errors():
            await self.kind.prepare()

    async def close(self) -> None:
        await self.kind.close()


def connect(url: str) -> Database:
    """Makes the engine only: runs no query and contacts no server."""
    parsed = _parsed(url)
    if parsed.drivername == _SQLITE:
        return Database(Sqlite(parsed))
    from caseworker.store.postgres import Postgres  # slow: a command on SQLite does without

    return Database(Postgres(parsed))


def _parsed(url: str) -> URL:
    expected = "It is sqlite:///path or postgresql+asyncpg://user@host/name."
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise Refused("This is not a database URL.", todo=expected) from error
    if parsed.drivername not in (_SQLITE, _POSTGRES):
        raise Refused(f"Caseworker does not know a database URL that begins with {parsed.drivername}.", todo=expected)
    if parsed.drivername == _SQLITE and parsed.database in (None, "", ":memory:"):
        raise Refused("Several processes share the database, so it can't be in memory.", todo=expected)
    return parsed


@contextmanager
def _translated_errors() -> Iterator[None]:
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error, OSError) as error:
        raise translated(error) from error
