"""Reads pull requests: their state, files, diff, reviews and threads. Changes nothing."""

from typing import Final

from pydantic import TypeAdapter, ValidationError

from caseworker.core.base.errors import Transient
from caseworker.core.base.repositories import RemoteRepository
from caseworker.forges.github.address import repository_path
from caseworker.forges.github.api import GitHubApi
from caseworker.forges.github.payloads import FileData, Payload, PullData, ReviewCommentData, ReviewData, User

_THREADS: Final = """
query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 50, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id isResolved isOutdated path line viewerCanResolve viewerCanReply
          comments(first: 100) { nodes { fullDatabaseId body author { login } } }
        }
      }
    }
  }
}
"""


class ThreadComment(Payload):
    fullDatabaseId: str | int | None = None
    body: str = ""
    author: User | None = None


class _Comments(Payload):
    nodes: list[ThreadComment] = []


class ThreadData(Payload):
    """A review thread. Its comments are the first hundred."""

    id: str
    isResolved: bool
    isOutdated: bool = False
    path: str = ""
    line: int | None = None
    viewerCanResolve: bool = False
    viewerCanReply: bool = False
    comments: _Comments = _Comments()


class _PageInfo(Payload):
    hasNextPage: bool = False
    endCursor: str | None = None


class _Threads(Payload):
    pageInfo: _PageInfo = _PageInfo()
    nodes: list[ThreadData] = []


class _Pull(Payload):
    reviewThreads: _Threads


class _Repository(Payload):
    pullRequest: _Pull


class _Data(Payload):
    repository: _Repository


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

    async def threads(self, repository: RemoteRepository, number: int) -> list[ThreadData]:
        found: list[ThreadData] = []
        names = {"owner": repository.owner, "name": repository.name}
        after: str | None = None
        while True:
            answer = await self._api.graphql(repository, _THREADS, {**names, "number": number, "after": after})
            try:
                page = TypeAdapter(_Data).validate_python(answer.data).repository.pullRequest.reviewThreads
            except ValidationError:
                why = "; ".join(answer.errors) or "an unknown answer"
                raise Transient(f"The threads of pull request {number} could not be read: {why}") from None
            found += page.nodes
            after = page.pageInfo.endCursor
            if not page.pageInfo.hasNextPage or after is None:
                return found
