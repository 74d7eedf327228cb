"""SQLite, called in the event loop's own thread; only commits, which wait for the disk, run in another thread.

Inside a transaction a statement works on pages in memory and takes microseconds. Through a thread it took ten times as
long, and meanwhile the transaction kept everybody else from writing (decision 0012).
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
"""How long we wait for another process's write, unless the URL has `?timeout=`."""
_PAUSE: Final = (0.001, 0.003)
"""Seconds between two tries. SQLite itself waits up to 100 ms: a process that writes all the time would always be
faster than us."""


class SqliteConnection:
    """A `Connection` that runs its statements directly, without giving control back to the event loop."""

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
    """A SQLite file. `reading` never takes the write lock; `writing` takes it at the beginning.

    A transaction that begins as a reader and then writes can fail without waiting for the lock.
    """

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
            max_overflow=-1,  # no limit: waiting for a connection would block the event loop
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
        """A transaction that changes tables. Foreign keys are checked once, at its end.

        SQLite alters a table by copying it and dropping the old one, and a drop counts as deleting rows that others
        refer to. The check has to be switched off before the transaction: inside, it can't be.
        """
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
        """Switches to WAL mode, in which readers and a writer work at the same time. The file keeps this setting.

        Here SQLite does not wait when another process is opening the file, so we do.
        """
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
                driver.rollback()  # after a failed commit SQLAlchemy would not do it

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
        """Commits in a thread. Waits for its end even when cancelled: the connection is in use until then."""
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
    return error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY  # the higher bits say why


def _open(file: Path, patience: float) -> sqlite3.Connection:
    """Opens the file so that we begin transactions ourselves. Only one thread at a time may use the connection."""
    driver = sqlite3.connect(file, timeout=patience, isolation_level=None, check_same_thread=False)
    driver.execute("PRAGMA foreign_keys = ON")
    # A power cut must not bring a settled message back. This makes writes 4 % slower.
    driver.execute("PRAGMA synchronous = FULL")
    driver.execute("PRAGMA secure_delete = ON")  # what was removed is not to be found in the file's free pages
    return driver


def _on_begin(plain: PlainConnection) -> None:
    """Begins a transaction without a lock, unless one is open: in WAL mode a reader waits for nobody."""
    driver = driver_of(plain)
    if not driver.in_transaction:
        driver.execute("BEGIN")


def _make_openable(file: Path) -> None:
    """Makes the folder and opens the file once, so that a person learns of a problem when the program starts."""
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
