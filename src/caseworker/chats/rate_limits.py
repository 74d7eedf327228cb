"""Remembers which channels asked us to wait, so that no other case asks there meanwhile."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from caseworker.core.base.errors import RateLimited


class RateLimits:
    """The limits that this process was told of. What waits for their end is a timer of the case, which survives it."""

    def __init__(self) -> None:
        self._until: dict[tuple[str, str], float] = {}

    @contextmanager
    def respected(self, what: str, channel: str) -> Iterator[None]:
        """Raises `RateLimited` with the channel: at once while a limit lasts, else when the service names one."""
        left = self._until.get((what, channel), 0.0) - time.monotonic()
        if left > 0:
            raise RateLimited(f"A rate limit of {channel} lasts.", seconds=left, place=channel)
        try:
            yield
        except RateLimited as limited:
            self._until[what, channel] = time.monotonic() + limited.seconds
            raise RateLimited(str(limited), seconds=limited.seconds, place=channel) from limited
