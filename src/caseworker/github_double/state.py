"""The one state behind every face: accounts, repositories, and who listens to what happens in them."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from caseworker.github_double.entities.accounts import App, Installation, LoginCode, Token, User
from caseworker.github_double.entities.hook_records import Hook
from caseworker.github_double.entities.repository import Issue, PullRequest, Repository
from caseworker.github_double.moments import Key, Keys, Moments
from caseworker.github_double.refusals import Gone, Moved, NotFound

Json = dict[str, object]


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that webhooks tell. The body is as it is sent, without `installation`."""

    name: str
    action: str | None
    body: Json
    repository: Repository | None
    sender: User
    installation: Installation | None = None
    """Set where the event is about an installation itself."""
    hook: Hook | None = None
    """Set where only this hook is told, as with `ping`."""
    guid: str | None = None
    """Set for a redelivery: the guid of the first delivery."""

    @property
    def full_name(self) -> str:
        return f"{self.name}.{self.action}" if self.action else self.name


class GitHub:
    """`root` is the folder of the bare repositories. `url` is set by the server when it knows its address."""

    def __init__(self, root: Path, *, moments: Moments | None = None, url: str = "http://127.0.0.1") -> None:
        self.root = root
        self.moments = moments or Moments()
        self.url = url
        self.users: dict[str, User] = {}
        """By login in lower case."""
        self.apps: dict[int, App] = {}
        self.installations: dict[int, Installation] = {}
        self.tokens: dict[str, Token] = {}
        self.repositories: dict[str, Repository] = {}
        """By `owner/name` in lower case."""
        self.moved: dict[str, Repository] = {}
        """Earlier names of renamed repositories."""
        self.manifests: dict[str, Json] = {}
        """App manifests that wait for their conversion, by code."""
        self.login_codes: dict[str, LoginCode] = {}
        """By the code itself, until it is exchanged."""
        self.nodes: dict[str, object] = {}
        """Every entity by its node id."""
        self.listeners: list[Callable[[Event], None]] = []
        """Called in order, after the state has changed. Webhooks and CI listen here."""
        self._keys = Keys()

    @property
    def api_url(self) -> str:
        return f"{self.url}/api/v3"

    def now(self) -> datetime:
        return self.moments.now()

    def new_key(self, prefix: str) -> Key:
        return self._keys.new(prefix)

    def publish(self, event: Event) -> None:
        for listener in list(self.listeners):
            listener(event)

    # --- finding things; each raises what GitHub would answer

    def user(self, login: str) -> User:
        found = self.users.get(login.lower())
        if found is None:
            raise NotFound
        return found

    def repository(self, owner: str, name: str) -> Repository:
        wanted = f"{owner}/{name}".lower()
        if wanted in self.moved:
            raise Moved(f"{self.api_url}/repositories/{self.moved[wanted].id}")
        found = self.repositories.get(wanted)
        if found is None:
            raise NotFound
        return found

    def repository_by_id(self, number: int) -> Repository:
        found = next((one for one in self.repositories.values() if one.id == number), None)
        if found is None:
            raise NotFound
        return found

    def issue(self, repository: Repository, number: int) -> Issue:
        if number in repository.records.gone:
            now = repository.records.gone[number]
            if now is None:
                raise Gone("This issue was deleted")
            raise Moved(f"{self.api_url}/repos/{now.repository.full_name}/issues/{now.number}")
        found = repository.issues.get(number)
        if found is None:
            raise NotFound
        return found

    def pull(self, repository: Repository, number: int) -> PullRequest:
        found = repository.pulls.get(number)
        if found is None:
            raise NotFound
        return found
