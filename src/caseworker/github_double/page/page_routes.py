"""The addresses of the web page, and the stream that tells browsers to look again."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from importlib.resources import files
from typing import Final
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from caseworker.github_double.access import SEE, require
from caseworker.github_double.acts.check_acts import find_check_run
from caseworker.github_double.acts.issue_acts import create_issue
from caseworker.github_double.entities.repository import Repository
from caseworker.github_double.front import Front
from caseworker.github_double.page import overview_page, pull_page, talk_page
from caseworker.github_double.page.deeds import Click, do
from caseworker.github_double.page.frame import COOKIE, View, issue_path, respond, view_of
from caseworker.github_double.page.login_routes import login_routes
from caseworker.github_double.page.markup import join, tag
from caseworker.github_double.refusals import FieldError, Refusal, Unprocessable
from caseworker.github_double.rest.route_table import root_route
from caseworker.github_double.state import Event, GitHub

_FILES: Final = {"style.css": "text/css", "live.js": "text/javascript"}
_KEPT_ALIVE: Final = 15.0

Answer = Callable[[View, Request], Response]
Deed = Callable[[View, Request, Mapping[str, str]], str]
"""Does what a form asks for, and says where to go then."""


def page_routes(front: Front) -> list[BaseRoute]:
    """All pages of the GitHub behind `front`."""
    github = front.github
    api_root = root_route(front).endpoint

    async def home(request: Request) -> Response:
        # gh asks the same address for the scopes of its token.
        if "text/html" not in request.headers.get("accept", ""):
            answer: Response = await api_root(request)
            return answer
        view = view_of(github, request)
        return respond(view, "Repositories", overview_page.repositories(view))

    return [
        *login_routes(github),
        Route("/", home, methods=["GET"]),
        Route("/page/changes", _changes(github), methods=["GET"]),
        Route("/page/person", _choose_person(github), methods=["POST"]),
        Route("/page/{name}", _file, methods=["GET"]),
        Route("/{owner}/{repo}", _shown(github, _repository), methods=["GET"]),
        Route("/{owner}/{repo}", _done(github, _open_issue), methods=["POST"]),
        Route("/{owner}/{repo}/issues/{number:int}", _shown(github, _talk), methods=["GET"]),
        Route("/{owner}/{repo}/issues/{number:int}", _done(github, _click), methods=["POST"]),
        Route("/{owner}/{repo}/pull/{number:int}", _shown(github, _talk), methods=["GET"]),
        Route("/{owner}/{repo}/pull/{number:int}", _done(github, _click), methods=["POST"]),
        Route("/{owner}/{repo}/runs/{run:int}", _shown(github, _check_run), methods=["GET"]),
        Route("/{owner}/{repo}/actions/runs/{workflow:int}/job/{run:int}", _shown(github, _check_run), methods=["GET"]),
    ]


# --- what is shown


def _repository(view: View, request: Request) -> Response:
    found = _find(view, request)
    live, form = overview_page.repository(view, found), overview_page.new_issue_form(found)
    return respond(view, found.full_name, live, form)


def _talk(view: View, request: Request) -> Response:
    issue = view.github.issue(_find(view, request), request.path_params["number"])
    forms = talk_page.talk_forms(view, issue)
    if issue.is_pull:
        pull = view.github.pull(issue.repository, issue.number)
        live = pull_page.pull_live(view, pull)
        forms = join(forms, pull_page.review_forms(pull))
    else:
        live = talk_page.issue_live(view, issue)
    return respond(view, f"{issue.title} #{issue.number}", live, forms)


def _check_run(view: View, request: Request) -> Response:
    repository = _find(view, request)
    run = find_check_run(repository, request.path_params["run"])
    pull = next((one for one in repository.pulls.values() if one.head.sha == run.head_sha), None)
    live = pull_page.run_live(run, issue_path(pull.issue) if pull is not None else None)
    return respond(view, run.name, live)


def _find(view: View, request: Request) -> Repository:
    found = view.github.repository(request.path_params["owner"], request.path_params["repo"])
    require(view.actor, found, SEE)
    return found


# --- what is done


def _open_issue(view: View, request: Request, fields: Mapping[str, str]) -> str:
    title, body = fields.get("title", ""), fields.get("body", "")
    return issue_path(create_issue(view.github, view.actor, _find(view, request), title=title, body=body))


def _click(view: View, request: Request, fields: Mapping[str, str]) -> str:
    issue = view.github.issue(_find(view, request), request.path_params["number"])
    do(Click(view, issue, fields))
    return issue_path(issue)


# --- how


def _shown(github: GitHub, answer: Answer) -> Callable[[Request], Awaitable[Response]]:
    async def serve(request: Request) -> Response:
        view = view_of(github, request)
        try:
            return answer(view, request)
        except Refusal as refusal:
            return _told(view, refusal)

    return serve


def _done(github: GitHub, deed: Deed) -> Callable[[Request], Awaitable[Response]]:
    async def serve(request: Request) -> Response:
        view = view_of(github, request)
        if not _is_own(request):
            return PlainTextResponse("This form was sent by another site.", 403)
        try:
            return RedirectResponse(deed(view, request, await _fields(request)), 303)
        except Refusal as refusal:
            return _told(view, refusal)

    return serve


async def _fields(request: Request) -> dict[str, str]:
    return dict(parse_qsl((await request.body()).decode(errors="replace"), keep_blank_values=True))


def _is_own(request: Request) -> bool:
    """Whether a form comes from our own page: browsers say so in the Origin header."""
    origin = request.headers.get("origin")
    return origin is None or origin.partition("://")[2] == request.headers.get("host")


def _told(view: View, refusal: Refusal) -> Response:
    """What GitHub refuses, in a sentence."""
    details = refusal.errors if isinstance(refusal, Unprocessable) else ()
    sentences = [one.message or f"{one.field}: {one.code}" if isinstance(one, FieldError) else one for one in details]
    said = tag("p", refusal.message, " ", *sentences)
    back = tag("p", tag("a", "Go back to the repositories", href="/"), " or use your browser's back button.")
    return respond(view, "Not done", join(tag("h1", "That was not done"), said, back), status=refusal.status)


def _choose_person(github: GitHub) -> Callable[[Request], Awaitable[Response]]:
    async def serve(request: Request) -> Response:
        if not _is_own(request):
            return PlainTextResponse("This form was sent by another site.", 403)
        login = (await _fields(request)).get("login", "")
        response = RedirectResponse(_back(request), 303)
        if login.lower() in github.users:
            response.set_cookie(COOKIE, login, httponly=True, samesite="strict")
        return response

    return serve


def _back(request: Request) -> str:
    """The page that a form was on, if it was one of ours."""
    path = request.query_params.get("back", "/")
    return path if path.startswith("/") and not path.startswith("//") else "/"


async def _file(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in _FILES:
        return PlainTextResponse("There is no such file.", 404)
    text = files("caseworker.github_double.page").joinpath(name).read_text()
    return Response(text, media_type=_FILES[name])


def _changes(github: GitHub) -> Callable[[Request], Awaitable[Response]]:
    async def serve(_request: Request) -> Response:
        return StreamingResponse(_stream(github), media_type="text/event-stream", headers={"cache-control": "no-store"})

    return serve


async def _stream(github: GitHub) -> AsyncIterator[str]:
    """One line for each change, as server-sent events."""
    changed = asyncio.Event()

    def hear(_event: Event) -> None:
        changed.set()

    github.listeners.append(hear)
    try:
        yield ": hello\n\n"
        while True:
            try:
                await asyncio.wait_for(changed.wait(), _KEPT_ALIVE)
                changed.clear()
                yield "data: changed\n\n"
            except TimeoutError:
                yield ": still here\n\n"
    finally:
        github.listeners.remove(hear)
