"""Sends one HTTP request to GitHub with githubkit. Never repeats a request, and never waits without a limit."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import httpx
from githubkit import GitHub
from githubkit.cache import MemCacheStrategy
from githubkit.exception import RequestError, RequestFailed

from caseworker.core.base.errors import ResultUnknown, Transient
from caseworker.forges.github.address import ApiAddress

API_VERSION: Final = "2022-11-28"
"""Known to github.com and to every supported Enterprise Server."""
JSON: Final = "application/vnd.github+json"
_TIMEOUT: Final = httpx.Timeout(30, connect=10)
_TEXT_END: Final = 100_000


@dataclass(frozen=True, kw_only=True)
class Request:
    method: str
    path: str
    """Relative to the REST address, or a whole address on the same host."""
    params: Mapping[str, str] = field(default_factory=dict)
    body: object = None
    accept: str = JSON
    etag: str = ""
    reads: bool = False
    """True for a POST that changes nothing, as a GraphQL query is."""

    @property
    def writes(self) -> bool:
        return self.method != "GET" and not self.reads


@dataclass(frozen=True, kw_only=True)
class Reply:
    status: int
    headers: httpx.Headers
    body: bytes


class _KeptOpen(httpx.AsyncBaseTransport):
    """Keeps connections open over requests: githubkit makes and closes a client for each."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return await self._inner.handle_async_request(request)

    async def close_for_good(self) -> None:
        await self._inner.aclose()


class Transport:
    def __init__(
        self,
        address: ApiAddress,
        *,
        version: str = API_VERSION,
        inner: httpx.AsyncBaseTransport | None = None,
        timeout: httpx.Timeout = _TIMEOUT,
    ) -> None:
        """`inner`: another way to the server, such as a Unix socket."""
        self.address = address
        self._version = version
        self._open = _KeptOpen(inner or httpx.AsyncHTTPTransport())
        self.github = GitHub(
            base_url=address.rest,
            user_agent="caseworker",
            timeout=timeout,
            async_transport=self._open,
            follow_redirects=False,  # the token must not be sent to another host
            http_cache=False,
            cache_strategy=MemCacheStrategy(),  # the default is shared in the process: another App's login by its id
            auto_retry=False,  # a repeated POST writes twice
        )

    async def close(self) -> None:
        await self._open.close_for_good()

    async def send(self, request: Request, token: str) -> Reply:
        """Any answer is a `Reply`. `Transient`: there was none; `ResultUnknown`: a write may have arrived."""
        headers = {
            **({"Authorization": f"Bearer {token}"} if token else {}),
            "Accept": request.accept,
            "X-GitHub-Api-Version": self._version,
            **({"If-None-Match": request.etag} if request.etag else {}),
        }
        try:
            response = await self.github.arequest(
                request.method,
                request.path,
                params=dict(request.params) or None,
                json=request.body,
                headers=headers,
            )
        except RequestFailed as failed:
            answer = failed.response.raw_response
        except RequestError as error:
            raise _no_answer(request, error) from None
        else:
            answer = response.raw_response
        return Reply(status=answer.status_code, headers=answer.headers, body=answer.content)

    async def open_text(self, address: str) -> str:
        """The end of a text at an address that needs no token. Empty: it is gone."""
        try:
            async with httpx.AsyncClient(transport=self._open, timeout=_TIMEOUT) as client:
                kept = await _end_of(client, address)
        except httpx.HTTPError as error:
            raise Transient(f"A text that GitHub keeps elsewhere could not be read ({type(error).__name__}).") from None
        return kept.decode(errors="replace")


async def _end_of(client: httpx.AsyncClient, address: str, *, start: int = 0) -> bytes:
    """Asks again for the end alone once a long text's length is known: GitHub's storage knows no "last bytes". A server
    that ignores this sends everything, of which only the end is kept."""
    headers = {"Range": f"bytes={start}-"} if start else {}
    kept = bytearray()
    async with client.stream("GET", address, headers=headers) as response:
        if response.status_code in (404, 410, 416):
            return b""
        if response.status_code >= 300:
            raise Transient(f"A text that GitHub keeps elsewhere could not be read ({response.status_code}).")
        length = response.headers.get("content-length", "")
        is_long = length.isdigit() and int(length) > 2 * _TEXT_END and "content-encoding" not in response.headers
        if start or not is_long:
            async for part in response.aiter_bytes():
                kept += part
                if len(kept) > 2 * _TEXT_END:
                    del kept[:-_TEXT_END]
            return bytes(kept[-_TEXT_END:])
    return await _end_of(client, address, start=int(length) - _TEXT_END)


def _no_answer(request: Request, error: RequestError[Exception]) -> Transient:
    cause = error.exc
    sentence = f"GitHub did not answer ({type(cause).__name__})."
    was_not_sent = isinstance(cause, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
    return ResultUnknown(sentence) if request.writes and not was_not_sent else Transient(sentence)
