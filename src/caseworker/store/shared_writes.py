"""Lets many writers of one process share a transaction of SQLite: one lock and one sync to disk (decision 0012)."""

import asyncio
import sqlite3
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Final

from caseworker.core.base.errors import Transient
from caseworker.store.connection import Connection

MOST: Final = 32
"""Writers in one transaction. Limited because other processes want to write, too."""
LONGEST: Final = 0.05
"""Seconds after which a transaction lets no more writers in, for the same reason."""
_LOST: Final = (
    "The database gave up a transaction because of another write in it, and nothing of it was kept. Try again; if it "
    "stays so, look at what the log says about the other one."
)
_ENDING: Final = "The program was told to end before this was written. Start it again, and repeat what you did."


@dataclass(frozen=True, kw_only=True)
class Transaction:
    """An open transaction, and the driver's own connection for what SQLAlchemy does badly."""

    connection: Connection
    driver: sqlite3.Connection


class SharedWriter:
    """Runs writers one after the other in a shared transaction, each within a savepoint.

    A separate task begins and commits the transaction, so that a writer that is cancelled or fails does not affect the
    others. Each writer goes on when all of it is committed, or gets the error.
    """

    def __init__(self, begin: Callable[[], AbstractAsyncContextManager[Transaction]]) -> None:
        self._begin = begin
        self._waiting: deque[_Writer] = deque()
        self._serving: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[Connection]:
        writer = _Writer()
        self._waiting.append(writer)
        if self._serving is None or self._serving.done():
            self._serving = asyncio.create_task(self._serve())
        try:
            shared = await writer.let_in
            with shared.savepoint():
                yield shared.transaction.connection
        except BaseException as error:
            writer.leave(error)
            raise
        writer.leave(None)
        await writer.committed

    async def rest(self) -> None:
        """Waits until no transaction is open: cancelled writers don't wait for theirs."""
        if self._serving is not None:
            await asyncio.wait([self._serving])

    async def _serve(self) -> None:
        try:
            while self._waiting:
                await self._one_transaction()
        except asyncio.CancelledError:
            _resolve(self._waiting, Transient(_ENDING))
            raise

    async def _one_transaction(self) -> None:
        asked = len(self._waiting)
        shared: _Shared | None = None
        try:
            async with self._begin() as transaction:
                shared = _Shared(transaction, self._waiting)
                await shared.until_all_have_left()
        except asyncio.CancelledError:
            _resolve(shared.writers if shared else (), Transient(_ENDING))
            raise
        except Exception as error:  # noqa: BLE001  # raised by all writers that wait
            # If it could not begin, writers that came while it tried stay in line: they have waited less long.
            _resolve(shared.writers if shared else [self._waiting.popleft() for _ in range(asked)], error)
        else:
            _resolve(shared.writers, None)


class _Writer:
    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.let_in: asyncio.Future[_Shared] = loop.create_future()
        self.committed: asyncio.Future[None] = loop.create_future()

    def leave(self, error: BaseException | None) -> None:
        """Lets the next writer in. Needed also if this one was cancelled after it was let in, but before it ran."""
        if self.let_in.done() and not self.let_in.cancelled() and self.let_in.exception() is None:
            self.let_in.result().go_on(error)


class _Shared:
    """A shared transaction while it is open. A writer that leaves lets the next one in.

    If another task did that, it would take twice as many rounds of the event loop, while other processes wait for the
    lock.
    """

    def __init__(self, transaction: Transaction, waiting: "deque[_Writer]") -> None:
        self.transaction = transaction
        self.writers: list[_Writer] = []
        self._driver = transaction.driver
        self._waiting = waiting
        self._savepoints_closed = True
        """Whether each savepoint was released or rolled back. If not, nothing may be committed."""
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._until = asyncio.get_running_loop().time() + LONGEST

    async def until_all_have_left(self) -> None:
        self.go_on(None)
        await self._over

    def go_on(self, error: BaseException | None) -> None:
        """Lets the next writer in, or ends the transaction. `error`: the error of the writer that has just left.

        After some errors, such as a full disk, SQLite rolls back the whole transaction, with earlier writers' changes.
        """
        if self._over.done():
            return
        if not (self._savepoints_closed and self._driver.in_transaction):
            self._over.set_exception(error if isinstance(error, Exception) else Transient(_LOST))
        elif (writer := self._next()) is not None:
            self.writers.append(writer)
            writer.let_in.set_result(self)
        else:
            self._over.set_result(None)

    def _next(self) -> _Writer | None:
        while self._waiting and not self._is_full():
            writer = self._waiting.popleft()
            if not writer.let_in.cancelled():
                return writer
        return None

    def _is_full(self) -> bool:
        late = asyncio.get_running_loop().time() >= self._until
        return len(self.writers) >= MOST or (late and bool(self.writers))

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """A savepoint for one writer. Awaits nothing, so that nobody is cancelled halfway.

        SQLAlchemy's own savepoint is not used: after an error that rolled back the whole transaction, it fails because
        the savepoint is gone, and so hides the error.
        """
        self._savepoints_closed = False
        self._driver.execute("SAVEPOINT writer")
        try:
            yield
        except BaseException:
            if self._driver.in_transaction and not self._over.done():
                self._driver.execute("ROLLBACK TO writer")
                self._driver.execute("RELEASE writer")
                self._savepoints_closed = True
            raise
        self._driver.execute("RELEASE writer")
        self._savepoints_closed = True


def _resolve(writers: Iterable[_Writer], error: Exception | None) -> None:
    for writer in writers:
        for future in (writer.let_in, writer.committed):
            if future.done():
                continue  # already set, or cancelled
            if error is None:
                writer.committed.set_result(None)
            else:
                future.set_exception(error)
                future.exception()  # retrieved: asyncio would log an error that a cancelled writer never retrieves
