"""An open page without a browser: reads the events of a stream from the real handlers."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from starlette.types import Message, Scope

from tests.dashboard.visitor import HERE, Visitor
from tests.patience import PATIENCE


@dataclass(frozen=True)
class Event:
    id: str
    data: str


@dataclass
class LivePage:
    """httpx's transport waits for the end of an answer, which a stream does not have: so this speaks ASGI itself."""

    events: list[Event] = field(default_factory=list)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    _new: asyncio.Event = field(default_factory=asyncio.Event)
    _rest: str = ""

    @classmethod
    @asynccontextmanager
    async def of(
        cls, visitor: Visitor, path: str, *, last: int | None = None, looks: bool = True
    ) -> AsyncIterator["LivePage"]:
        """`looks`: whether the server looks for changes."""
        page = cls()
        looking = asyncio.create_task(visitor.backend.changes.run() if looks else asyncio.sleep(0))
        stream = asyncio.create_task(page._read(visitor, path, last))
        try:
            yield page
        finally:
            for task in (stream, looking):
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task

    async def _read(self, visitor: Visitor, path: str, last: int | None) -> None:
        address, _, query = path.partition("?")
        cookie = "; ".join(f"{name}={value}" for name, value in visitor.client.cookies.items())
        headers = [(b"host", HERE.partition("//")[2].encode()), (b"cookie", cookie.encode())]
        if last is not None:
            headers.append((b"last-event-id", str(last).encode()))
        scope: Scope = {
            "type": "http",
            "method": "GET",
            "path": address,
            "raw_path": address.encode(),
            "query_string": query.encode(),
            "headers": headers,
            "scheme": "http",
            "server": ("127.0.0.1", 8480),
            "client": ("127.0.0.1", 1),
        }
        await visitor.site(scope, self._never, self._take)
        self.ended.set()

    async def _never(self) -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    async def _take(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            assert message["status"] == 200
            return
        *whole, self._rest = (self._rest + message.get("body", b"").decode()).split("\n\n")
        for block in whole:
            lines = [line.partition(": ")[::2] for line in block.split("\n")]
            data = "\n".join(value for name, value in lines if name == "data")
            if data:
                self.events.append(Event(next((value for name, value in lines if name == "id"), ""), data))
                self._new.set()

    @property
    def entries(self) -> list[Event]:
        return [event for event in self.events if event.id]

    async def event(self, number: int) -> Event:
        return await self._found(lambda event: event.id == str(number))

    async def region(self, name: str, words: str = "") -> str:
        return (await self._found(lambda event: f'hx-target="#{name}"' in event.data and words in event.data)).data

    async def _found(self, wanted: Callable[[Event], bool]) -> Event:
        async with asyncio.timeout(PATIENCE):
            while not (found := [event for event in self.events if wanted(event)]):
                self._new.clear()
                await self._new.wait()
        return found[-1]
