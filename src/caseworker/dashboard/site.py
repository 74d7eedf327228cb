"""Puts the dashboard together: routes behind the guard, and the loop that looks for changes."""

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from caseworker.dashboard.addresses import register_case_paths
from caseworker.dashboard.board_page import BoardPage
from caseworker.dashboard.case_page import CasePage
from caseworker.dashboard.login import Login
from caseworker.dashboard.office import Office, html
from caseworker.dashboard.press import Press
from caseworker.dashboard.request_wall import Guard
from caseworker.dashboard.shown import static_bytes

_TYPES = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml", "txt": "text/plain"}
_FILES = frozenset(
    {"htmx-4.0.0.min.js", "hx-sse-4.0.0.min.js", "LICENSE.htmx.txt", "dashboard.css", "dashboard.js", "icon.svg"}
)


def make_site(office: Office) -> ASGIApp:
    register_case_paths()
    board, case, press, login = BoardPage(office), CasePage(office), Press(office), Login(office)
    routes = [
        Route("/", board.show),
        Route("/live/board", board.live),
        Route("/cases/{case:case}", case.show),
        Route("/cases/{case:case}/turns/{entry:int}", case.steps),
        Route("/cases/{case:case}/messages", press.send, methods=["POST"]),
        Route("/live/cases/{case:case}", case.live),
        Route("/login", login.show),
        Route("/login", login.by_token, methods=["POST"]),
        Route("/enter/{secret}", login.by_link),
        Route("/logout", login.log_out, methods=["POST"]),
        Route("/static/{name}", _static),
    ]
    app = Starlette(routes=routes, exception_handlers={HTTPException: _not_here})
    return Guard(app, place=office.place, sessions=office.sessions)


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in _FILES:
        raise HTTPException(404, "There is no such file.")
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(static_bytes(name), media_type=_TYPES[name.rpartition(".")[2]], headers=headers)


async def _not_here(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return html("problem.html", request, error.status_code, values={"problem": error.detail})
