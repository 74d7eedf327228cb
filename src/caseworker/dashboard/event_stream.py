"""Server-sent events: one answer that stays open."""

from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse

MOST_STREAMS: Final = 100
"""Open pages of one person. Each is woken by every change, so that thousands would keep the server from everybody."""


@dataclass(frozen=True, kw_only=True)
class Sent:
    data: str
    id: str = ""
    event: str = ""

    @property
    def digest(self) -> str:
        return sha256(self.data.encode()).hexdigest()[:16]

    def encode(self) -> bytes:
        lines = [f"event: {self.event}"] if self.event else []
        lines += [f"id: {self.id}"] if self.id else []
        lines += [f"data: {line}" for line in self.data.replace("\r", "\n").split("\n")]
        return ("\n".join(lines) + "\n\n").encode()


class EventStream(StreamingResponse):
    """`None` is sent as a comment, which keeps proxies from closing a quiet connection."""

    def __init__(self, events: AsyncIterator[Sent | None]) -> None:
        headers = {"X-Accel-Buffering": "no", "Cache-Control": "no-store"}
        super().__init__(_encoded(events), media_type="text/event-stream", headers=headers)


async def _encoded(events: AsyncIterator[Sent | None]) -> AsyncIterator[bytes]:
    yield b": open\n\n"
    async for event in events:
        yield b": quiet\n\n" if event is None else event.encode()


class OpenStreams:
    """Opens streams, and counts them by the name of who reads them."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()

    def open(self, name: str, events: AsyncIterator[Sent | None]) -> EventStream:
        if self._open[name] >= MOST_STREAMS:
            raise HTTPException(429, f"You have {MOST_STREAMS} live pages open. Close one of them first.")
        return EventStream(self._counted(name, events))

    async def _counted(self, name: str, events: AsyncIterator[Sent | None]) -> AsyncIterator[Sent | None]:
        self._open[name] += 1
        try:
            async for event in events:
                yield event
        finally:
            self._open[name] -= 1
