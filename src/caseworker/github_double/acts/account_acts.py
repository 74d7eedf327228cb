"""Making users, Apps, installations and tokens. These are the double's own doors: GitHub has web pages for them."""

import secrets
from collections.abc import Iterable
from datetime import timedelta
from typing import Literal

from caseworker.github_double.entities.accounts import Actor, App, Installation, Permissions, Token, User
from caseworker.github_double.entities.hook_records import Hook
from caseworker.github_double.entities.repository import Repository
from caseworker.github_double.refusals import Forbidden, NotFound, Unprocessable
from caseworker.github_double.shapes.account_shapes import installation_json, user_json
from caseworker.github_double.shapes.repository_shapes import minimal_repository_json
from caseworker.github_double.state import Event, GitHub, Json

Kind = Literal["User", "Organization", "Bot"]
_LEVELS = {"read": 1, "write": 2, "admin": 3}
_INSTALLATION_TOKEN_LIFE = timedelta(hours=1)


def create_user(
    github: GitHub, login: str, *, kind: Kind = "User", name: str | None = None, email: str | None = None
) -> User:
    """A new account; `kind` is User or Organization."""
    return _account(github, login, kind, name, email)


def create_app(
    github: GitHub,
    owner: User,
    name: str,
    *,
    public_key: str,
    permissions: Permissions,
    events: Iterable[str] = (),
    hook: Hook | None = None,
    callback_urls: Iterable[str] = (),
) -> App:
    """Registers an App, with its bot account. The holder of the private key of `public_key` can act as the App."""
    key = github.new_key("A")
    slug = name.lower().replace(" ", "-")
    bot = _account(github, f"{slug}[bot]", "Bot", None, None)
    app = App(
        id=key.id,
        node_id=key.node_id,
        slug=slug,
        name=name,
        owner=owner,
        bot=bot,
        client_id=f"Iv23li{secrets.token_hex(7)}",
        client_secret=secrets.token_hex(20),
        public_key=public_key,
        permissions=dict(permissions),
        events=list(events),
        hook=hook,
        created_at=github.now(),
        callback_urls=list(callback_urls),
    )
    github.apps[app.id] = app
    github.nodes[key.node_id] = app
    return app


def install(
    github: GitHub, app: App, account: User, *, repositories: Iterable[Repository] | None = None
) -> Installation:
    """Installs the App on all or on some repositories of an account."""
    chosen = None if repositories is None else {one.id for one in repositories}
    installation = Installation(
        id=github.new_key("IN").id,
        app=app,
        account=account,
        repository_ids=chosen,
        permissions=dict(app.permissions),
        created_at=github.now(),
    )
    github.installations[installation.id] = installation
    _tell_installation(github, installation, "created")
    return installation


def uninstall(github: GitHub, installation: Installation) -> None:
    """Removes the installation; its tokens are dead at once."""
    del github.installations[installation.id]
    for token in github.tokens.values():
        if token.installation is installation:
            token.is_revoked = True
    _tell_installation(github, installation, "deleted")


def suspend(github: GitHub, installation: Installation) -> None:
    installation.suspended_at = github.now()
    _tell_installation(github, installation, "suspend")


def unsuspend(github: GitHub, installation: Installation) -> None:
    installation.suspended_at = None
    _tell_installation(github, installation, "unsuspend")


def create_token(
    github: GitHub,
    user: User,
    *,
    scopes: Iterable[str] | None = None,
    permissions: Permissions | None = None,
    repositories: Iterable[Repository] | None = None,
    life: timedelta | None = None,
) -> Token:
    """A personal access token: classic with scopes, or fine-grained with permissions. GitHub offers no permission for
    checks to fine-grained ones: in a private repository they read no check runs."""
    classic = permissions is None
    granted = {name: level for name, level in (permissions or {}).items() if name != "checks"}
    token = Token(
        value=("ghp_" if classic else "github_pat_") + secrets.token_hex(18),
        kind="classic" if classic else "fine_grained",
        user=user,
        scopes=tuple(scopes if scopes is not None else ("repo",)) if classic else (),
        permissions=granted,
        repository_ids=None if repositories is None else {one.id for one in repositories},
        expires_at=None if life is None else github.now() + life,
    )
    github.tokens[token.value] = token
    return token


def create_installation_token(
    github: GitHub,
    actor: Actor,
    installation_id: int,
    *,
    permissions: Permissions | None = None,
    repositories: Iterable[str] | None = None,
    repository_ids: Iterable[int] | None = None,
) -> Token:
    """What an App gets for its JWT. It may ask for less than the installation has, not for more."""
    installation = github.installations.get(installation_id)
    if installation is None or installation.app is not actor.app:
        raise NotFound
    if installation.suspended_at is not None:
        raise Forbidden("This installation has been suspended")
    for subject, level in (permissions or {}).items():
        if _LEVELS[level] > _LEVELS.get(installation.permissions.get(subject, ""), 0):
            raise Unprocessable("The permissions requested are not granted to this installation.")
    chosen = _chosen_repositories(github, installation, repositories, repository_ids)
    token = Token(
        value=f"ghs_{secrets.token_hex(18)}",
        kind="installation",
        user=installation.app.bot,
        permissions=dict(permissions if permissions is not None else installation.permissions),
        repository_ids=chosen,
        installation=installation,
        expires_at=github.now() + _INSTALLATION_TOKEN_LIFE,
    )
    github.tokens[token.value] = token
    return token


def revoke(token: Token) -> None:
    token.is_revoked = True


def installation_repositories(github: GitHub, installation: Installation) -> list[Repository]:
    return [
        one
        for one in github.repositories.values()
        if one.owner is installation.account
        and (installation.repository_ids is None or one.id in installation.repository_ids)
    ]


def _chosen_repositories(
    github: GitHub, installation: Installation, names: Iterable[str] | None, ids: Iterable[int] | None
) -> set[int] | None:
    if names is None and ids is None:
        return installation.repository_ids
    reachable = installation_repositories(github, installation)
    by_name = {one.name: one.id for one in reachable}
    wanted = {by_name.get(name, 0) for name in names or ()} | set(ids or ())
    if not wanted <= set(by_name.values()):
        raise Unprocessable(
            "There is at least one repository that does not exist or is not accessible to the parent installation."
        )
    return wanted


def _account(github: GitHub, login: str, kind: Kind, name: str | None, email: str | None) -> User:
    if login.lower() in github.users:
        raise Unprocessable(f"Login {login} is already taken")
    key = github.new_key({"User": "U", "Organization": "O", "Bot": "BOT"}[kind])
    user = User(id=key.id, node_id=key.node_id, login=login, kind=kind, name=name, email=email, created_at=github.now())
    github.users[login.lower()] = user
    github.nodes[key.node_id] = user
    return user


def _tell_installation(github: GitHub, installation: Installation, action: str) -> None:
    reachable = installation_repositories(github, installation)
    kept = ("id", "node_id", "name", "full_name", "private")
    short = [{name: minimal_repository_json(github, one)[name] for name in kept} for one in reachable]
    body: Json = {
        "action": action,
        "installation": installation_json(github, installation),
        "repositories": short,
        "requester": None,
        "sender": user_json(github, installation.account),
    }
    sender = installation.account
    event = Event(
        name="installation", action=action, body=body, repository=None, sender=sender, installation=installation
    )
    github.publish(event)
