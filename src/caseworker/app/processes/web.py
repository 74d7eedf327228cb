"""An HTTP server that ends when it is told to: uvicorn without its own signal handlers."""

import asyncio
import contextlib
import errno
import socket
from collections.abc import Iterator

import uvicorn

from caseworker.core.base.errors import Refused


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Install no handlers: the caller decides when to end."""
        yield


@contextlib.contextmanager
def listen_on(host: str, port: int, *, or_any: bool = False) -> Iterator[socket.socket]:
    """Bind the socket early, so that a wrong address is refused with a clear text before anything starts. `or_any`:
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
