"""All REST routes, as routes of the server: at the root and under `/api/v3`."""

from collections import defaultdict
from collections.abc import Iterable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from caseworker.github_double.front import Answer, Front, Visit
from caseworker.github_double.refusals import NotFound
from caseworker.github_double.rest import (
    account_routes,
    action_routes,
    check_routes,
    code_routes,
    comment_routes,
    hook_routes,
    issue_routes,
    label_routes,
    meta_routes,
    pull_routes,
    repository_routes,
    review_routes,
    rule_routes,
)
from caseworker.github_double.rest.exchange import Call, Handler, RestRoute

ALL_ROUTES: tuple[RestRoute, ...] = (
    *meta_routes.ROUTES,
    *account_routes.ROUTES,
    *repository_routes.ROUTES,
    *issue_routes.ROUTES,
    *comment_routes.ROUTES,
    *label_routes.ROUTES,
    *pull_routes.ROUTES,
    *review_routes.ROUTES,
    *check_routes.ROUTES,
    *action_routes.ROUTES,
    *rule_routes.ROUTES,
    *hook_routes.ROUTES,
    *code_routes.ROUTES,
    *code_routes.LAST_ROUTES,
)


def rest_routes(front: Front) -> list[Route]:
    """Routes of the REST face. A web page may have the root; `/api/v3/` always answers as the API."""
    handlers = _by_path(ALL_ROUTES)
    routes = [_route(front, prefix + path, found) for prefix in ("", "/api/v3") for path, found in handlers.items()]
    return routes + [
        _route(front, f"/api/v3{path}", found) for path, found in _by_path(meta_routes.ROOT_ROUTES).items()
    ]


def root_route(front: Front) -> Route:
    """The root of the API at `/`, where gh looks for the scopes of a token."""
    return _route(front, "/", _by_path(meta_routes.ROOT_ROUTES)["/"])


def unknown_route(front: Front) -> Route:
    """What no other route answers: GitHub's 404."""

    def refuse(_: Visit) -> Answer:
        raise NotFound

    async def answer(request: Request) -> Response:
        return await front.serve(request, refuse)

    return Route("/{anything:path}", answer, methods=["GET", "POST", "PUT", "PATCH", "DELETE"])


def _by_path(routes: Iterable[RestRoute]) -> dict[str, dict[str, Handler]]:
    found = defaultdict[str, dict[str, Handler]](dict)
    for route in routes:
        found[route.path][route.method] = route.handler
    return found


def _route(front: Front, path: str, handlers: dict[str, Handler]) -> Route:
    async def answer(request: Request) -> Response:
        handler = handlers["GET" if request.method == "HEAD" else request.method]
        return await front.serve(request, lambda visit: handler(Call(visit)))

    return Route(path, answer, methods=list(handlers))
