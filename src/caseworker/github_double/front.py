"""What every API face does around its work: faults, authentication, limits, ETags, headers and the log."""

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from caseworker.github_double.entities.accounts import Actor
from caseworker.github_double.faults import Faults, RequestFault
from caseworker.github_double.limits import Limits
from caseworker.github_double.refusals import FieldError, Forbidden, Moved, Refusal, Unprocessable
from caseworker.github_double.request_log import Entry, RequestLog
from caseworker.github_double.state import GitHub, Json
from caseworker.github_double.tokens import ANONYMOUS, authenticate

Face = Literal["rest", "graphql"]
_DOCUMENTATION = "https://docs.github.com/rest"
_VERSIONS = ("2022-11-28", "2026-03-10")


@dataclass
class Answer:
    """What a face says. `body` is JSON unless it is bytes or None."""

    body: object = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    media_type: str = "application/json; charset=utf-8"

    def content(self) -> bytes:
        if self.body is None:
            return b""
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@dataclass
class Visit:
    """One request: who asks, and for what. The work sets `operation` and `is_write` if it knows better."""

    github: GitHub
    actor: Actor
    request: Request
    body: bytes
    path: str
    is_write: bool
    limits: Limits
    operation: str = ""
    points: int = 1
    """What it costs of the primary limit."""


Work = Callable[[Visit], Answer | Awaitable[Answer]]


class Dropped(Response):
    """A connection that breaks in the middle of the answer."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"1000")]})


class Front:
    """Shared by REST and GraphQL. `github.url` is where the faces are."""

    def __init__(self, github: GitHub, *, limits: Limits, faults: Faults, log: RequestLog) -> None:
        self.github = github
        self.limits = limits
        self.faults = faults
        self.log = log
        self._last: dict[tuple[str, str], Response] = {}

    async def serve(self, request: Request, work: Work, face: Face = "rest") -> Response:
        path = request.url.path.removeprefix("/api/v3")
        fault = self.faults.take_request(request.method, path)
        if fault is not None and fault.kind == "slow":
            await asyncio.sleep(fault.seconds)
        if fault is not None and fault.kind == "fails_before":
            self._note(request, face, path, ANONYMOUS, fault.status, is_write=False)
            return _server_error(fault)
        self.faults.interrupt(request.method, path)
        is_write = request.method not in ("GET", "HEAD") and face == "rest"
        visit = Visit(self.github, ANONYMOUS, request, await request.body(), path, is_write, self.limits)
        response = await self._carry_out(visit, work, face, stale=fault is not None and fault.kind == "stale")
        self._note(request, face, path, visit.actor, response.status_code, visit.is_write, visit.operation)
        if fault is not None and fault.kind == "fails_after":
            return _server_error(fault)
        return Dropped() if fault is not None and fault.kind == "lost" else response

    async def _carry_out(self, visit: Visit, work: Work, face: Face, *, stale: bool) -> Response:
        request, now = visit.request, self.github.now()
        resource = "graphql" if face == "graphql" else "search" if visit.path.startswith("/search") else "core"
        try:
            visit.actor = authenticate(self.github, request.headers.get("authorization"))
        except Refusal as refusal:
            return self._response(visit, refusal_answer(refusal), resource)
        known = (visit.actor.name, str(request.url))
        if stale and known in self._last:
            return self._last[known]
        if visit.path != "/rate_limit":
            hit = self.limits.check(visit.actor, resource, now, is_write=visit.is_write)
            if hit is not None:
                body = {"message": hit.message, "documentation_url": f"{_DOCUMENTATION}/using-the-rest-api/rate-limits"}
                return self._response(visit, Answer(body, hit.status, dict(hit.headers)), resource)
        try:
            answer = work(visit)
            if not isinstance(answer, Answer):
                answer = await answer
        except Refusal as refusal:
            answer = refusal_answer(refusal)
            if answer.status == 301 and visit.is_write:
                answer.status = 307  # so that the client keeps the method
        response = self._conditional(visit, answer, resource)
        if request.method == "GET":
            self._last[known] = response
        return response

    def _conditional(self, visit: Visit, answer: Answer, resource: str) -> Response:
        """A read that the client has already is 304 and does not count against the limit."""
        if visit.request.method in ("GET", "HEAD") and answer.status == 200:
            who = visit.actor.token.value if visit.actor.token else visit.actor.name
            tag = 'W/"' + hashlib.sha256(answer.content() + who.encode()).hexdigest() + '"'
            answer.headers["etag"] = tag
            answer.headers.setdefault("cache-control", "private, max-age=60, s-maxage=60")
            answer.headers["vary"] = "Accept, Authorization, Cookie, X-GitHub-OTP"
            wanted = visit.request.headers.get("if-none-match", "")
            if tag.removeprefix("W/") in [one.strip().removeprefix("W/") for one in wanted.split(",")]:
                visit.points = 0
                answer = Answer(None, 304, answer.headers)
        return self._response(visit, answer, resource)

    def _response(self, visit: Visit, answer: Answer, resource: str) -> Response:
        window = self.limits.window(visit.actor, resource, self.github.now())
        if visit.path != "/rate_limit" and answer.status not in (401, 403, 429):
            window.used = min(window.used + visit.points, window.limit)
        asked = visit.request.headers.get("x-github-api-version", _VERSIONS[0])
        headers = {
            **window.headers(resource),
            "x-github-request-id": uuid4().hex[:20].upper(),
            "x-github-media-type": "github.v3; format=json",
            "x-github-api-version-selected": asked if asked in _VERSIONS else _VERSIONS[0],
            "server": "github.com",
        }
        token = visit.actor.token
        if token is not None and token.kind == "classic":
            headers |= {"x-oauth-scopes": ", ".join(token.scopes), "x-accepted-oauth-scopes": "repo"}
        headers |= answer.headers
        media_type = answer.media_type if answer.body is not None else None
        return Response(answer.content(), answer.status, headers, media_type)

    def _note(
        self, request: Request, face: Face, path: str, actor: Actor, status: int, is_write: bool, operation: str = ""
    ) -> None:
        entry = Entry(
            face=face,
            method=request.method,
            path=path,
            query=request.url.query,
            actor=actor.name,
            status=status,
            is_write=is_write,
            operation=operation,
        )
        self.log.add(entry)


def refusal_answer(refusal: Refusal) -> Answer:
    """A refusal as REST tells it."""
    body: Json = {"message": refusal.message, "documentation_url": _DOCUMENTATION, "status": str(refusal.status)}
    headers: dict[str, str] = {}
    if isinstance(refusal, Unprocessable) and refusal.errors:
        body["errors"] = [_error_json(one) for one in refusal.errors]
    if isinstance(refusal, Forbidden) and refusal.accepted:
        headers["x-accepted-github-permissions"] = refusal.accepted
    if isinstance(refusal, Moved):
        headers["location"] = refusal.location
        body = {"message": refusal.message, "url": refusal.location, "documentation_url": _DOCUMENTATION}
    return Answer(body, refusal.status, headers)


def _error_json(error: FieldError | str) -> Json | str:
    if isinstance(error, str):
        return error
    body: Json = {"resource": error.resource, "field": error.field, "code": error.code}
    return body | ({"message": error.message} if error.message is not None else {})


def _server_error(fault: RequestFault) -> Response:
    return Response(b'{"message": "Server Error"}', fault.status, media_type="application/json")
