"""The tokens that requests carry: a fine-grained token, or an App's, which it gets per installation and renews."""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final, Protocol

from githubkit.auth.app import AppAuth
from jwt import PyJWTError
from pydantic import BaseModel, ConfigDict, ValidationError

from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.repositories import RemoteRepository
from caseworker.forges.github.address import repository_path
from caseworker.forges.github.api_errors import GitHubRefused, error_of
from caseworker.forges.github.transport import Reply, Request, Transport

_RENEW_BEFORE: Final = timedelta(minutes=5)
_Clock = Callable[[], datetime]


@dataclass(frozen=True, kw_only=True)
class Login:
    token: str = field(repr=False)
    account: str
    """Whose rate limits count. Says nothing about the token."""


class Credentials(Protocol):
    @property
    def is_app(self) -> bool: ...

    async def of(self, repository: RemoteRepository | None) -> Login:
        """For requests about this repository; without one: for those that any token may make."""

    async def of_app(self) -> Login:
        """For requests that only the App itself may make. `Refused` without an App."""

    def forget(self, login: Login) -> bool:
        """GitHub did not accept it. True: the next one may be another."""


class TokenCredentials:
    """One token of a person or a machine user."""

    is_app = False

    def __init__(self, token: str) -> None:
        self._login = Login(token=token, account="token")

    async def of(self, repository: RemoteRepository | None) -> Login:
        return self._login

    async def of_app(self) -> Login:
        raise Refused(
            "This needs a GitHub App, and there is only a token.",
            todo="Set CASEWORKER_GITHUB_APP_ID and CASEWORKER_GITHUB_APP_PRIVATE_KEY.",
        )

    def forget(self, login: Login) -> bool:
        return False


class _Installation(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: int


class _Token(BaseModel):
    model_config = ConfigDict(extra="ignore")

    token: str
    expires_at: datetime


class AppCredentials:
    """Installation tokens of a GitHub App, each kept until shortly before it expires."""

    is_app = True

    def __init__(
        self, transport: Transport, *, app_id: str, private_key: str, clock: _Clock = lambda: datetime.now(UTC)
    ) -> None:
        self._transport = transport
        self._flow = AppAuth(transport.github, app_id, private_key)
        self._clock = clock
        self._installations: dict[tuple[str, str], int] = {}
        self._tokens: dict[int, _Token] = {}
        self._locks: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def of(self, repository: RemoteRepository | None) -> Login:
        if repository is None:
            return await self.of_app()
        return await self.of_installation(await self._installation(repository))

    async def of_installation(self, installation: int) -> Login:
        async with self._locks[installation]:
            kept = self._tokens.get(installation)
            if kept is None or kept.expires_at - self._clock() < _RENEW_BEFORE:
                kept = self._tokens[installation] = await self._new_token(installation)
        return Login(token=kept.token, account=f"installation {installation}")

    async def of_app(self) -> Login:
        try:
            token = self._flow.get_jwt()
        except (ValueError, TypeError, PyJWTError) as error:
            raise Refused(
                "The private key of the GitHub App can't be read.",
                todo="Set CASEWORKER_GITHUB_APP_PRIVATE_KEY to the .pem file that GitHub gave you.",
            ) from error
        return Login(token=token, account="app")

    def forget(self, login: Login) -> bool:
        gone = [number for number, kept in self._tokens.items() if kept.token == login.token]
        for number in gone:
            del self._tokens[number]
        return bool(gone)

    async def _installation(self, repository: RemoteRepository) -> int:
        key = (repository.owner.lower(), repository.name.lower())
        if key not in self._installations:
            request = Request(method="GET", path=repository_path(repository, "installation"))
            try:
                found = _Installation.model_validate_json((await self._ask(request)).body)
            except GitHubRefused as refused:
                if not refused.is_absent:
                    raise
                raise GitHubRefused(
                    f"The GitHub App is not installed on {repository.owner}/{repository.name}.",
                    todo="Install it there, and give it this repository.",
                    status=refused.status,
                ) from None
            self._installations[key] = found.id
        return self._installations[key]

    async def _new_token(self, installation: int) -> _Token:
        path = f"app/installations/{installation}/access_tokens"
        # Tokens that nobody uses do no harm: an unknown result may be repeated.
        reply = await self._ask(Request(method="POST", path=path, reads=True))
        try:
            return _Token.model_validate_json(reply.body)
        except ValidationError:
            raise Transient("GitHub's answer with a token could not be read.") from None

    async def _ask(self, request: Request) -> Reply:
        reply = await self._transport.send(request, (await self.of_app()).token)
        if reply.status >= 300:
            if reply.status == 404 and "installations" in request.path:
                self._installations.clear()  # it was installed anew, under another number
            raise error_of(reply, request, account="app")
        return reply
