"""A small model provider on a TCP port: serves the Messages API, remembers its requests, fails on demand."""

import asyncio
import json
import socket
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from caseworker.agents.http_server import broken_off, embedded_server, read_call
from caseworker.agents.rehearsal import load_rehearsal
from caseworker.agents.upstreams import ModelAnswer, ModelCall, Upstream
from caseworker.agents.upstreams.rehearsed import Part, RehearsedUpstream
from caseworker.agents.upstreams.rehearsed_question import RehearsedQuestion
from caseworker.core.base.roles import Role, Task


@dataclass
class Provider:
    url: str
    model: Upstream
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    failures: list[tuple[int, str]] = field(default_factory=list)
    """Statuses and error types of the next answers."""
    breaks: list[int] = field(default_factory=list)
    """The number of chunks after which the next answers break off."""
    errors: list[str] = field(default_factory=list)
    """Error types with which the next streams end after their first chunk; an answer in one piece fails as a whole."""
    holds: asyncio.Event | None = None
    """Answers stop after their first chunk until this is set."""
    thinks: asyncio.Event | None = None
    """Answers don't begin until this is set."""

    def plays(self, script: str, role: Role = Role.DEVELOPER, task: Task = Task.IMPLEMENT, nth: int = 1) -> None:
        self.model = rehearsed(script, role, task, nth)

    def answers(self, script: str, purpose: str) -> None:
        """What it says to a single question."""
        self.model = RehearsedQuestion(load_rehearsal(script, "test.yaml"), purpose=purpose, nth=1)

    async def answer(self, request: Request) -> Response:
        call = await read_call(request, "/v1/messages")
        assert isinstance(call, ModelCall)
        self.requests.append(json.loads(call.body))
        self.headers.append(dict(request.headers))
        if self.errors and not call.streamed:
            self.failures.insert(0, (529, self.errors.pop(0)))
        if self.failures:
            status, kind = self.failures.pop(0)
            error = {"type": "error", "error": {"type": kind, "message": "as told"}}
            return JSONResponse(error, status_code=status, headers={"retry-after": "0"})
        if self.thinks is not None:
            await self.thinks.wait()
        answer = await self.model.send(call)
        return StreamingResponse(self._body(answer), status_code=answer.status, headers=dict(answer.headers))

    async def count(self, request: Request) -> Response:
        return JSONResponse({"input_tokens": 7})

    async def _body(self, answer: ModelAnswer) -> AsyncGenerator[bytes, None]:
        last = self.breaks.pop(0) if self.breaks else None
        number = 0
        async for chunk in answer.body:
            if number == last:
                raise ConnectionError("broken off, as told")
            yield chunk
            number += 1
            if self.errors:
                yield broken_off("as told").replace(b"api_error", self.errors.pop(0).encode())
                return
            if self.holds is not None:
                await self.holds.wait()


def rehearsed(
    script: str, role: Role, task: Task, nth: int = 1, workspace: Path = Path("/nowhere")
) -> RehearsedUpstream:
    part = Part(
        role=role, task=task, nth=nth, session=f"provider-{role}-{nth}", case="local/shop#1", workspace=workspace
    )
    return RehearsedUpstream(load_rehearsal(script, "test.yaml"), part)


@asynccontextmanager
async def provider(
    script: str, role: Role = Role.DEVELOPER, task: Task = Task.IMPLEMENT, kind: type[Provider] = Provider
) -> AsyncIterator[Provider]:
    listener = socket.create_server(("127.0.0.1", 0))
    ours = kind(url=f"http://127.0.0.1:{listener.getsockname()[1]}", model=rehearsed(script, role, task))
    routes = [
        Route("/v1/messages", ours.answer, methods=["POST"]),
        Route("/v1/messages/count_tokens", ours.count, methods=["POST"]),
    ]
    server = embedded_server(Starlette(routes=routes))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield ours
    finally:
        for waiting in (ours.holds, ours.thinks):
            if waiting is not None:
                waiting.set()
        server.leave()
        await serving


@asynccontextmanager
async def hanging_up() -> AsyncIterator[str]:
    """The URL of a server that takes a request and closes the connection without an answer."""

    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


def closed_port() -> str:
    """A URL on which no server listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}"
