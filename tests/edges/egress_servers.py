"""Small servers on loopback that set-up commands connect to; they record what they got."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

_BLOCK = b"x" * (1 << 16)


@dataclass
class LocalServer:
    """Answers a path with its file; `/big/N` with N bytes; `/silent` with nothing, for ever."""

    port: int = 0
    files: dict[str, bytes] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)
    """First lines of requests."""
    heads: list[bytes] = field(default_factory=list)
    stalled_after: asyncio.Future[int] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    """Bytes of a big answer that were sent before the client stopped reading."""
    patience: float = 30
    """Seconds without reading after which the client counts as stopped."""
    asked: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def name(self) -> str:
        return f"localhost:{self.port}"

    @property
    def url(self) -> str:
        return f"http://{self.name}"

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            self.heads.append(head)
            self.seen.append(head.split(b"\r\n")[0].decode())
            self.asked.set()
            path = self.seen[-1].split(" ")[1]
            if path == "/silent":
                await reader.read()
            elif path.startswith("/big/"):
                await self._send_big(writer, int(path.removeprefix("/big/")))
            else:
                await self._send(writer, self.files.get(path))
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _send(self, writer: asyncio.StreamWriter, body: bytes | None) -> None:
        status = b"404 Not Found" if body is None else b"200 OK"
        body = body or b""
        writer.write(b"HTTP/1.1 %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (status, len(body), body))
        await writer.drain()

    async def _send_big(self, writer: asyncio.StreamWriter, size: int) -> None:
        writer.transport.set_write_buffer_limits(high=0)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % size)
        sent = 0
        while sent < size:
            block = _BLOCK[: size - sent]
            writer.write(block)
            try:
                await asyncio.wait_for(writer.drain(), self.patience)
            except TimeoutError:
                self.stalled_after.set_result(sent)
                return
            sent += len(block)


@asynccontextmanager
async def local_server(files: dict[str, bytes] | None = None) -> AsyncIterator[LocalServer]:
    local = LocalServer(files=files or {})
    handlers: set[asyncio.Task[None]] = set()

    def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(local.answer(reader, writer))
        handlers.add(task)
        task.add_done_callback(handlers.discard)

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    local.port = server.sockets[0].getsockname()[1]
    try:
        yield local
    finally:
        server.close()
        for task in handlers:
            task.cancel()
        await asyncio.gather(*handlers, return_exceptions=True)
