"""Which repositories are served: those that a setting names, or all on which the App is installed."""

from collections.abc import Sequence
from typing import Final

from caseworker.core.base.errors import Refused
from caseworker.core.base.repositories import RemoteRepository
from caseworker.forges.github.api import PER_PAGE, GitHubApi
from caseworker.forges.github.credentials import AppCredentials
from caseworker.forges.github.payloads import InstallationData, RepositoriesData

_PAGES: Final = 100


class ServedRepositories:
    def __init__(self, api: GitHubApi, names: Sequence[str] = ()) -> None:
        self._api = api
        self._names = tuple(names)

    def serves(self, repository: RemoteRepository) -> bool:
        """Whether events of this repository are ours. An App is told only of those on which it is installed."""
        if repository.host.casefold() != self._api.address.host.casefold():
            return False
        name = f"{repository.owner}/{repository.name}".casefold()
        return not self._names or name in {one.casefold() for one in self._names}

    async def all(self) -> list[RemoteRepository]:
        if self._names:
            return [self._named(name) for name in self._names]
        if not isinstance(self._api.credentials, AppCredentials):
            raise Refused(
                "With a token, Caseworker has to be told which repositories it serves.",
                todo="Set CASEWORKER_GITHUB_REPOSITORIES to their names, such as acme/shop.",
            )
        found = []
        for one in await self._api.app_pages("app/installations", InstallationData):
            if one.suspended_at is None:
                found += await self._of_installation(one.id)
        return found

    async def _of_installation(self, installation: int) -> list[RemoteRepository]:
        found: list[RemoteRepository] = []
        for number in range(1, _PAGES + 1):
            params = {"per_page": str(PER_PAGE), "page": str(number)}
            page = await self._api.installation_get(
                installation, "installation/repositories", RepositoriesData, params=params
            )
            found += [self._named(one.full_name) for one in page.repositories]
            if len(page.repositories) < PER_PAGE:
                break
        return found

    def _named(self, full_name: str) -> RemoteRepository:
        owner, _, name = full_name.partition("/")
        return RemoteRepository(host=self._api.address.host, owner=owner, name=name)
