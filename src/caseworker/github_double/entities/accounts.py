"""Users, organizations, Apps, installations and tokens."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum
from typing import Literal

from caseworker.github_double.entities.hook_records import Hook

Level = Literal["read", "write", "admin"]
Permissions = dict[str, Level]
"""For each subject such as `issues` or `pull_requests` the highest level that is granted."""


class Role(IntEnum):
    """A person's role on a repository, each including the ones before it."""

    NONE = 0
    READ = 1
    TRIAGE = 2
    WRITE = 3
    MAINTAIN = 4
    ADMIN = 5


@dataclass(kw_only=True, eq=False)
class User:
    """A person, an organization, or the bot account of an App."""

    id: int
    node_id: str
    login: str
    kind: Literal["User", "Organization", "Bot"]
    name: str | None
    email: str | None
    created_at: datetime


@dataclass(kw_only=True, eq=False)
class App:
    id: int
    node_id: str
    slug: str
    name: str
    owner: User
    bot: User
    client_id: str
    client_secret: str
    public_key: str
    """PEM. The holder of its private key is the App."""
    permissions: Permissions
    events: list[str]
    hook: Hook | None
    created_at: datetime
    callback_urls: list[str] = field(default_factory=list)
    """Where people who log in with it may be sent back to."""


@dataclass(kw_only=True, frozen=True)
class LoginCode:
    """What an App gets when a person lets it know who they are. It is good for one exchange."""

    app: App
    user: User
    redirect: str
    challenge: str
    """PKCE: the SHA-256 of a secret that the exchange has to name. Empty: none was sent."""
    expires_at: datetime


@dataclass(kw_only=True, eq=False)
class Installation:
    id: int
    app: App
    account: User
    repository_ids: set[int] | None
    """None: all repositories of the account."""
    permissions: Permissions
    suspended_at: datetime | None = None
    created_at: datetime


@dataclass(kw_only=True, eq=False)
class Token:
    """A credential: what the bearer may do, until when."""

    value: str
    kind: Literal["classic", "fine_grained", "installation"]
    user: User
    scopes: tuple[str, ...] = ()
    """Of a classic token."""
    permissions: Permissions = field(default_factory=dict)
    """Of a fine-grained or installation token."""
    repository_ids: set[int] | None = None
    installation: Installation | None = None
    expires_at: datetime | None = None
    is_revoked: bool = False


@dataclass(kw_only=True, frozen=True)
class Actor:
    """Who asks: a person or bot, and the token they came with. Without a token only the role counts."""

    user: User | None
    """None: anonymous, or an App itself that showed its signed JWT."""
    token: Token | None = None
    app: App | None = None
    """Set for a request with an App's JWT, and for an installation's token."""

    @property
    def name(self) -> str:
        if self.user is not None:
            return self.user.login
        return self.app.slug if self.app is not None else "anonymous"

    @property
    def installation(self) -> Installation | None:
        return self.token.installation if self.token is not None else None
