"""Failures of Slack's Web API on demand: rate limits, outages, and answers that are lost or never come."""

import asyncio
import math
import time
from collections import defaultdict, deque
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class Mishap:
    what: Literal["limited", "fails", "lost", "hangs"]
    number: int = 0
    """The HTTP status, or the seconds of `Retry-After`."""


class SlackTrouble:
    def __init__(self) -> None:
        self._coming: dict[str, deque[Mishap]] = defaultdict(deque)
        self._free = asyncio.Event()
        self._down = False
        self._closed: dict[tuple[str, str], float] = {}
        self._closing: dict[tuple[str, str], float] = {}
        """For how long, once somebody calls."""
        self.limited: list[tuple[str, str]] = []
        """The calls that a channel's limit refused: method and channel."""

    def goes_down(self) -> None:
        """Every method fails until `comes_back`; events are still sent."""
        self._down = True

    def comes_back(self) -> None:
        self._down = False

    def limit(self, method: str, *, times: int = 1, retry_after: int = 0) -> None:
        """The next calls get 429 with Retry-After and have no effect."""
        self._coming[method].extend([Mishap(what="limited", number=retry_after)] * times)

    def limit_channel(self, channel: str, *, seconds: float, method: str = "chat.postMessage") -> None:
        """Every call for that channel gets 429 with the seconds that are left. They count from the first call, which
        may come late on a busy machine."""
        self._closing[method, channel] = seconds

    def fail(self, method: str, *, times: int = 1, status: int = 500) -> None:
        """The next calls fail and have no effect."""
        self._coming[method].extend([Mishap(what="fails", number=status)] * times)

    def lose_answer(self, method: str, *, times: int = 1) -> None:
        """The next calls take effect, but the connection breaks before the answer."""
        self._coming[method].extend([Mishap(what="lost")] * times)

    def hang(self, method: str, *, times: int = 1) -> None:
        """The next calls take effect, but are not answered until `let_go`."""
        self._coming[method].extend([Mishap(what="hangs")] * times)

    def let_go(self) -> None:
        self._free.set()

    def next(self, method: str, channel: str) -> Mishap | None:
        if self._down:
            return Mishap(what="fails", number=503)
        if (seconds := self._closing.pop((method, channel), None)) is not None:
            self._closed[method, channel] = time.monotonic() + seconds
        left = self._closed.get((method, channel), 0.0) - time.monotonic()
        if left > 0:
            self.limited.append((method, channel))
            return Mishap(what="limited", number=math.ceil(left))
        coming = self._coming[method]
        return coming.popleft() if coming else None

    async def wait(self) -> None:
        await self._free.wait()
