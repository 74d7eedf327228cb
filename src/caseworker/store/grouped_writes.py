"""Writes what several callers hand in at the same time together: one statement, one transaction, one sync to disk."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from caseworker.core.base.errors import Transient

MOST: Final = 64
"""Items in one write. Limited because other processes want to write, too."""
_ENDING: Final = "The program was told to end before this was written. Start it again, and repeat what you did."

Item = TypeVar("Item")
Result = TypeVar("Result")


class GroupedWrites(Generic[Item, Result]):
    """Items that come while a write is under way are written by the next one, in the order in which they came.

    A separate task writes, so that a caller who is cancelled does not affect the others.
    """

    def __init__(self, write: Callable[[Sequence[Item]], Awaitable[Sequence[Result]]]) -> None:
        """`write` writes all items or none, and returns a result for each."""
        self._write = write
        self._waiting: deque[_Waiting[Item, Result]] = deque()
        self._writing: asyncio.Task[None] | None = None

    async def put(self, item: Item) -> Result:
        """Returns when the item is committed, or raises what kept it from being."""
        waiting = _Waiting[Item, Result](item)
        self._waiting.append(waiting)
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_all())
        return await waiting.result

    async def _write_all(self) -> None:
        while self._waiting:
            group = [self._waiting.popleft() for _ in range(min(MOST, len(self._waiting)))]
            try:
                await self._write_group(group)
            except asyncio.CancelledError:
                for one in (*group, *self._waiting):
                    one.fail(Transient(_ENDING))
                self._waiting.clear()
                raise

    async def _write_group(self, group: "Sequence[_Waiting[Item, Result]]") -> None:
        try:
            results = await self._write([one.item for one in group])
        except Exception as error:  # noqa: BLE001  # raised by the callers
            if len(group) == 1 or isinstance(error, Transient):
                for one in group:
                    one.fail(error)
                return
            for one in group:  # one item is wrong: the others must not fail because of it
                await self._write_group([one])
        else:
            for one, result in zip(group, results, strict=True):
                one.succeed(result)


def _future() -> "asyncio.Future[Result]":
    return asyncio.get_running_loop().create_future()


@dataclass(frozen=True)
class _Waiting(Generic[Item, Result]):
    item: Item
    result: "asyncio.Future[Result]" = field(default_factory=_future)

    def succeed(self, result: Result) -> None:
        if not self.result.done():  # its caller was cancelled
            self.result.set_result(result)

    def fail(self, error: Exception) -> None:
        if not self.result.done():
            self.result.set_exception(error)
            self.result.exception()  # retrieved: asyncio would log an error that a cancelled caller never retrieves
