"""Logging in with an account on a forge."""

from typing import Protocol

from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.people.forge_roles import RepositoryRole


class WebLogin(Protocol):
    def address(self, *, state: str, verifier: str, back: str) -> str:
        """The address of the forge's page on which the person permits the log-in. They come back to `back` with a code
        and this state. `verifier`: a secret that `who` has to name again."""

    async def who(self, code: str, *, verifier: str, back: str) -> str:
        """The login of the person who came back with this code. `Refused`: the forge does not take it."""

    async def role(self, repository: RemoteRepository, login: str) -> RepositoryRole:
        """`NONE`: they may not see it here. The role that everybody has on a public repository is `NONE`, too."""
