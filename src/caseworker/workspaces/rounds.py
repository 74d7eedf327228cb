"""Runs a piece of work once for all callers that ask for it at about the same time."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Rounds(Generic[T]):
    """Callers that come while a round runs share the next round: the running one may have started too early for them.

    A round goes on when one of its callers is cancelled.
    """

    def __init__(self, work: Callable[[], Awaitable[T]]) -> None:
        self._work = work
        self._running: asyncio.Task[T] | None = None
        self._next: asyncio.Task[T] | None = None

    async def __call__(self) -> T:
        if self._next is None:
            self._next = asyncio.create_task(self._round())
            self._next.add_done_callback(_retrieve_error)
        return await asyncio.shield(self._next)

    async def _round(self) -> T:
        if self._running is not None:
            await asyncio.wait([self._running])
        self._running, self._next = self._next, None
        return await self._work()


def _retrieve_error(task: asyncio.Task[T]) -> None:
    """Retrieves the error of a round whose callers may all be cancelled: asyncio logs errors that nobody retrieved."""
    if not task.cancelled():
        task.exception()
