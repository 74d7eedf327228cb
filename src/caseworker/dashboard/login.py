"""Logging in and out: a one-time link from `caseworker open`, or a token."""

import time
from collections import deque
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from caseworker.dashboard.log_ins import SESSION_SECONDS
from caseworker.dashboard.office import Office, html
from caseworker.dashboard.viewers import Viewer

_WINDOW: Final = 60.0
_MOST_FAILURES: Final = 10
"""Failed log-ins within the window, from all sides: a token has 256 bits, so this only keeps the noise down."""


class Login:
    def __init__(self, office: Office) -> None:
        self._office = office
        self._failures: deque[float] = deque(maxlen=_MOST_FAILURES)

    async def show(self, request: Request) -> Response:
        return html("login.html", request, values={"problem": ""})

    async def by_link(self, request: Request) -> Response:
        """The secret is gone from the address after this: the answer leads on to the page."""
        if self._is_too_often():
            return self._slow_down(request)
        viewer = self._office.sessions.use_link(request.path_params["secret"])
        if viewer is None:
            return self._failed(request, "This link was used before, or is older than two minutes.")
        to = request.query_params.get("to", "/")
        return self._begin(viewer, to if to.startswith("/") and not to.startswith("//") else "/")

    async def by_token(self, request: Request) -> Response:
        if self._is_too_often():
            return self._slow_down(request)
        async with request.form(max_files=0, max_fields=3) as form:
            given = form.get("token", "")
        viewer = self._office.sessions.by_token(given.strip()) if isinstance(given, str) else None
        if viewer is None:
            return self._failed(request, "This token is not known here.")
        return self._begin(viewer, "/")

    async def log_out(self, request: Request) -> Response:
        cookie = request.cookies.get(self._office.place.cookie)
        if cookie is not None:
            self._office.sessions.end(cookie)
        answer = RedirectResponse("/login", status_code=303)
        answer.delete_cookie(self._office.place.cookie, path="/", secure=self._office.place.is_secure, httponly=True)
        return answer

    def _begin(self, viewer: Viewer, to: str) -> Response:
        answer = RedirectResponse(to, status_code=303)
        answer.set_cookie(
            self._office.place.cookie,
            self._office.sessions.begin(viewer),
            max_age=int(SESSION_SECONDS),
            path="/",
            secure=self._office.place.is_secure,
            httponly=True,
            samesite="lax",
        )
        return answer

    def _is_too_often(self) -> bool:
        full = len(self._failures) == _MOST_FAILURES
        return full and time.monotonic() - self._failures[0] < _WINDOW

    def _failed(self, request: Request, problem: str) -> Response:
        self._failures.append(time.monotonic())
        return html("login.html", request, 401, values={"problem": problem})

    def _slow_down(self, request: Request) -> Response:
        problem = "Too many failed log-ins. Wait a minute, then try again."
        answer = html("login.html", request, 429, values={"problem": problem})
        answer.headers["Retry-After"] = str(int(_WINDOW))
        return answer
