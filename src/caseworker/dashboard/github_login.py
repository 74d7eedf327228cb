"""Logging in with GitHub: there, and back with a code. The state and PKCE's secret are in a cookie of ten minutes, so
that only the browser that began a log-in can end it."""

import secrets
from typing import Final
from urllib.parse import quote, unquote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from caseworker.core.base.errors import Refused, Transient
from caseworker.dashboard.addresses import own_path
from caseworker.dashboard.backend import Backend
from caseworker.dashboard.forge_access import ForgeAccess
from caseworker.dashboard.login import Login
from caseworker.forges.github.app_needs import LOGIN_PATH

_SECONDS: Final = 600
_NOT_YOURS: Final = "This log-in was not begun in this browser, or more than ten minutes ago. Try again."


class GitHubLogin:
    def __init__(self, backend: Backend, login: Login) -> None:
        self._backend = backend
        self._login = login

    async def start(self, request: Request) -> Response:
        state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(48)
        to = self._forge().login.address(state=state, verifier=verifier, back=self._back)
        answer = RedirectResponse(to, status_code=303)
        begun = f"{state}.{verifier}.{quote(own_path(request.query_params.get('to', '/')), safe='')}"
        answer.set_cookie(
            self._cookie, begun, max_age=_SECONDS, path="/", secure=self._secure, httponly=True, samesite="lax"
        )
        return answer

    async def back(self, request: Request) -> Response:
        if self._login.is_too_often():
            return self._login.slow_down(request)
        answer = await self._finish(request)
        answer.delete_cookie(self._cookie, path="/", secure=self._secure, httponly=True)
        return answer

    async def _finish(self, request: Request) -> Response:
        given = request.query_params
        begun = _begun(request.cookies.get(self._cookie, ""))
        if begun is None or not secrets.compare_digest(begun[0].encode(), given.get("state", "").encode()):
            return self._login.refused(request, _NOT_YOURS)
        if "code" not in given:
            return self._login.failed(request, "GitHub was not allowed to tell us who you are. Nobody was logged in.")
        forge = self._forge()
        try:
            name = await forge.login.who(given["code"], verifier=begun[1], back=self._back)
            viewer = await forge.viewer(name)
        except Refused as refused:
            return self._login.failed(request, str(refused))
        except Transient as error:
            return self._login.failed(request, f"{error} Try again in a minute.", status=503)
        if viewer is None:
            return self._login.failed(request, f"{name} has no role on a repository that has cases here.")
        return self._login.begin(viewer.model_copy(update={"ranks": {}}), begun[2])

    def _forge(self) -> ForgeAccess:
        if self._backend.forge is None:
            raise HTTPException(404, "Log-ins with GitHub are not set up here. docs/dashboard.md says how.")
        return self._backend.forge

    @property
    def _back(self) -> str:
        return f"{self._backend.place.address}{LOGIN_PATH}"

    @property
    def _secure(self) -> bool:
        return self._backend.place.is_secure

    @property
    def _cookie(self) -> str:
        return f"{self._backend.place.cookie}-login"


def _begun(cookie: str) -> tuple[str, str, str] | None:
    """State, secret, and where to go then."""
    state, _, rest = cookie.partition(".")
    verifier, _, to = rest.partition(".")
    return (state, verifier, own_path(unquote(to))) if state and verifier else None
