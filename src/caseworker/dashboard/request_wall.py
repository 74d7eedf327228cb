"""The wall around the dashboard: which hosts and origins are answered, who is logged in, and headers of every answer.

- The Host header must be a loopback name or the public address: a foreign name that points to us (DNS rebinding) is
  refused before anything is read.
- What changes something must come from a page of ours: `Sec-Fetch-Site` or `Origin` say so. Cookies are SameSite=Lax.
- A request with a token in its header has no cookie, so it needs no origin.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from caseworker.core.base.errors import Transient
from caseworker.dashboard.viewers import Viewer

Who = Callable[[HTTPConnection], Awaitable[tuple[Viewer | None, bool]]]
"""Who asks, and whether a cookie says so."""

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS: Final = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
_HOST: Final = re.compile(r":\d{1,5}$")
"""The port in a Host header, which is read as it is: nothing in it may look like a name of ours and be another."""
_SAFE: Final = frozenset({"GET", "HEAD"})
_OPEN: Final = ("/login", "/static/", "/enter/")
"""Paths that need no log-in."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where the dashboard is reached."""

    port: int
    public: str = ""
    """The public address, if there is one: `https://cases.example.org`."""
    hosts: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        public = urlsplit(self.public).hostname if self.public else None
        object.__setattr__(self, "hosts", _LOOPBACK | ({public} if public else frozenset()))

    @property
    def is_secure(self) -> bool:
        return self.public.startswith("https://")

    @property
    def cookie(self) -> str:
        """Cookies of one host are shared by all its ports, so the port is in the name."""
        return "__Host-caseworker" if self.is_secure else f"caseworker-{self.port}"

    @property
    def address(self) -> str:
        return self.public.rstrip("/") or f"http://127.0.0.1:{self.port}"


class Guard:
    """ASGI middleware. The handler finds the viewer in `request.state.viewer`."""

    def __init__(self, app: ASGIApp, *, place: Place, who: Who) -> None:
        self._app = app
        self._place = place
        self._who = who

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        refusal, viewer = self._wrong_host(connection), None
        if refusal is None:
            try:
                viewer, by_cookie = await self._who(connection)
            except Transient:
                refusal = _plain(503, "GitHub can't be asked what you may see. Try again in a minute.")
            else:
                refusal = self._refusal(connection, scope["method"], viewer, by_cookie=by_cookie)
        scope.setdefault("state", {})["viewer"] = viewer
        answer = self._app if refusal is None else refusal
        await answer(scope, receive, _with_headers(send, scope["path"], secure=self._place.is_secure))

    def _wrong_host(self, connection: HTTPConnection) -> Response | None:
        if _HOST.sub("", connection.headers.get("host", "")).strip("[]").lower() in self._place.hosts:
            return None
        return _plain(421, "This address is not served here. Set dashboard_url to the name people use.")

    def _refusal(
        self, connection: HTTPConnection, method: str, viewer: Viewer | None, *, by_cookie: bool
    ) -> Response | None:
        path = connection.url.path
        if viewer is None and path.startswith("/api/"):
            return _problem(401, "No valid token.", "Send `Authorization: Bearer TOKEN`; docs/dashboard.md says how.")
        if method not in _SAFE and by_cookie and not self._is_ours(connection.headers):
            return _plain(403, "This request came from another site. Nothing was done.")
        if viewer is not None or path.startswith(_OPEN):
            return None
        if method not in _SAFE or connection.headers.get("hx-request"):
            return _plain(401, "You are logged out. Nothing was done. Log in again: `caseworker open`.")
        return RedirectResponse(_login_for(connection), status_code=303)

    def _is_ours(self, headers: Headers) -> bool:
        """Browsers send at least one of these with what changes something."""
        site = headers.get("sec-fetch-site")
        if site is not None:
            return site == "same-origin"
        origin = headers.get("origin")
        return origin is not None and origin.partition("://")[2] == headers.get("host")


def _with_headers(send: Send, path: str, *, secure: bool) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            if not path.startswith("/static/"):
                headers.setdefault("Cache-Control", "no-store")
            if secure:
                headers.setdefault("Strict-Transport-Security", "max-age=31536000")
        await send(message)

    return sending


def _login_for(connection: HTTPConnection) -> str:
    """The login page, which leads on to the page that was asked for."""
    path, query = connection.url.path, connection.url.query
    if path == "/" or path.startswith("/live/"):
        return "/login"
    return f"/login?{urlencode({'to': path + (f'?{query}' if query else '')})}"


def _plain(status: int, text: str) -> Response:
    return PlainTextResponse(f"{text}\n", status_code=status)


def _problem(status: int, title: str, detail: str) -> Response:
    document = {"title": title, "detail": detail, "status": status}
    return JSONResponse(document, status_code=status, media_type="application/problem+json")
