"""Many who ask for the same kind of write at once share a transaction: one lock, one way to the disk."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Generic, TypeVar

from caseworker.core.errors import Transient

Asked = TypeVar("Asked")
Got = TypeVar("Got")
MOST: Final = 32
"""In one transaction: others want to write, too."""


class Together(Generic[Asked, Got]):
    """Whoever comes while a transaction runs is in the next one, in the order of coming. Each waits for its commit."""

    def __init__(self, write: Callable[[Sequence[Asked]], Awaitable[Sequence[Got]]]) -> None:
        self._write = write
        self._waiting: deque[tuple[Asked, asyncio.Future[Got]]] = deque()
        self._writing: asyncio.Task[None] | None = None

    async def __call__(self, asked: Asked) -> Got:
        answer: asyncio.Future[Got] = asyncio.get_running_loop().create_future()
        self._waiting.append((asked, answer))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_all())
        return await answer

    async def _write_all(self) -> None:
        while self._waiting:
            await self._answer([self._waiting.popleft() for _ in range(min(MOST, len(self._waiting)))])

    async def _answer(self, some: Sequence[tuple[Asked, asyncio.Future[Got]]]) -> None:
        try:
            got = await self._write([asked for asked, _ in some])
        except Exception as error:  # noqa: BLE001  # whatever it is, those who asked are told
            if len(some) == 1 or isinstance(error, Transient):
                for _, answer in some:
                    answer.set_exception(error)
            else:  # one of them is at fault: alone, the others get through, and that one hears why it did not
                for one in some:
                    await self._answer([one])
        else:
            for (_, answer), found in zip(some, got, strict=True):
                answer.set_result(found)
