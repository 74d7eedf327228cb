"""The server of `caseworker serve` waits for a request only so long, and logs no stack trace for a hang-up."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from structlog.testing import capture_logs

from caseworker.app.processes.web import PatientProtocol, listen_on, served, without_hang_ups


class Impatient(PatientProtocol):
    seconds = 0.2


async def _read(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


@asynccontextmanager
async def server(protocol: type[PatientProtocol]) -> AsyncIterator[int]:
    app = without_hang_ups(Starlette(routes=[Route("/", _read, methods=["GET", "POST"])]))
    config = uvicorn.Config(app, http=protocol, log_config=None, access_log=False, timeout_graceful_shutdown=1)
    stop = asyncio.Event()
    with listen_on("127.0.0.1", 0) as listener:
        listener.listen()
        serving = asyncio.create_task(served(config, listener, stop))
        yield listener.getsockname()[1]
        stop.set()
        await serving


async def asked(port: int, *pieces: bytes) -> bytes:
    """What came back until the server closed the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for piece in pieces:
        writer.write(piece)
        await writer.drain()
    try:
        return await reader.read()
    except ConnectionResetError:
        return b""
    finally:
        writer.close()


WHOLE = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.mark.parametrize(
    "sent",
    [b"", b"GET / HTT", b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab", WHOLE + b"GET / HTT"],
    ids=["nothing", "half a head", "half a body", "half of a second request"],
)
async def test_a_request_that_does_not_arrive_whole_ends_its_connection(sent: bytes) -> None:
    async with server(Impatient) as port, asyncio.timeout(20):
        assert (await asked(port, sent)).count(b"200 OK") == sent.count(WHOLE)


async def test_a_whole_request_is_answered_and_the_connection_kept() -> None:
    async with server(PatientProtocol) as port:
        answer = await asked(port, WHOLE, WHOLE.replace(b"Host", b"Connection: close\r\nHost"))
    assert answer.count(b"200 OK") == 2


async def test_a_hang_up_within_a_request_is_one_line_of_the_log() -> None:
    with capture_logs() as logs:
        async with server(PatientProtocol) as port:
            with socket.create_connection(("127.0.0.1", port)) as client:
                client.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab")
            await asked(port, WHOLE.replace(b"Host", b"Connection: close\r\nHost"))
    assert [one["event"] for one in logs] == ["a client hung up within its request"]
