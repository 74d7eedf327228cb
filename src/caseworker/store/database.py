"""One database, opened: its engine, how transactions begin on it, and what its errors become. No tables, no queries."""

import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from sqlalchemy import Connection, event, make_url
from sqlalchemy.engine import URL
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from caseworker.core.errors import Bug, Refused
from caseworker.store.columns import to_json
from caseworker.store.failures import translated
from caseworker.store.sharing import SharedWriter
from caseworker.store.sqlite import BEGIN_READING, BEGIN_WRITING, open_direct

BUSY_SECONDS = 10.0
"""How long SQLite waits for another process's write; `?timeout=` in the URL says otherwise."""
_BEGIN = "caseworker_begin"


class Database:
    """`reading` never takes SQLite's write lock, `writing` takes it at once: a transaction that begins as a reader and
    then writes fails on SQLite, however long it is willing to wait."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.engine = engine
        self.is_sqlite = engine.dialect.name == "sqlite"
        self._write = engine.execution_options(**{_BEGIN: BEGIN_WRITING})
        # SQLite has one writer at a time. Tasks of one process queue up here, in order, instead of polling the file.
        self._shared = SharedWriter(self._write) if self.is_sqlite else None

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        with _in_our_words():
            async with self.engine.connect() as connection:
                yield connection

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """Committed at the end, or not at all; and on the disk, not only in its cache, before we go on."""
        with _in_our_words():
            async with self._shared() if self._shared is not None else self._write.begin() as connection:
                yield connection

    @asynccontextmanager
    async def rebuilding(self) -> AsyncIterator[AsyncConnection]:
        """Like `writing`, for changes to the tables themselves. SQLite alters a table by copying it and dropping the
        old one, and dropping counts as deleting what others refer to: so references are looked at once, at the end."""
        if not self.is_sqlite:
            async with self.writing() as connection:
                yield connection
            return
        async with self.outside_transactions() as connection:
            await connection.exec_driver_sql("PRAGMA foreign_keys = OFF")  # inside a transaction it would do nothing
            try:
                await connection.exec_driver_sql(BEGIN_WRITING)
                yield connection
                if (await connection.exec_driver_sql("PRAGMA foreign_key_check")).first() is not None:
                    raise Bug("A change to the tables left a row that refers to nothing; it was taken back.")
                await connection.commit()
            finally:
                await connection.rollback()
                await connection.exec_driver_sql("PRAGMA foreign_keys = ON")

    @asynccontextmanager
    async def outside_transactions(self) -> AsyncIterator[AsyncConnection]:
        """For what SQLite does only there."""
        with _in_our_words():
            async with self.engine.execution_options(**{_BEGIN: ""}).connect() as connection:
                yield connection

    async def close(self) -> None:
        if self._shared is not None:
            await self._shared.rest()
        await self.engine.dispose()


def connect(url: str) -> Database:
    """The engine only: no query is made, and no server is asked."""
    parsed = _parsed(url)
    engine = _sqlite(parsed) if parsed.get_backend_name() == "sqlite" else _postgres(parsed)
    return Database(engine)


def _parsed(url: str) -> URL:
    expected = "It is sqlite+aiosqlite:///path or postgresql+asyncpg://user@host/name."
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise Refused("This is not a database URL.", todo=expected) from error
    if parsed.drivername not in ("sqlite+aiosqlite", "postgresql+asyncpg"):
        raise Refused(f"Caseworker does not know a database URL that begins with {parsed.drivername}.", todo=expected)
    if parsed.get_backend_name() == "sqlite" and parsed.database in (None, "", ":memory:"):
        raise Refused("Several processes share the database, so it can't be in memory.", todo=expected)
    return parsed


def _postgres(url: URL) -> AsyncEngine:
    # The ping costs a round trip and spares us every first query after the server was restarted.
    return create_async_engine(
        url, json_serializer=to_json, pool_size=10, max_overflow=20, pool_pre_ping=True, pool_recycle=1_800
    )


def _sqlite(url: URL) -> AsyncEngine:
    _make_openable(Path(url.database or ""))
    engine = create_async_engine(
        url,
        json_serializer=to_json,
        connect_args={"async_creator_fn": open_direct} | ({} if "timeout" in url.query else {"timeout": BUSY_SECONDS}),
        pool_size=5,  # a connection is a thread; readers need a few, and there is only one writer
        max_overflow=10,
    )
    event.listen(engine.sync_engine, "connect", _on_connect)
    event.listen(engine.sync_engine, "begin", _on_begin)
    return engine


def _make_openable(file: Path) -> None:
    """Tried here, because aiosqlite leaves a thread behind that prints a traceback when the file can't be opened."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Refused(f"The database's folder can't be made: {error}.", todo="Choose another place.") from error
    try:
        sqlite3.connect(file).close()
    except sqlite3.OperationalError as error:
        raise Refused(
            "The database file can't be opened.", todo="Check that its folder exists and is yours to write to."
        ) from error


def _on_connect(connection: DBAPIConnection, entry: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA synchronous = FULL")  # a power cut must not bring a settled message back: 4 % slower
    cursor.close()


def _on_begin(connection: Connection) -> None:
    begin = connection.get_execution_options().get(_BEGIN, BEGIN_READING)
    if begin == BEGIN_READING:  # it can't fail, and by SQLAlchemy it would take as long as a small query
        cursor = connection.connection.cursor()
        cursor.execute(begin)
        cursor.close()
    elif begin:
        connection.exec_driver_sql(begin)


@contextmanager
def _in_our_words() -> Iterator[None]:
    try:
        yield
    except (SQLAlchemyError, OSError) as error:
        raise translated(error) from error
