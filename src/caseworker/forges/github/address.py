"""Where one GitHub is: its REST and GraphQL addresses, and where git finds its repositories. Does no I/O."""

from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, urlsplit

from caseworker.core.base.errors import Refused
from caseworker.core.base.repositories import RemoteRepository, RepositoryRef

GITHUB_COM: Final = "https://api.github.com"
_ENTERPRISE: Final = "/api/v3"


@dataclass(frozen=True)
class ApiAddress:
    """`https://api.github.com`, or `https://HOST/api/v3` of an Enterprise Server."""

    rest: str = GITHUB_COM

    @property
    def graphql(self) -> str:
        plain = self.rest.rstrip("/")
        if plain.endswith(_ENTERPRISE):
            return plain.removesuffix("/v3") + "/graphql"
        return f"{plain}/graphql"

    @property
    def host(self) -> str:
        """As `RemoteRepository.host` names it."""
        return urlsplit(self.web).netloc

    @property
    def web(self) -> str:
        """What stands before `/owner/name` for people and for git."""
        plain = self.rest.rstrip("/")
        if plain == GITHUB_COM:
            return "https://github.com"
        return plain.removesuffix(_ENTERPRISE)

    def git_url(self, repository: RemoteRepository) -> str:
        return f"{self.web}/{quote(repository.owner)}/{quote(repository.name)}.git"

    def ours(self, repository: RepositoryRef) -> RemoteRepository:
        """The repository, if it is on this GitHub; else `Refused`."""
        if not isinstance(repository, RemoteRepository) or repository.host != self.host:
            raise Refused(
                f"{repository} is not on {self.host}.",
                todo="Set CASEWORKER_GITHUB_API_URL to the GitHub that has it.",
            )
        return repository


def repository_path(repository: RemoteRepository, *parts: str | int) -> str:
    """`repos/OWNER/NAME/...`, each part quoted, so that no name can lead to another place."""
    names = (repository.owner, repository.name, *parts)
    return "/".join(("repos", *(quote(str(name), safe="") for name in names)))
