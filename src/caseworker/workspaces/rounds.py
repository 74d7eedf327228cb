"""The same work for all who ask for it at about the same time. What the work is does not matter here."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Rounds(Generic[T]):
    """Whoever asks while a round is under way shares the next one, with all others who ask meanwhile: the round under
    way may have looked before there was what they ask for. A round goes on when one of them is cancelled."""

    def __init__(self, work: Callable[[], Awaitable[T]]) -> None:
        self._work = work
        self._under_way: asyncio.Task[T] | None = None
        self._next: asyncio.Task[T] | None = None

    async def __call__(self) -> T:
        if self._next is None:
            self._next = asyncio.create_task(self._round())
            self._next.add_done_callback(_look_at_its_error)
        return await asyncio.shield(self._next)

    async def _round(self) -> T:
        if self._under_way is not None:
            await asyncio.wait([self._under_way])
        self._under_way, self._next = self._next, None
        return await self._work()


def _look_at_its_error(task: asyncio.Task[T]) -> None:
    """Otherwise asyncio complains about it, when everyone who asked has gone."""
    if not task.cancelled():
        task.exception()
