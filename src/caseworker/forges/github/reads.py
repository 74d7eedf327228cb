"""Reads repositories, issues and comments. Has no way to change anything: tools and intake may hold it."""

import base64
from datetime import UTC, datetime
from typing import Final, Literal

from caseworker.core.base.repositories import RemoteRepository, RepositoryRef
from caseworker.forges.github.address import repository_path
from caseworker.forges.github.api import GitHubApi
from caseworker.forges.github.api_errors import GitHubRefused
from caseworker.forges.github.payloads import (
    AppData,
    BranchData,
    CommentData,
    ContentData,
    IssueData,
    Named,
    PermissionData,
    RepositoryData,
    User,
)

Role = Literal["admin", "maintain", "write", "triage", "read", "none"]
_ROLES: Final[dict[str, Role]] = {
    "admin": "admin",
    "maintain": "maintain",
    "write": "write",
    "triage": "triage",
    "read": "read",
}


class GitHubReader:
    def __init__(self, api: GitHubApi) -> None:
        self._api = api
        self._me = ""

    def ours(self, repository: RepositoryRef) -> RemoteRepository:
        return self._api.address.ours(repository)

    async def whoami(self) -> str:
        """The login under which we write."""
        if not self._me:
            if self._api.credentials.is_app:
                self._me = f"{(await self._api.app_get('app', AppData)).slug}[bot]"
            else:
                self._me = (await self._api.get(None, "user", User)).login
        return self._me

    async def repository(self, repository: RemoteRepository) -> RepositoryData:
        return await self._api.get(repository, repository_path(repository), RepositoryData)

    async def role(self, repository: RemoteRepository, login: str) -> Role:
        """What a person may do here. An organization's own role counts as the one that it is built on."""
        path = repository_path(repository, "collaborators", login, "permission")
        try:
            found = await self._api.get(repository, path, PermissionData)
        except GitHubRefused as refused:
            if refused.is_absent:
                return "none"
            raise
        return _ROLES.get(found.role_name) or _ROLES.get(found.permission, "none")

    async def issue(self, repository: RemoteRepository, number: int) -> IssueData:
        """Also a pull request, as an issue. `GitHubRefused` with 404, 410 or 301: gone, deleted or transferred."""
        return await self._api.get(repository, repository_path(repository, "issues", number), IssueData)

    async def issues_changed(self, repository: RemoteRepository, *, since: datetime) -> list[IssueData]:
        """Issues and pull requests that were changed since, open or closed; the longest unchanged first."""
        params = {"state": "all", "since": stamp(since), "sort": "updated", "direction": "asc"}
        return await self._api.pages(repository, repository_path(repository, "issues"), IssueData, params=params)

    async def comments(
        self, repository: RemoteRepository, number: int, *, since: datetime | None = None
    ) -> list[CommentData]:
        """All of them, oldest first; or those written or changed since."""
        params = {"since": stamp(since)} if since else {}
        path = repository_path(repository, "issues", number, "comments")
        return await self._api.pages(repository, path, CommentData, params=params)

    async def comments_page(self, repository: RemoteRepository, number: int, *, page: int) -> list[CommentData]:
        path = repository_path(repository, "issues", number, "comments")
        params = {"per_page": "30", "page": str(page)}
        return await self._api.get(repository, path, list[CommentData], params=params)

    async def comment(self, repository: RemoteRepository, comment: int) -> CommentData:
        return await self._api.get(repository, repository_path(repository, "issues", "comments", comment), CommentData)

    async def labels(self, repository: RemoteRepository, number: int) -> list[str]:
        path = repository_path(repository, "issues", number, "labels")
        return [label.name for label in await self._api.pages(repository, path, Named)]

    async def branch(self, repository: RemoteRepository, branch: str) -> BranchData | None:
        path = repository_path(repository, "branches", branch)
        try:
            return await self._api.get(repository, path, BranchData)
        except GitHubRefused as refused:
            if refused.is_absent:
                return None
            raise

    async def file(self, repository: RemoteRepository, name: str) -> bytes | None:
        """A file of the default branch. Null: there is none."""
        path = repository_path(repository, "contents", *name.split("/"))
        try:
            found = await self._api.get(repository, path, ContentData)
        except GitHubRefused as refused:
            if refused.is_absent:
                return None
            raise
        return base64.b64decode(found.content) if found.type == "file" else None

    async def files_in(self, repository: RemoteRepository, folder: str) -> list[str]:
        """The names in a folder of the default branch."""
        path = repository_path(repository, "contents", *(folder.split("/") if folder else []))
        try:
            return [one.path for one in await self._api.get(repository, path, list[ContentData])]
        except GitHubRefused as refused:
            if refused.is_absent:
                return []
            raise


def stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
