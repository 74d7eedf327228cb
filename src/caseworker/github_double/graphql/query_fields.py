"""The fields of `Query`, and objects by their node id."""

from typing import Final

from caseworker.github_double.access import SEE, require
from caseworker.github_double.entities.accounts import User
from caseworker.github_double.entities.repository import Repository
from caseworker.github_double.graphql.ask import Ask, Fields
from caseworker.github_double.graphql.issue_fields import as_node
from caseworker.github_double.graphql.node_views import Absent, Root
from caseworker.github_double.graphql.nodes import find_node, node_or_none
from caseworker.github_double.graphql.pages import CONNECTION, Page, page
from caseworker.github_double.graphql.search_query import find_issues
from caseworker.github_double.moments import wire_time
from caseworker.github_double.refusals import NotFound, Refusal, Unauthorized


def _repository(_root: Root, ask: Ask) -> Repository:
    owner, name = ask.text("owner"), ask.text("name")
    missing = NotFound(f"Could not resolve to a Repository with the name '{owner}/{name}'.")
    moved = ask.github.moved.get(f"{owner}/{name}".lower()) if ask.flag("followRenames", True) else None
    try:
        found = moved or ask.github.repository(owner, name)
        require(ask.actor, found, SEE)
    except Refusal as error:
        raise missing from error
    return found


def _account(ask: Ask, kinds: tuple[str, ...]) -> User:
    login = ask.text("login")
    found = ask.github.users.get(login.lower())
    if found is None or found.kind not in kinds:
        raise NotFound(f"Could not resolve to a {kinds[0]} with the login of '{login}'.")
    return found


def _viewer(_root: Root, ask: Ask) -> User:
    if ask.actor.user is None:
        raise Unauthorized("This endpoint requires you to be authenticated.")
    return ask.actor.user


def _search(_root: Root, ask: Ask) -> Page:
    if ask.text("type") not in ("ISSUE", "ISSUE_ADVANCED", "ISSUE_SEMANTIC", "ISSUE_HYBRID"):
        return page(ask, [])
    return page(ask, [as_node(one) for one in find_issues(ask.github, ask.actor, ask.text("query"))])


def _rate_limit(_root: Root, ask: Ask) -> Absent:
    cost = ask.request.cost
    limit = ask.request.budget
    return Absent(
        values={
            "limit": limit.limit,
            "cost": cost.points,
            "nodeCount": cost.nodes,
            "remaining": limit.remaining,
            "used": limit.limit - limit.remaining,
            "resetAt": wire_time(limit.resets_at),
        }
    )


QUERY: Final[Fields[Root]] = {
    "viewer": _viewer,
    "repository": _repository,
    "repositoryOwner": lambda _, ask: _account(ask, ("User", "Organization")),
    "user": lambda _, ask: _account(ask, ("User",)),
    "organization": lambda _, ask: _account(ask, ("Organization",)),
    "node": lambda _, ask: find_node(ask, ask.text("id")),
    "nodes": lambda _, ask: [node_or_none(ask, one) for one in ask.texts("ids") or []],
    "search": _search,
    "rateLimit": _rate_limit,
}
SEARCH: Final[Fields[Page]] = {
    **CONNECTION,
    "issueCount": lambda found, _: len(found.everything),
    "repositoryCount": lambda _, __: 0,
    "userCount": lambda _, __: 0,
    "discussionCount": lambda _, __: 0,
}
