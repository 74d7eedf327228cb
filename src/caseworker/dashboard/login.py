"""Logging in and out: a one-time link from `caseworker open`, or a token. GitHub has its own file."""

import time
from collections import deque
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from caseworker.dashboard.addresses import own_path
from caseworker.dashboard.backend import Backend, html
from caseworker.dashboard.log_ins import session_seconds
from caseworker.dashboard.viewers import Viewer

_WINDOW: Final = 60.0
_MOST_FAILURES: Final = 10
"""Failed log-ins within the window, from all sides: a token has 256 bits, so this only keeps the noise down."""


class Login:
    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._failures: deque[float] = deque(maxlen=_MOST_FAILURES)

    async def show(self, request: Request) -> Response:
        return self._page(request, "")

    async def by_link(self, request: Request) -> Response:
        """The secret is gone from the address after this: the answer leads on to the page."""
        if request.method == "HEAD":  # a preview of the link must not use it up
            return self._page(request, "")
        viewer = self._backend.sessions.use_link(request.path_params["secret"])
        if viewer is None:
            return self.refused(request, "This link was used before, or is older than two minutes.")
        return self.begin(viewer, own_path(request.query_params.get("to", "/")))

    async def by_token(self, request: Request) -> Response:
        if self.is_too_often():
            return self.slow_down(request)
        async with request.form(max_files=0, max_fields=3) as form:
            given, to = form.get("token", ""), form.get("to", "/")
        viewer = self._backend.sessions.by_token(given.strip()) if isinstance(given, str) else None
        if viewer is None:
            return self.failed(request, "This token is not known here.")
        return self.begin(viewer, own_path(str(to)))

    async def log_out(self, request: Request) -> Response:
        cookie = request.cookies.get(self._backend.place.cookie)
        if cookie is not None:
            self._backend.sessions.end(cookie)
        answer = RedirectResponse("/login", status_code=303)
        answer.delete_cookie(self._backend.place.cookie, path="/", secure=self._backend.place.is_secure, httponly=True)
        return answer

    def begin(self, viewer: Viewer, to: str) -> Response:
        answer = RedirectResponse(to, status_code=303)
        answer.set_cookie(
            self._backend.place.cookie,
            self._backend.sessions.begin(viewer),
            max_age=int(session_seconds(viewer)),
            path="/",
            secure=self._backend.place.is_secure,
            httponly=True,
            samesite="lax",
        )
        return answer

    def is_too_often(self) -> bool:
        full = len(self._failures) == _MOST_FAILURES
        return full and time.monotonic() - self._failures[0] < _WINDOW

    def failed(self, request: Request, problem: str, *, status: int = 401) -> Response:
        self._failures.append(time.monotonic())
        return self._page(request, problem, status)

    def refused(self, request: Request, problem: str) -> Response:
        """Refuses without counting a failure: any web page can make a browser send this, to lock people out."""
        return self._page(request, problem, 401)

    def slow_down(self, request: Request) -> Response:
        answer = self._page(request, "Too many failed log-ins. Wait a minute, then try again.", 429)
        answer.headers["Retry-After"] = str(int(_WINDOW))
        return answer

    def _page(self, request: Request, problem: str, status: int = 200) -> Response:
        to = own_path(request.query_params.get("to", "/"))
        values = {"problem": problem, "to": to, "by_github": self._backend.forge is not None}
        return html("login.html", request, status, values=values)
