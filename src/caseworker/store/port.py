"""What every port of the store has in common: the database, and that a call once begun runs to its end."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from inspect import iscoroutinefunction
from typing import ParamSpec, TypeVar

from caseworker.store.database import Database

P = ParamSpec("P")
T = TypeVar("T")


class Port:
    """Public methods are made to run to the end here, for all ports, so that no new one can forget it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def __init_subclass__(cls) -> None:
        for name, member in list(vars(cls).items()):
            if iscoroutinefunction(member) and not name.startswith("_"):
                setattr(cls, name, to_the_end(member))


def to_the_end(function: Callable[P, Coroutine[object, object, T]]) -> Callable[P, Coroutine[object, object, T]]:
    """A caller that is cancelled, as activities are, waits for its transaction before it goes.

    A statement that is left in the middle keeps SQLite's connection from really closing, and so its transaction and the
    write lock with it, until the garbage collector comes by: every other process finds the database locked.
    """

    @wraps(function)
    async def shielded(*args: P.args, **kwargs: P.kwargs) -> T:
        transaction = asyncio.create_task(function(*args, **kwargs))
        transaction.add_done_callback(_look_at_its_error)
        try:
            return await asyncio.shield(transaction)
        except asyncio.CancelledError:
            await asyncio.wait([transaction])
            raise

    return shielded


def _look_at_its_error(transaction: asyncio.Task[T]) -> None:
    """Otherwise asyncio complains about it, when the caller has gone."""
    if not transaction.cancelled():
        transaction.exception()
