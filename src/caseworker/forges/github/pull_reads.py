"""Reads pull requests: their state, files, diff, reviews and comments. Changes nothing."""

from caseworker.core.base.repositories import RemoteRepository
from caseworker.forges.github.address import repository_path
from caseworker.forges.github.api import GitHubApi
from caseworker.forges.github.payloads import FileData, PullData, ReviewCommentData, ReviewData


class PullReader:
    def __init__(self, api: GitHubApi) -> None:
        self._api = api

    async def pull(self, repository: RemoteRepository, number: int) -> PullData:
        return await self._api.get(repository, repository_path(repository, "pulls", number), PullData)

    async def from_branch(self, repository: RemoteRepository, branch: str, *, state: str = "all") -> list[PullData]:
        """Pull requests from a branch of this repository itself, newest first."""
        params = {"head": f"{repository.owner}:{branch}", "state": state, "sort": "created", "direction": "desc"}
        found = await self._api.pages(repository, repository_path(repository, "pulls"), PullData, params=params)
        return [one for one in found if one.head.ref == branch]

    async def files(self, repository: RemoteRepository, number: int) -> list[FileData]:
        return await self._api.pages(repository, repository_path(repository, "pulls", number, "files"), FileData)

    async def diff(self, repository: RemoteRepository, number: int) -> str:
        return await self._api.diff(repository, repository_path(repository, "pulls", number))

    async def reviews(self, repository: RemoteRepository, number: int) -> list[ReviewData]:
        return await self._api.pages(repository, repository_path(repository, "pulls", number, "reviews"), ReviewData)

    async def review_comments(self, repository: RemoteRepository, number: int) -> list[ReviewCommentData]:
        """Comments on lines, of all reviews, oldest first."""
        path = repository_path(repository, "pulls", number, "comments")
        return await self._api.pages(repository, path, ReviewCommentData)
