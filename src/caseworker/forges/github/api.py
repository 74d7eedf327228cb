"""GitHub's REST and GraphQL APIs with tokens, pages, conditional requests, and errors of our families."""

import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter, ValidationError

from caseworker.core.base.errors import Defect, RateLimited, Transient
from caseworker.core.base.repositories import RemoteRepository
from caseworker.forges.github.api_errors import GitHubRefused, error_of
from caseworker.forges.github.credentials import AppCredentials, Credentials, Login
from caseworker.forges.github.transport import Reply, Request, Transport

T = TypeVar("T")
_Who = Callable[[], Awaitable[Login]]
"""Gives the token; asked again when GitHub does not accept it."""
PER_PAGE: Final = 100
_KEPT_BYTES: Final = 64_000_000
"""Of all answers together. A few watched pull requests are dozens of answers of some kilobytes each."""
_LARGEST_KEPT: Final = 256_000
_PAGES: Final = 1_000
_NEXT: Final = re.compile(r'<([^<>]{1,2000})>\s{0,20};[^,<]{0,500}rel="next"')
_DIFF: Final = "application/vnd.github.diff"


class _GraphError(BaseModel):
    model_config = ConfigDict(extra="ignore")

    type: str = ""
    message: str = ""
    path: list[str | int] = []


class _GraphReply(BaseModel):
    model_config = ConfigDict(extra="ignore")

    data: JsonValue = None
    errors: list[_GraphError] = []


@dataclass(frozen=True, kw_only=True)
class GraphAnswer:
    data: JsonValue
    """Perhaps only in part: where `errors` is not empty, some of it is null."""
    errors: tuple[str, ...] = ()
    problems: tuple["GraphProblem", ...] = ()
    """The same errors, with what they are about."""


@dataclass(frozen=True, kw_only=True)
class GraphProblem:
    kind: str
    """`FORBIDDEN`, `NOT_FOUND`, ..."""
    fields: tuple[str, ...]
    """Where in the answer, without places in lists. Empty: the question itself was refused."""
    message: str


class GitHubApi:
    def __init__(self, transport: Transport, credentials: Credentials) -> None:
        self.address = transport.address
        self._transport = transport
        self.credentials = credentials
        self._kept: dict[tuple[str, str, str], Reply] = {}
        """Answers that GitHub may confirm with 304, which costs nothing of the limit. The oldest is first."""
        self._kept_bytes = 0
        self._limited: dict[str, float] = {}

    async def get(
        self, repository: RemoteRepository | None, path: str, model: type[T], *, params: Mapping[str, str] | None = None
    ) -> T:
        request = Request(method="GET", path=path, params=params or {})
        return _parsed(await self._conditional(request, partial(self.credentials.of, repository)), model, path)

    async def pages(
        self,
        repository: RemoteRepository | None,
        path: str,
        model: type[T],
        *,
        params: Mapping[str, str] | None = None,
        most: int | None = None,
    ) -> list[T]:
        """All pages of a list; with `most`, no more than are needed for so many."""
        who = partial(self.credentials.of, repository)
        return await self._pages(Request(method="GET", path=path, params=params or {}), who, model, most)

    async def app_pages(
        self, path: str, model: type[T], *, params: Mapping[str, str] | None = None, most: int | None = None
    ) -> list[T]:
        """As `pages`, for what only the App itself may read."""
        request = Request(method="GET", path=path, params=params or {})
        return await self._pages(request, self.credentials.of_app, model, most)

    async def app_get(self, path: str, model: type[T]) -> T:
        """As `get`, for what only the App itself may read."""
        request = Request(method="GET", path=path)
        return _parsed(await self._conditional(request, self.credentials.of_app), model, path)

    async def installation_get(
        self, installation: int, path: str, model: type[T], *, params: Mapping[str, str] | None = None
    ) -> T:
        """As `get`, for what an installation of the App may read, whatever its repositories are."""
        if not isinstance(self.credentials, AppCredentials):
            raise Defect("Only an App has installations.")
        who = partial(self.credentials.of_installation, installation)
        request = Request(method="GET", path=path, params=params or {})
        return _parsed(await self._conditional(request, who), model, path)

    async def diff(self, repository: RemoteRepository, path: str) -> str:
        request = Request(method="GET", path=path, accept=_DIFF)
        reply = await self._conditional(request, partial(self.credentials.of, repository))
        return reply.body.decode(errors="replace")

    async def exists(self, repository: RemoteRepository, path: str) -> bool:
        """Whether GitHub has something there, where its answer has no body."""
        try:
            await self._answered(Request(method="GET", path=path), partial(self.credentials.of, repository))
        except GitHubRefused as refused:
            if refused.is_absent:
                return False
            raise
        return True

    async def linked_text(self, repository: RemoteRepository, path: str) -> str:
        """A text that GitHub keeps elsewhere and redirects to, as logs are. The token is not sent there."""
        who = partial(self.credentials.of, repository)
        reply = await self._answered(Request(method="GET", path=path), who, redirects=True)
        place = reply.headers.get("location")
        return await self._transport.open_text(place) if place else reply.body.decode(errors="replace")

    async def write(
        self, repository: RemoteRepository, method: str, path: str, model: type[T], *, body: object = None
    ) -> T:
        """Change something, once. `ResultUnknown`: it may have happened; look before the next try."""
        request = Request(method=method, path=path, body=body)
        return _parsed(await self._answered(request, partial(self.credentials.of, repository)), model, path)

    async def graphql(
        self, repository: RemoteRepository, text: str, variables: Mapping[str, JsonValue], *, writes: bool = False
    ) -> GraphAnswer:
        body = {"query": text, "variables": dict(variables)}
        request = Request(method="POST", path=self.address.graphql, body=body, reads=not writes)
        reply = _parsed(await self._answered(request, partial(self.credentials.of, repository)), _GraphReply, "GraphQL")
        for error in reply.errors:
            if error.type == "RATE_LIMITED":
                raise RateLimited(f"GitHub's GraphQL limit is reached: {error.message}", seconds=60, place="graphql")
        problems = tuple(
            GraphProblem(
                kind=error.type,
                fields=tuple(part for part in error.path if isinstance(part, str)),
                message=error.message,
            )
            for error in reply.errors
        )
        return GraphAnswer(data=reply.data, errors=tuple(one.message for one in problems), problems=problems)

    async def _pages(self, request: Request, who: _Who, model: type[T], most: int | None) -> list[T]:
        first = {"per_page": str(min(PER_PAGE, most or PER_PAGE)), **request.params}
        page: Request | None = replace(request, params=first)
        found: list[T] = []
        for _ in range(_PAGES):
            if page is None or (most is not None and len(found) >= most):
                return found[:most]
            reply = await self._conditional(page, who)
            items = _parsed(reply, list[model], request.path)  # type: ignore[valid-type]  # pydantic builds the list type at run time
            found += items
            following = self._next(reply)
            if following is None and len(items) >= int(first["per_page"]):
                # A full last page stays the same when a page is added: a 304 would hide the new one.
                self._drop(_key((await who()).account, page))
            page = following
        raise Defect(f"GitHub's list {request.path} has more than {_PAGES} pages.")

    def _next(self, reply: Reply) -> Request | None:
        link = _NEXT.search(reply.headers.get("link", ""))
        if link is None:
            return None
        if not link[1].startswith(self.address.rest.rstrip("/") + "/"):
            raise Transient("GitHub's next page is on another host.")  # which must not see the token
        return Request(method="GET", path=link[1])

    async def _conditional(self, request: Request, who: _Who) -> Reply:
        account = (await who()).account
        key = _key(account, request)
        kept = self._kept.get(key)
        reply = await self._answered(replace(request, etag=kept.headers["etag"]) if kept else request, who)
        if reply.status == 304 and kept is not None:
            self._keep(key, kept)
            return kept
        if "etag" in reply.headers and len(reply.body) <= _LARGEST_KEPT:
            self._keep(key, reply)
        return reply

    def _keep(self, key: tuple[str, str, str], reply: Reply) -> None:
        """Keeps the answer as the newest one. Drops the oldest ones if there are too many."""
        self._drop(key)
        self._kept[key] = reply
        self._kept_bytes += len(reply.body)
        while self._kept_bytes > _KEPT_BYTES:
            self._drop(next(iter(self._kept)))

    def _drop(self, key: tuple[str, str, str]) -> None:
        gone = self._kept.pop(key, None)
        self._kept_bytes -= len(gone.body) if gone else 0

    async def _answered(self, request: Request, who: _Who, *, renewed: bool = False, redirects: bool = False) -> Reply:
        login = await who()
        left = self._limited.get(login.account, 0.0) - time.monotonic()
        if left > 0:
            raise RateLimited(f"A rate limit of GitHub lasts ({login.account}).", seconds=left, place=login.account)
        reply = await self._transport.send(request, login.token)
        if reply.status < 300 or reply.status == 304 or (redirects and reply.status == 302):
            return reply
        if reply.status == 401 and not renewed and self.credentials.forget(login):
            # With a token that is not accepted nothing was done: even a write may be sent again.
            return await self._answered(request, who, renewed=True, redirects=redirects)
        error = error_of(reply, request, account=login.account)
        if isinstance(error, RateLimited):
            self._limited[login.account] = time.monotonic() + error.seconds
        raise error


def _key(account: str, request: Request) -> tuple[str, str, str]:
    return (account, f"{request.path}?{sorted(request.params.items())}", request.accept)


def _parsed(reply: Reply, model: type[T], path: str) -> T:
    try:
        return TypeAdapter(model).validate_json(reply.body or b"null")
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise Transient(f"GitHub's answer to {path} could not be read: {where}: {first['msg']}.") from None
