"""SQLite, asked in the event loop's own thread: only what waits for the disk or for another writer leaves it.

Between a transaction's beginning and its commit a statement works on pages in memory and takes microseconds. Handed to
a thread and back it took ten times as long, and meanwhile the transaction kept everybody else from writing (decision
0012).
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from random import uniform
from time import monotonic
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from sqlalchemy import Connection as PlainConnection
from sqlalchemy import (
    Dialect,
    Executable,
    NestedTransaction,
    QueuePool,
    ScalarResult,
    create_engine,
    event,
)
from sqlalchemy.engine import URL

from caseworker.core.base.errors import Defect, Refused
from caseworker.store.columns import to_json
from caseworker.store.connection import AnyResult, Connection, Values
from caseworker.store.shared_writes import SharedWriter, Transaction

P = ParamSpec("P")
T = TypeVar("T")

BUSY_SECONDS: Final = 10.0
"""How long we wait for another process's write; `?timeout=` in the URL says otherwise."""
_PAUSE: Final = (0.001, 0.003)
"""Seconds between two tries. SQLite's own are up to 100 ms apart: meanwhile a process that writes all the time has the
lock again and again."""


class SqliteConnection:
    """A `Connection` whose questions are answered before anybody else gets a turn."""

    def __init__(self, plain: PlainConnection) -> None:
        self._plain = plain

    @property
    def dialect(self) -> Dialect:
        return self._plain.dialect

    async def execute(self, statement: Executable, parameters: Values | Sequence[Values] | None = None) -> AnyResult:
        return self._plain.execute(statement, parameters)

    async def scalar(self, statement: Executable, parameters: Values | None = None) -> Any:
        return self._plain.scalar(statement, parameters)

    async def scalars(self, statement: Executable, parameters: Values | None = None) -> ScalarResult[Any]:
        return self._plain.scalars(statement, parameters)

    async def exec_driver_sql(self, statement: str) -> AnyResult:
        return self._plain.exec_driver_sql(statement)

    async def run_sync(self, fn: Callable[Concatenate[PlainConnection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return fn(self._plain, *args, **kwargs)

    @asynccontextmanager
    async def begin_nested(self) -> AsyncIterator["_Savepoint"]:
        with self._plain.begin_nested() as nested:
            yield _Savepoint(nested)


class _Savepoint:
    def __init__(self, nested: NestedTransaction) -> None:
        self._nested = nested

    async def rollback(self) -> None:
        self._nested.rollback()


class Sqlite:
    """One file. `reading` never takes its write lock, `writing` takes it at once: a transaction that begins as a reader
    and then writes fails, however long it is willing to wait."""

    def __init__(self, url: URL) -> None:
        file = Path(url.database or "")
        _make_openable(file)
        timeout = url.query.get("timeout")
        self._patience = float(timeout) if isinstance(timeout, str) else BUSY_SECONDS
        self.engine = create_engine(
            "sqlite://",
            creator=partial(_open, file, self._patience),
            json_serializer=to_json,
            poolclass=QueuePool,
            pool_size=5,
            max_overflow=-1,  # whoever waited for a connection here would hold the event loop up
        )
        event.listen(self.engine, "begin", _on_begin)
        self._disk = ThreadPoolExecutor(max_workers=1, thread_name_prefix="disk")
        self._shared = SharedWriter(self._transaction)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[SqliteConnection]:
        with self.engine.connect() as plain:
            yield SqliteConnection(plain)

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[Connection]:
        async with self._shared() as connection:
            yield connection

    @asynccontextmanager
    async def rebuilding(self) -> AsyncIterator[SqliteConnection]:
        """SQLite alters a table by copying it and dropping the old one, and dropping counts as deleting what others
        refer to: so references are looked at once, at the end. Inside a transaction that could not be changed."""
        with self.engine.connect() as plain:
            driver = driver_of(plain)
            driver.execute("PRAGMA foreign_keys = OFF")
            try:
                await self._take_lock(driver)
                with plain.begin():
                    yield SqliteConnection(plain)
                    if plain.exec_driver_sql("PRAGMA foreign_key_check").first() is not None:
                        raise Defect("A change to the tables left a row that refers to nothing; it was taken back.")
            finally:
                driver.rollback()
                driver.execute("PRAGMA foreign_keys = ON")

    async def prepare(self) -> None:
        """Readers and a writer at the same time: kept in the file, so done once. SQLite does not wait here when another
        process is opening the file: we do."""
        with self.engine.connect() as plain:
            driver = driver_of(plain)
            await self._patiently(lambda: driver.execute("PRAGMA journal_mode = WAL"))

    async def close(self) -> None:
        await self._shared.rest()
        self.engine.dispose()
        self._disk.shutdown()

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[Transaction]:
        with self.engine.connect() as plain:
            driver = driver_of(plain)
            await self._take_lock(driver)
            try:
                plain.begin()
                yield Transaction(connection=SqliteConnection(plain), driver=driver)
                await self._on_disk(plain.commit)
            finally:
                driver.rollback()  # after a commit that failed SQLAlchemy would not

    async def _take_lock(self, driver: sqlite3.Connection) -> None:
        driver.execute("PRAGMA busy_timeout = 0")
        try:
            await self._patiently(lambda: driver.execute("BEGIN IMMEDIATE"))
        finally:
            driver.execute(f"PRAGMA busy_timeout = {round(self._patience * 1000)}")

    async def _patiently(self, ask: Callable[[], object]) -> None:
        deadline = monotonic() + self._patience
        while True:
            try:
                ask()
                return
            except sqlite3.OperationalError as error:
                if not _is_busy(error) or monotonic() > deadline:
                    raise
            await asyncio.sleep(uniform(*_PAUSE))

    async def _on_disk(self, commit: Callable[[], None]) -> None:
        """In a thread, and to its end: a connection must not be given back in the middle of it."""
        committing = asyncio.get_running_loop().run_in_executor(self._disk, commit)
        try:
            await asyncio.shield(committing)
        except asyncio.CancelledError:
            await asyncio.wait([committing])
            raise


def driver_of(plain: PlainConnection) -> sqlite3.Connection:
    driver = plain.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    return driver


def _is_busy(error: sqlite3.OperationalError) -> bool:
    return error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY  # the rest of the number says why


def _open(file: Path, patience: float) -> sqlite3.Connection:
    """Transactions begin when we say so, not when Python's sqlite3 thinks so. One thread at a time uses it."""
    driver = sqlite3.connect(file, timeout=patience, isolation_level=None, check_same_thread=False)
    driver.execute("PRAGMA foreign_keys = ON")
    driver.execute("PRAGMA synchronous = FULL")  # a power cut must not bring a settled message back: 4 % slower
    return driver


def _on_begin(plain: PlainConnection) -> None:
    """Takes no lock before the first statement, and in WAL mode a reader waits for nobody."""
    driver = driver_of(plain)
    if not driver.in_transaction:
        driver.execute("BEGIN")


def _make_openable(file: Path) -> None:
    """Tried here, so that it is told when the program starts."""
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
