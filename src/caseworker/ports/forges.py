"""Forges: branches and pull requests where people look at them."""

from pathlib import Path
from typing import Protocol

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import RepositoryId, Sha
from caseworker.ports.stored import PullRequest
from caseworker.ports.workspaces import Workspace


class BranchIsTheirs(Refused):
    """The branch holds, or has just got, what somebody else has pushed."""


class Forge(Protocol):
    async def branch_head(self, repository: RepositoryId, branch: str) -> Sha | None: ...

    async def fetch(self, repository: RepositoryId, workspace: Workspace, *, branch: str) -> Sha | None:
        """Where the branch is now; its commits are then among the workspace's. Null: there is no such branch."""

    async def push(
        self, repository: RepositoryId, workspace: Workspace, commit: Sha, *, branch: str, expected: Sha | None
    ) -> None:
        """Create or move `branch` to `commit`, only if it is still where we saw it (`expected`) and nobody else's
        commit would be dropped: `BranchIsTheirs`. Never to the default branch: `Refused`."""

    async def open_pull_request(self, pull: PullRequest) -> PullRequest: ...

    async def update_pull_request(self, pull: PullRequest) -> PullRequest:
        """Title, text and commit of an open one, by its number."""

    async def find_pull_request(self, repository: RepositoryId, head: str) -> PullRequest | None: ...

    async def settled_pull_requests(self) -> list[PullRequest]:
        """Open ones that a person has meanwhile merged or closed, with their new state, which is not saved yet."""

    async def taken_numbers(self, path: Path) -> set[int]:
        """The N of every branch `agent/issue-N` there: a new issue must not get the number of one."""
