"""Logging in with an App: the page that asks the person, and the exchange of the code."""

import json
from collections.abc import Awaitable, Callable
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from caseworker.github_double.acts.login_acts import app_with, check_redirect, exchange_code, grant_code
from caseworker.github_double.entities.accounts import Token
from caseworker.github_double.page.frame import HEADERS, respond, view_of
from caseworker.github_double.page.markup import join, tag
from caseworker.github_double.refusals import Refusal
from caseworker.github_double.state import GitHub

Endpoint = Callable[[Request], Awaitable[Response]]


def login_routes(github: GitHub) -> list[BaseRoute]:
    return [
        Route("/login/oauth/authorize", _ask(github), methods=["GET"]),
        Route("/login/oauth/authorize", _grant(github), methods=["POST"]),
        Route("/login/oauth/access_token", _exchange(github), methods=["POST"]),
    ]


def _ask(github: GitHub) -> Endpoint:
    """The browser follows a form only to places that the page's policy names: so the App's own is named, too."""

    async def serve(request: Request) -> Response:
        asked, view = request.query_params, view_of(github, request)
        try:
            app = app_with(github, asked.get("client_id", ""))
            back = urlsplit(check_redirect(app, asked.get("redirect_uri", "")))
        except Refusal as refusal:
            return PlainTextResponse(refusal.message, refusal.status)
        hidden = [tag("input", type="hidden", name=name, value=value) for name, value in asked.items()]
        form = tag("form", *hidden, tag("button", f"Authorize {app.name}"), method="post")
        person = view.user.login if view.user is not None else "nobody"
        live = join(tag("h1", f"Let {app.name} know that you are {person}?"))
        page = respond(view, "Authorize", live, form)
        policy = HEADERS["content-security-policy"]
        page.headers["content-security-policy"] = policy.replace(
            "form-action 'self'", f"form-action 'self' {back.scheme}://{back.netloc}"
        )
        return page

    return serve


def _grant(github: GitHub) -> Endpoint:
    async def serve(request: Request) -> Response:
        asked, user = dict(parse_qsl((await request.body()).decode())), view_of(github, request).user
        try:
            app = app_with(github, asked.get("client_id", ""))
            back = check_redirect(app, asked.get("redirect_uri", ""))
        except Refusal as refusal:
            return PlainTextResponse(refusal.message, refusal.status)
        if user is None:
            return PlainTextResponse("There is nobody here.", 403)
        code = grant_code(github, app, user, redirect=back, challenge=asked.get("code_challenge", ""))
        given = {"code": code, **({"state": asked["state"]} if "state" in asked else {})}
        return RedirectResponse(f"{back}?{urlencode(given)}", 302)

    return serve


def _exchange(github: GitHub) -> Endpoint:
    """GitHub tells what is wrong with status 200."""

    async def serve(request: Request) -> Response:
        body = await request.body()
        is_json = request.headers.get("content-type", "").startswith("application/json")
        given: dict[str, str] = json.loads(body) if is_json else dict(parse_qsl(body.decode()))
        made = exchange_code(
            github,
            client_id=given.get("client_id", ""),
            client_secret=given.get("client_secret", ""),
            code=given.get("code", ""),
            redirect=given.get("redirect_uri", ""),
            verifier=given.get("code_verifier", ""),
        )
        if isinstance(made, Token):
            return JSONResponse({"access_token": made.value, "token_type": "bearer", "scope": ""})
        return JSONResponse({"error": made, "error_description": f"The request was refused: {made}."})

    return serve
