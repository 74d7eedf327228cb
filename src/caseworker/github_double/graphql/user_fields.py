"""Users, bots and organizations in GraphQL."""

from typing import Final

from caseworker.github_double.access import sees
from caseworker.github_double.entities.accounts import App, User
from caseworker.github_double.entities.repository import Repository
from caseworker.github_double.graphql.ask import Ask, Fields
from caseworker.github_double.graphql.pages import Page, page
from caseworker.github_double.moments import wire_time
from caseworker.github_double.shapes.account_shapes import user_json


def short_login(user: User) -> str:
    """GraphQL names a bot without the `[bot]` that REST has."""
    return user.login.removesuffix("[bot]")


def _owned(user: User, ask: Ask) -> list[Repository]:
    """Repositories of the account that the asker may see."""
    return [one for one in ask.github.repositories.values() if one.owner is user and sees(ask.actor, one)]


def _repositories(user: User, ask: Ask) -> Page:
    return page(ask, _owned(user, ask))


def _repository(user: User, ask: Ask) -> Repository | None:
    name = ask.text("name").lower()
    return next((one for one in _owned(user, ask) if one.name.lower() == name), None)


ACTOR: Final[Fields[User]] = {
    "id": lambda user, _: user.node_id,
    "login": lambda user, _: short_login(user),
    "url": lambda user, ask: user_json(ask.github, user)["html_url"],
    "resourcePath": lambda user, _: f"/{user.login}",
    "avatarUrl": lambda user, ask: user_json(ask.github, user)["avatar_url"],
    "databaseId": lambda user, _: user.id,
    "createdAt": lambda user, _: wire_time(user.created_at),
}
ACCOUNT: Final[Fields[User]] = {
    **ACTOR,
    "name": lambda user, _: user.name,
    "email": lambda user, _: user.email or "",
    "isViewer": lambda user, ask: user is ask.actor.user,
    "repositories": _repositories,
    "repository": _repository,
    "viewerCanAdminister": lambda user, ask: user is ask.actor.user,
    "projectsV2": lambda _, ask: page(ask, []),
}
APP: Final[Fields[App]] = {
    "id": lambda app, _: app.node_id,
    "databaseId": lambda app, _: app.id,
    "name": lambda app, _: app.name,
    "slug": lambda app, _: app.slug,
    "url": lambda app, ask: f"{ask.github.url}/apps/{app.slug}",
}
