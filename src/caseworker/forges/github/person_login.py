"""Logging in with GitHub: where a person is sent, who they are when they come back, and their roles.

The person's token is used once, to ask for their login, and then dropped: roles are asked for with our own access."""

import base64
import hashlib
from typing import Final
from urllib.parse import urlencode

from pydantic import ValidationError

from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.people.forge_roles import RepositoryRole
from caseworker.forges.github.address import repository_path
from caseworker.forges.github.api import GitHubApi
from caseworker.forges.github.api_errors import GitHubRefused, error_of
from caseworker.forges.github.payloads import Payload, User
from caseworker.forges.github.reads import GitHubReader
from caseworker.forges.github.transport import Reply, Request, Transport

_JSON: Final = "application/json"


class _Exchanged(Payload):
    access_token: str = ""
    error: str = ""


class GitHubWebLogin:
    def __init__(self, api: GitHubApi, *, client_id: str, client_secret: str) -> None:
        self._api = api
        self._reader = GitHubReader(api)
        self._transport = Transport(api.address)
        self._client_id = client_id
        self._client_secret = client_secret

    def address(self, *, state: str, verifier: str, back: str) -> str:
        """The address of the page on which the person permits the log-in. `verifier`: a secret for `who` (PKCE)."""
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        asked = {
            "client_id": self._client_id,
            "redirect_uri": back,
            "state": state,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        return f"{self._api.address.web}/login/oauth/authorize?{urlencode(asked)}"

    async def who(self, code: str, *, verifier: str, back: str) -> str:
        """The login of the person who came back with this code."""
        given = {
            "client_id": self._client_id,
            "client_secret": self._client_secret,
            "code": code,
            "redirect_uri": back,
            "code_verifier": verifier,
        }
        # A code counts once: sent again it is refused, so an unknown result does no harm.
        path = f"{self._api.address.web}/login/oauth/access_token"
        reply = await self._send(Request(method="POST", path=path, body=given, accept=_JSON, reads=True), "")
        try:
            made = _Exchanged.model_validate_json(reply.body)
            if made.access_token:
                own = await self._send(Request(method="GET", path="user"), made.access_token)
                return User.model_validate_json(own.body).login
        except ValidationError:
            raise Transient("GitHub's answer to the log-in could not be read.") from None
        if made.error == "incorrect_client_credentials":
            raise Refused(
                "GitHub does not know this App's client.", todo="Set github_client_id and github_client_secret anew."
            )
        raise Refused("GitHub did not take the log-in.", todo="Try again: it has to be finished within ten minutes.")

    async def role(self, repository: RemoteRepository, login: str) -> RepositoryRole:
        """`NONE` also for the role that everybody has on a public repository."""
        if repository.host.casefold() != self._api.address.host.casefold():
            return RepositoryRole.NONE
        try:
            role = RepositoryRole(await self._reader.role(repository, login))
            if role is RepositoryRole.READ and not await self._is_member(repository, login):
                return RepositoryRole.NONE
        except GitHubRefused:  # the App was removed from the repository, or may not ask
            return RepositoryRole.NONE
        return role

    async def _is_member(self, repository: RemoteRepository, login: str) -> bool:
        return await self._api.exists(repository, repository_path(repository, "collaborators", login))

    async def _send(self, request: Request, token: str) -> Reply:
        reply = await self._transport.send(request, token)
        if reply.status >= 300:
            raise error_of(reply, request, account="a person who logs in")
        return reply
