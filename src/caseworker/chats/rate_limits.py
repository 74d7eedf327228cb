"""Remembers which channels asked us to wait, so that no other case asks there meanwhile."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from time import monotonic

from caseworker.core.base.errors import RateLimited

_Place = tuple[str, str]


class RateLimits:
    """The limits that this process was told of. What waits for their end is a timer of the case, which survives it.

    After a start, and after a limit, one call goes first and the others wait for its answer: so a process that knows
    nothing of a limit that lasts is refused once, not once for each case."""

    def __init__(self, *, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._until: dict[_Place, float] = {}
        self._open: set[_Place] = set()
        """Places that took a call, or failed in another way, since their last limit."""
        self._first: defaultdict[_Place, asyncio.Lock] = defaultdict(asyncio.Lock)

    @asynccontextmanager
    async def respected(self, what: str, channel: str) -> AsyncIterator[None]:
        """Raises `RateLimited` with the channel: at once while a limit lasts, else when the service names one."""
        place = (what, channel)
        if place in self._open:
            async with self._remembered(place):
                yield
            return
        async with self._first[place], self._remembered(place):
            yield

    @asynccontextmanager
    async def _remembered(self, place: _Place) -> AsyncIterator[None]:
        _, channel = place
        left = self._until.get(place, 0.0) - self._clock()
        if left > 0:
            raise RateLimited(f"A rate limit of {channel} lasts.", seconds=left, place=channel)
        try:
            yield
        except RateLimited as limited:
            self._until[place] = self._clock() + limited.seconds
            self._open.discard(place)
            raise RateLimited(str(limited), seconds=limited.seconds, place=channel) from limited
        except BaseException:
            self._open.add(place)
            raise
        self._open.add(place)
