"""The HTTP side of the gateway: reads a call, writes the API's error answers, and runs a server in our process."""

import asyncio
import contextlib
import json
import socket
import struct
from collections.abc import Iterator, Mapping
from typing import Final, Literal

import structlog
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from uvicorn.protocols.http.h11_impl import H11Protocol

from caseworker.agents.admission import passed_betas
from caseworker.agents.upstreams import ModelCall

log = structlog.get_logger()

BODY_LIMIT: Final = 32_000_000
"""Bytes of a request, so that an agent can't fill the worker's memory. The provider has the same limit."""


async def read_call(
    request: Request, path: Literal["/v1/messages", "/v1/messages/count_tokens"]
) -> ModelCall | Response:
    """The call, or an error answer if the request is not a valid call."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > BODY_LIMIT:
            return error_answer(413, "request_too_large", f"a request has at most {BODY_LIMIT} bytes")
    try:
        document = json.loads(body.decode(), object_pairs_hook=_without_duplicates)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        return error_answer(400, "invalid_request_error", "the request's body is not a plain JSON object")
    headers = _passed_on(request.headers)
    return ModelCall(path=path, query=request.url.query, headers=headers, body=bytes(body), document=document)


def _without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuses duplicate keys: we check the parsed body but pass on the bytes, so both must mean the same."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _passed_on(headers: Mapping[str, str]) -> dict[str, str]:
    passed = {
        "anthropic-version": headers.get("anthropic-version", ""),
        "anthropic-beta": passed_betas(headers.get("anthropic-beta", "")),
    }
    return {name: value for name, value in passed.items() if value}


def error_answer(status: int, kind: str, message: str) -> Response:
    return JSONResponse({"type": "error", "error": {"type": kind, "message": message}}, status_code=status)


def refusal(reason: str) -> Response:
    """An answer that the agent's program takes as final. Tried: it retries after 400, 401, 404, 422, 429 and 5xx."""
    return error_answer(403, "permission_error", reason)


def failure(reason: str) -> Response:
    """The answer when the provider can't be reached: the agent's program retries a few times by itself."""
    return error_answer(502, "api_error", reason)


def broken_off(reason: str) -> bytes:
    """An error event, as the API sends it after a stream has begun."""
    event = {"type": "error", "error": {"type": "api_error", "message": reason}}
    return f"event: error\ndata: {json.dumps(event)}\n\n".encode()


class EmbeddedServer(uvicorn.Server):
    """A server that lives as long as one piece of our work, and ends the moment it is told to: uvicorn's own loop looks
    every 0.1 s whether it should, and again whether its connections have ended. A turn of an agent waits for that."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._leave = asyncio.Event()

    def leave(self) -> None:
        self.should_exit = True
        self._leave.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Does nothing: signals belong to the process that embeds this server."""
        yield

    async def main_loop(self) -> None:
        await self._leave.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        for listener in sockets or []:
            listener.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        if self.server_state.tasks:
            await asyncio.wait(self.server_state.tasks)


class OneCaller:
    """Lets one process connect: the first that does. That is the agent itself, because its tools run only after the
    model's first answer. What a tool calls could be charged to the case, and pass for the agent's own call."""

    def __init__(self) -> None:
        self._pid: int | None = None

    def admits(self, connection: socket.socket) -> bool:
        if not hasattr(socket, "SO_PEERCRED"):  # not Linux: there is no sandbox either
            return True
        pid = int(struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0])
        self._pid = self._pid or pid
        return pid == self._pid


def embedded_server(app: Starlette, caller: OneCaller | None = None) -> EmbeddedServer:
    """`caller`: who may connect; by default everybody who can."""

    class Guarded(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
            super().connection_made(transport)
            if caller is not None and not caller.admits(transport.get_extra_info("socket")):
                log.warning("a process that is not the agent tried to call the model")
                transport.abort()

    config = uvicorn.Config(app, log_config=None, lifespan="off", ws="none", server_header=False, http=Guarded)
    # Given to the constructor, this would switch off the access log of every other server in the process.
    config.access_log = False
    return EmbeddedServer(config)
