"""Base class of the store's ports: has the database, and makes every call run to its end."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from inspect import iscoroutinefunction
from typing import ParamSpec, TypeVar

from caseworker.store.database import Database

P = ParamSpec("P")
T = TypeVar("T")


class Port:
    """Wraps all public methods of subclasses in `to_the_end`, so that no port can forget it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def __init_subclass__(cls) -> None:
        for name, member in list(vars(cls).items()):
            if iscoroutinefunction(member) and not name.startswith("_"):
                setattr(cls, name, to_the_end(member))


def to_the_end(function: Callable[P, Coroutine[object, object, T]]) -> Callable[P, Coroutine[object, object, T]]:
    """Makes a cancelled caller wait for its transaction. Activities, for example, are cancelled.

    A statement that is abandoned in the middle keeps SQLite's connection open, with its transaction and write lock,
    until the garbage collector runs: for all other processes the database is locked.
    """

    @wraps(function)
    async def shielded(*args: P.args, **kwargs: P.kwargs) -> T:
        transaction = asyncio.create_task(function(*args, **kwargs))
        transaction.add_done_callback(_retrieve_error)
        try:
            return await asyncio.shield(transaction)
        except asyncio.CancelledError:
            await asyncio.wait([transaction])
            raise

    return shielded


def _retrieve_error(transaction: asyncio.Task[T]) -> None:
    """Retrieves the error: asyncio logs an error that nobody retrieved, as when the caller was cancelled."""
    if not transaction.cancelled():
        transaction.exception()
