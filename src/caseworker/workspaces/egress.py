"""The forward proxy for set-up commands: a Unix socket in the worker that connects to allowed hosts only.

It reads no content. A name is looked up only after it was found to be allowed (a lookup alone can carry data out), and
we connect to the address that was checked: a second lookup could get another answer.
"""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from ssl import SSLContext, SSLError
from typing import TypedDict

from caseworker.workspaces import bridge
from caseworker.workspaces.allowed_hosts import USUAL_PORTS, AllowedHosts, Entrance, is_address, is_public
from caseworker.workspaces.certificates import trusted
from caseworker.workspaces.egress_traffic import TrafficBook, place
from caseworker.workspaces.proxy_requests import NotUnderstood, ProxyRequest, answer, read_request

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
_Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class _Tls(TypedDict, total=False):
    ssl: SSLContext
    server_hostname: str


_LOOKUPS = 2
"""How many at once: each takes one of the few threads that the whole worker shares."""
_ADDRESSES_TRIED = 4
_MISSES_TOLD = 3
_BAD_GATEWAY = 502


@dataclass(frozen=True, kw_only=True)
class Limits:
    connections: int = bridge.CONNECTIONS
    head_seconds: float = 120
    """Time to receive the head of the request, however slowly it comes. On a busy machine a client that has opened
    dozens of connections may need half a minute until it sends."""
    connect_seconds: float = 10
    """Time to connect to one address."""
    idle_seconds: float = 120
    """Time without a byte in either direction. Servers of big repositories may need a minute to answer."""


class _Unreachable(Exception):
    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


async def look_up(host: str, port: int) -> list[str]:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(where[4][0]) for where in found))


class Egress:
    def __init__(self, allowed: AllowedHosts, *, resolve: Resolve = look_up, limits: Limits | None = None) -> None:
        self._allowed = allowed
        self._resolve = resolve
        self._limits = limits or Limits()
        self._lookups = asyncio.Semaphore(_LOOKUPS)
        self._book = TrafficBook()
        self._missed: dict[str, None] = {}

    @asynccontextmanager
    async def listening(self, path: Path) -> AsyncIterator[None]:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
            listener.listen(2 * self._limits.connections)
            accepting = asyncio.create_task(bridge.accept(listener, self._serve, self._limits.connections))
            try:
                yield
            finally:
                accepting.cancel()
                await asyncio.gather(accepting, return_exceptions=True)
                self._book.log_totals()

    def refusals(self) -> str:
        return self._book.refusals()

    def missed(self) -> str:
        """The first hosts that are allowed and did not answer: clients hide what a proxy says of them."""
        return "".join(f"{sentence}\n" for sentence in list(self._missed)[:_MISSES_TOLD])

    @property
    def moved(self) -> int:
        """Bytes that went either way so far."""
        return self._book.moved

    def refused_hosts(self) -> tuple[str, ...]:
        """As `setup_hosts` would name them."""
        return tuple(_setting(host, port, local=local) for host, port, local in self._book.refused())

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.transport.set_write_buffer_limits(high=0)
        try:
            request = await self._read(reader)
            server = await self._connect(request)
        except NotUnderstood as error:
            await self._refuse(writer, 400, f"Caseworker's proxy for set-up can't serve this: {error}")
        except _Unreachable as error:
            if error.status == _BAD_GATEWAY:
                self._missed[str(error)] = None
            await self._refuse(writer, error.status, str(error))
        else:
            await self._relay(request, (reader, writer), server)

    async def _read(self, reader: asyncio.StreamReader) -> ProxyRequest:
        try:
            async with asyncio.timeout(self._limits.head_seconds):
                return read_request(await reader.readuntil(b"\r\n\r\n"))
        except TimeoutError:
            # Clients try again after this status, and not after 400.
            raise _Unreachable(408, "Caseworker's proxy for set-up got no request in time") from None
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            raise NotUnderstood("the head of the request is cut off or too long") from None

    async def _connect(self, request: ProxyRequest) -> _Streams:
        host, port = request.host, request.port
        if not self._allowed.allow(host, port):
            self._book.refuse(host, port)
            name = _setting(host, port, local=False)
            raise _Unreachable(403, f"{place(host, port)} is refused: set-up may not reach it. {_todo(name)}")
        addresses = await self._addresses(host, port)
        problem = "it has no address"
        for address in addresses[:_ADDRESSES_TRIED]:
            try:
                async with asyncio.timeout(self._limits.connect_seconds):
                    return await asyncio.open_connection(address, port, limit=bridge.CHUNK, **self._tls(request))
            except SSLError as error:
                problem = f"its certificate is not trusted ({error.reason})"
            except OSError as error:
                problem = os.strerror(error.errno) if error.errno else "it did not answer in time"
        raise _Unreachable(502, f"{place(host, port)} is allowed but can't be reached: {problem}")

    def _entrance(self, request: ProxyRequest) -> Entrance | None:
        """Null also for a tunnel: what goes through it can't be added to."""
        return None if request.forwarded is None else self._allowed.entrance(request.host, request.port)

    def _tls(self, request: ProxyRequest) -> _Tls:
        entrance = self._entrance(request)
        return _Tls(ssl=trusted(), server_hostname=request.host) if entrance is not None and entrance.tls else _Tls()

    async def _addresses(self, host: str, port: int) -> Sequence[str]:
        if is_address(host):
            found: Sequence[str] = [host]
        else:
            try:
                async with asyncio.timeout(self._limits.connect_seconds), self._lookups:
                    found = await self._resolve(host, port)
            except OSError as error:
                problem = error.strerror or "no answer in time"
                raise _Unreachable(502, f"{host} is allowed but its name can't be looked up: {problem}") from None
        if self._allowed.allow_local(host, port):
            return found
        public = [address for address in found if is_public(address)]
        if found and not public:
            self._book.refuse(host, port, local=True)
            why = f"{host} is refused: it leads to {found[0]}, a local address."
            raise _Unreachable(403, f"{why} {_todo(place(host, port))}")
        return public

    async def _relay(self, request: ProxyRequest, client: _Streams, server: _Streams) -> None:
        traffic = self._book.reached(request.host, request.port)
        traffic.connections += 1
        clock = asyncio.get_running_loop().time
        idle = self._limits.idle_seconds
        try:
            async with asyncio.timeout(idle) as deadline:

                def sent(size: int) -> None:
                    traffic.sent += size
                    deadline.reschedule(clock() + idle)

                def received(size: int) -> None:
                    traffic.received += size
                    deadline.reschedule(clock() + idle)

                if request.forwarded is None:
                    client[1].write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                    await client[1].drain()
                else:
                    entrance = self._entrance(request)
                    head = request.forwarded if entrance is None else request.with_login(entrance.header)
                    server[1].write(head)
                    sent(len(head))
                await bridge.join(client, server, sent, received)
        finally:
            bridge.end(server[1])

    async def _refuse(self, writer: asyncio.StreamWriter, status: int, sentence: str) -> None:
        async with asyncio.timeout(self._limits.head_seconds):
            writer.write(answer(status, sentence))
            await writer.drain()


def _todo(entry: str) -> str:
    return f'To allow it, add "{entry}" to setup_hosts in caseworker.toml'


def _setting(host: str, port: int, *, local: bool) -> str:
    """The entry of `setup_hosts` that allows this. A local address has to be named with its port."""
    return place(host, port) if local or port not in USUAL_PORTS or is_address(host) else host
