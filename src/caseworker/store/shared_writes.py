"""Many writers of one process share a transaction of SQLite: one lock, one way to the disk (decision 0012)."""

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
"""Writers in one transaction: other processes want to write, too."""
LONGEST: Final = 0.05
"""Seconds after which a transaction lets nobody more in, for the same reason."""
_LOST: Final = (
    "The database gave up a transaction because of another write in it, and nothing of it was kept. Try again; if it "
    "stays so, look at what the log says about the other one."
)
_ENDING: Final = "The program was told to end before this was written. Start it again, and repeat what you did."


@dataclass(frozen=True, kw_only=True)
class Transaction:
    """Begun, and committed when it is left without an error. The driver is for what SQLAlchemy would do worse."""

    connection: Connection
    driver: sqlite3.Connection


class SharedWriter:
    """A task of its own begins and commits; writers come in one at a time and in order, each within a savepoint. So
    what becomes of one of them, cancelled or in error, is nothing to the others. Each goes on when all is committed,
    or hears why it was not."""

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
        """Until nothing is under way: writers that were cancelled don't wait for what they began."""
        if self._serving is not None:
            await asyncio.wait([self._serving])

    async def _serve(self) -> None:
        try:
            while self._waiting:
                await self._one_transaction()
        except asyncio.CancelledError:
            _tell(self._waiting, Transient(_ENDING))
            raise

    async def _one_transaction(self) -> None:
        asked = len(self._waiting)
        shared: _Shared | None = None
        try:
            async with self._begin() as transaction:
                shared = _Shared(transaction, self._waiting)
                await shared.until_all_have_left()
        except asyncio.CancelledError:
            _tell(shared.writers if shared else (), Transient(_ENDING))
            raise
        except Exception as error:  # noqa: BLE001  # whatever it is, those who wait are told
            # If it could not even begin: who came while it tried has a patience of its own.
            _tell(shared.writers if shared else [self._waiting.popleft() for _ in range(asked)], error)
        else:
            _tell(shared.writers, None)


class _Writer:
    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.let_in: asyncio.Future[_Shared] = loop.create_future()
        self.committed: asyncio.Future[None] = loop.create_future()

    def leave(self, error: BaseException | None) -> None:
        """Also if it was let in and cancelled before it noticed. Who was never let in holds nobody up."""
        if self.let_in.done() and not self.let_in.cancelled() and self.let_in.exception() is None:
            self.let_in.result().go_on(error)


class _Shared:
    """A transaction while it is open. Whoever leaves lets the next one in: by way of a third it would take twice as
    many turns of the event loop, and all the while other processes wait for the lock."""

    def __init__(self, transaction: Transaction, waiting: "deque[_Writer]") -> None:
        self.transaction = transaction
        self.writers: list[_Writer] = []
        self._driver = transaction.driver
        self._waiting = waiting
        self._whole = True
        """Each savepoint was kept or taken back. If not, nothing may be committed."""
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._until = asyncio.get_running_loop().time() + LONGEST

    async def until_all_have_left(self) -> None:
        self.go_on(None)
        await self._over

    def go_on(self, error: BaseException | None) -> None:
        """`error`: of the one who has just left. SQLite takes the whole transaction back on some of them: a full disk,
        for one. Then those who were in it before have lost theirs, too."""
        if self._over.done():
            return
        if not (self._whole and self._driver.in_transaction):
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
        """Not by SQLAlchemy's: after an error that took the whole transaction back, that one fails over the savepoint
        which is gone, and hides the error. And nothing is awaited here, so nobody is cancelled halfway."""
        self._whole = False
        self._driver.execute("SAVEPOINT writer")
        try:
            yield
        except BaseException:
            if self._driver.in_transaction and not self._over.done():
                self._driver.execute("ROLLBACK TO writer")
                self._driver.execute("RELEASE writer")
                self._whole = True
            raise
        self._driver.execute("RELEASE writer")
        self._whole = True


def _tell(writers: Iterable[_Writer], error: Exception | None) -> None:
    for writer in writers:
        for future in (writer.let_in, writer.committed):
            if future.done():
                continue  # told before, or cancelled
            if error is None:
                writer.committed.set_result(None)
            else:
                future.set_exception(error)
                future.exception()  # looked at, so that asyncio does not complain for one who has gone
