"""Puts the dashboard together: routes behind the guard, and the loop that looks for changes."""

import json
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from caseworker.dashboard.addresses import register_case_paths
from caseworker.dashboard.api_answers import problem
from caseworker.dashboard.api_routes import Api
from caseworker.dashboard.backend import Backend, html
from caseworker.dashboard.case_page import CasePage
from caseworker.dashboard.change_page import ChangePage
from caseworker.dashboard.github_login import GitHubLogin
from caseworker.dashboard.learning_press import LearningPress
from caseworker.dashboard.list_pages import Lists
from caseworker.dashboard.login import Login
from caseworker.dashboard.openapi import OPERATIONS, description
from caseworker.dashboard.page_markup import static_bytes
from caseworker.dashboard.press import Press
from caseworker.dashboard.region_page import RegionPage
from caseworker.dashboard.request_wall import Guard
from caseworker.forges.github.app_needs import LOGIN_PATH

_TYPES = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml", "txt": "text/plain"}
_FILES = frozenset(
    {"htmx-4.0.0.min.js", "hx-sse-4.0.0.min.js", "LICENSE.htmx.txt", "dashboard.css", "dashboard.js", "icon.svg"}
)


def make_site(backend: Backend) -> ASGIApp:
    register_case_paths()
    case, change, press, login = CasePage(backend), ChangePage(backend), Press(backend), Login(backend)
    github = GitHubLogin(backend, login)
    pages = {path: RegionPage(backend, region) for path, region in Lists(backend).regions().items()}
    routes = [
        *(Route(path, one.show) for path, one in pages.items()),
        *(Route(f"/live/{one.name}", one.live) for one in pages.values()),
        Route("/cases/{case:case}", case.show),
        Route("/cases/{case:case}/turns/{entry:int}", case.steps),
        Route("/cases/{case:case}/diff", change.diff),
        Route("/cases/{case:case}/investigation", change.investigation),
        Route("/cases/{case:case}/messages", press.send, methods=["POST"]),
        Route("/learnings/{learning:int}", LearningPress(backend).send, methods=["POST"]),
        Route("/live/cases/{case:case}", case.live),
        Route("/login", login.show),
        Route("/login", login.by_token, methods=["POST"]),
        Route("/login/github", github.start),
        Route(LOGIN_PATH, github.back),
        Route("/enter/{secret}", login.by_link),
        Route("/logout", login.log_out, methods=["POST"]),
        Route("/static/{name}", _static),
        *_api_routes(backend),
    ]
    app = Starlette(routes=routes, exception_handlers={HTTPException: _not_here})
    packed = GZipMiddleware(app, minimum_size=1_000, compresslevel=5)  # leaves event streams as they are
    return Guard(packed, place=backend.place, who=backend.who)


def _api_routes(backend: Backend) -> list[Route]:
    api, described = Api(backend), json.dumps(description())

    async def describe(_: Request) -> Response:
        return Response(described, media_type="application/json")

    operations = [Route(one.route, getattr(api, one.handler), methods=[one.method.upper()]) for one in OPERATIONS]
    return [Route("/api/v1/openapi.json", describe), *operations]


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in _FILES:
        raise HTTPException(404, "There is no such file.")
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(static_bytes(name), media_type=_TYPES[name.rpartition(".")[2]], headers=headers)


async def _not_here(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if request.url.path.startswith("/api/"):
        return problem(error.status_code, HTTPStatus(error.status_code).phrase, error.detail, headers=error.headers)
    return html("problem.html", request, error.status_code, values={"problem": error.detail})
