"""An HTTP server that ends when it is told to: uvicorn without its own signal handlers."""

import asyncio
import contextlib
import errno
import socket
from collections.abc import Iterator
from typing import Final

import h11
import structlog
import uvicorn
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from caseworker.core.base.errors import Refused

log = structlog.get_logger()

REQUEST_SECONDS: Final = 30.0
"""How long a client may take to send a request, from its first byte to its last."""


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Install no handlers: the caller decides when to end."""
        yield


class PatientProtocol(H11Protocol):
    """Ends a connection whose request does not arrive whole in time. Otherwise anybody could hold connections open for
    ever, until the process has no file left to open."""

    seconds = REQUEST_SECONDS
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self._await_request()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self._is_arriving():
            self._stop_waiting()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _await_request(self) -> None:
        self._stop_waiting()
        if self._is_arriving() and not self.transport.is_closing():
            self._deadline = self.loop.call_later(self.seconds, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _is_arriving(self) -> bool:
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY)


def without_hang_ups(app: ASGIApp) -> ASGIApp:
    """A client that hangs up within its request is no error of ours: a line in the log instead of a stack trace."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await app(scope, receive, send)
        except ClientDisconnect:
            log.info("a client hung up within its request", path=scope.get("path", "")[:200])

    return answer


@contextlib.contextmanager
def listen_on(host: str, port: int, *, or_any: bool = False) -> Iterator[socket.socket]:
    """Open the socket early, so that a wrong address is refused with a clear text before anything starts. `or_any`:
    take any free port if this one is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as error:
            if not or_any or error.errno != errno.EADDRINUSE:
                raise
            listener.bind((host, 0))
        listener.listen()  # a client that connects before the server runs waits, and is not refused
    except OSError as error:
        listener.close()
        raise Refused(
            f"Nothing can listen at {host}:{port}: {error.strerror or error}.",
            todo="Set serve_host and serve_port (0: any free one).",
        ) from error
    with listener:
        yield listener


async def served(config: uvicorn.Config, listener: socket.socket, stop: asyncio.Event) -> None:
    """Requests under way are answered before this returns."""
    server = _Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    stopped = asyncio.create_task(stop.wait())
    await asyncio.wait([serving, stopped], return_when=asyncio.FIRST_COMPLETED)
    server.should_exit = True
    stopped.cancel()
    await serving
