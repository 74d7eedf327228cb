"""A connection to SQLite that leaves the event loop's thread only for what may wait for the disk."""

import asyncio
import sqlite3
from collections.abc import Callable
from functools import partial
from random import uniform
from time import monotonic
from typing import Any, Final, TypeVar

import aiosqlite

T = TypeVar("T")
BEGIN_READING: Final = "BEGIN"
"""Takes no lock before the first statement, and in WAL mode a reader waits for nobody."""
BEGIN_WRITING: Final = "BEGIN IMMEDIATE"
"""Takes the write lock, of which there is one."""
_PAUSE: Final = (0.001, 0.003)
"""Seconds between two tries. SQLite's own are up to 100 ms apart: meanwhile a process that writes all the time has the
lock again and again."""


class DirectConnection(aiosqlite.Connection):
    """aiosqlite goes to a thread and back three times for each statement, and meanwhile the transaction keeps everybody
    else from writing. But what lies between its beginning and its commit works on pages in memory and takes
    microseconds: that is done here at once (decision 0012)."""

    def __init__(self, connect: Callable[[], sqlite3.Connection], *, patience: float) -> None:
        super().__init__(connect, iter_chunk_size=64)
        self._patience = patience
        self._thread.daemon = True  # as SQLAlchemy has it for those that it opens itself

    async def _execute(self, fn: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        if args[:1] == (BEGIN_WRITING,):
            return await self._in_turn(partial(fn, *args, **kwargs))
        if self._waits(fn, args):
            waited: T = await super()._execute(fn, *args, **kwargs)  # type: ignore[no-untyped-call]  # aiosqlite's own
            return waited
        return fn(*args, **kwargs)

    def at_once(self, statement: str) -> None:
        """Within a transaction, where it waits for nobody."""
        self._conn.execute(statement)

    async def _in_turn(self, begin: Callable[[], T]) -> T:
        deadline = monotonic() + self._patience
        while True:
            self._conn.execute("PRAGMA busy_timeout = 0")
            try:
                return begin()
            except sqlite3.OperationalError as error:
                if not _is_busy(error) or monotonic() > deadline:
                    raise
            finally:
                self._conn.execute(f"PRAGMA busy_timeout = {round(self._patience * 1000)}")
            await asyncio.sleep(uniform(*_PAUSE))

    def _waits(self, fn: Callable[..., object], args: tuple[object, ...]) -> bool:
        if fn in (self._conn.commit, self._conn.close):
            return True
        is_statement = bool(args) and isinstance(args[0], str)
        return is_statement and not self._conn.in_transaction and args[0] != BEGIN_READING


def _is_busy(error: sqlite3.OperationalError) -> bool:
    return error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY  # the rest of the number says why


def open_direct(file: str, *, timeout: float, **options: Any) -> DirectConnection:
    """To be awaited, as `aiosqlite.connect`. Transactions begin when we say so, not when Python's sqlite3 thinks so."""
    options |= {"timeout": timeout, "check_same_thread": False, "isolation_level": None}
    return DirectConnection(partial(sqlite3.connect, file, **options), patience=timeout)
