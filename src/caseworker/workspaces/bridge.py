"""Runs inside the sandbox beside a set-up command: forwards connections from 127.0.0.1 to the proxy's Unix socket.

A separate program, copied into the sandbox and run by a Python that may be older than ours: it uses nothing but the
standard library of 3.9. Usage: bridge.py SOCKET COMMAND...; it runs the command and exits with its exit code.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import sys
from collections.abc import Awaitable, Callable

CHUNK = 1 << 16
CONNECTIONS = 100
"""How many at once. Further ones wait to be accepted, so that a flood can't use up the file descriptors."""
_LINGER_SECONDS = 1.0
_PROXY_NAMES = (
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy", "PIP_PROXY"),
    *("npm_config_proxy", "npm_config_https_proxy", "YARN_HTTP_PROXY", "YARN_HTTPS_PROXY", "CARGO_HTTP_PROXY"),
)

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def accept(listener: socket.socket, handle: Handler, connections: int) -> None:
    """Serves at most `connections` clients at a time, until cancelled; then closes all of them."""
    room = asyncio.Semaphore(connections)
    tasks: set[asyncio.Task[None]] = set()

    def ended(task: asyncio.Task[None]) -> None:
        tasks.discard(task)
        room.release()

    listener.setblocking(False)
    try:
        while True:
            await room.acquire()
            client = await _next(listener)
            task = asyncio.ensure_future(_serve(client, handle))
            tasks.add(task)
            task.add_done_callback(ended)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _next(listener: socket.socket) -> socket.socket:
    while True:
        try:
            return (await asyncio.get_running_loop().sock_accept(listener))[0]
        except OSError:  # no file descriptor left, or the client has gone: the listener itself still works
            await asyncio.sleep(0.1)


async def _serve(client: socket.socket, handle: Handler) -> None:
    reader, writer = await asyncio.open_connection(sock=client, limit=CHUNK)
    try:
        await handle(reader, writer)
        await _linger(reader, writer)
    except OSError:
        pass  # the other side went away, or its time was up
    finally:
        end(writer)


async def _linger(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Reads what the client still sends: if we closed now, it would lose the answer that it has not read yet."""

    async def discard() -> None:
        while await reader.read(CHUNK):
            pass

    writer.write_eof()
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(discard(), _LINGER_SECONDS)


def end(writer: asyncio.StreamWriter) -> None:
    """Closes the connection. Drops what the other side has not read, which would keep the connection open."""
    if writer.transport.get_write_buffer_size():
        writer.transport.abort()
    else:
        writer.close()


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, moved: Callable[[int], None]) -> None:
    """Copies everything from reader to writer with a chunk or two in memory: reads only after the last was sent."""
    writer.transport.set_write_buffer_limits(high=0)
    while chunk := await reader.read(CHUNK):
        writer.write(chunk)
        await writer.drain()
        moved(len(chunk))
    with contextlib.suppress(OSError):  # the other side may have closed already
        writer.write_eof()


async def join(
    client: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    server: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    sent: Callable[[int], None] = lambda size: None,
    received: Callable[[int], None] = lambda size: None,
) -> None:
    """Copies in both directions until the server closes. A client that stopped sending may still be reading."""

    async def upward() -> None:
        try:
            await pump(client[0], server[1], sent)
        except OSError:
            server[1].transport.abort()  # this ends the other direction, too

    task = asyncio.ensure_future(upward())
    try:
        await pump(server[0], client[1], received)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        end(server[1])


def _to_socket(path: str) -> Handler:
    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            gate = await asyncio.open_unix_connection(path, limit=CHUNK)
        except OSError as error:
            await _answer_502(reader, writer, error)
        else:
            await join((reader, writer), gate)

    return forward


async def _answer_502(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, error: OSError) -> None:
    await reader.read(CHUNK)
    reason = f"Caseworker's proxy for set-up is gone ({error.strerror})"
    writer.write(f"HTTP/1.1 502 {reason}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
    await writer.drain()


def _environment(port: int) -> dict[str, str]:
    proxy = f"http://127.0.0.1:{port}"
    # No exceptions: there is no other network, and the proxy's refusal says more than "no such host".
    direct = {"NO_PROXY": "", "no_proxy": "", "npm_config_noproxy": ""}
    # Java reads no variable of the usual ones. It makes exceptions for this machine, unless there are said to be none.
    java = " ".join(f"-D{kind}.proxyHost=127.0.0.1 -D{kind}.proxyPort={port}" for kind in ("http", "https"))
    java += " -Dhttp.nonProxyHosts="
    further = {"NODE_USE_ENV_PROXY": "1", "JAVA_TOOL_OPTIONS": java}
    return {**os.environ, **dict.fromkeys(_PROXY_NAMES, proxy), **direct, **further}


async def _main(path: str, command: list[str]) -> int:
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    serving = asyncio.ensure_future(accept(listener, _to_socket(path), CONNECTIONS))
    process = await asyncio.create_subprocess_exec(*command, env=_environment(listener.getsockname()[1]))
    code = await process.wait()
    serving.cancel()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(asyncio.run(_main(sys.argv[1], sys.argv[2:])))
