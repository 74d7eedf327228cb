"""A `Forge` that is several: each call goes to the one that the repository's kind names."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import RepositoryId, Sha
from caseworker.core.base.repositories import LocalRepository, RemoteRepository, RepositoryRef
from caseworker.ports import (
    Checks,
    Comments,
    Forge,
    Head,
    Issues,
    Labels,
    PullRequest,
    Pulls,
    PullUpdate,
    Repositories,
    Source,
    StateOf,
    Workspace,
)


@dataclass(frozen=True, kw_only=True)
class ForgeChoice:
    """Folders of this machine, and GitHub where it is set up. Issues, comments, labels and checks are GitHub's only."""

    source: Source
    pulls: Pulls
    comments: Comments | None
    issues: Issues | None
    labels: Labels | None
    checks: Checks | None
    state: StateOf | None


def make_choice(*, local: Forge, remote: Forge | None, repositories: Repositories) -> ForgeChoice:
    return ForgeChoice(
        source=SourceByKind(local=local.source, remote=remote.source if remote else None),
        pulls=PullsByKind(local=local.pulls, remote=remote.pulls if remote else None, repositories=repositories),
        comments=remote.comments if remote else local.comments,
        issues=remote.issues if remote else local.issues,
        labels=remote.labels if remote else local.labels,
        checks=remote.checks if remote else local.checks,
        state=remote.state if remote else local.state,
    )


def _not_set_up(repository: RepositoryRef) -> Refused:
    return Refused(
        f"{repository} is on GitHub, and Caseworker has no access to GitHub.",
        todo="Set CASEWORKER_GITHUB_TOKEN, or CASEWORKER_GITHUB_APP_ID and CASEWORKER_GITHUB_APP_PRIVATE_KEY.",
    )


@dataclass(frozen=True, kw_only=True)
class SourceByKind:
    """The `Source` port."""

    local: Source
    remote: Source | None

    def _of(self, repository: RepositoryRef) -> Source:
        match repository:
            case LocalRepository():
                return self.local
            case RemoteRepository():
                if self.remote is None:
                    raise _not_set_up(repository)
                return self.remote

    async def head(self, repository: RepositoryRef) -> Head:
        return await self._of(repository).head(repository)

    async def fetch(self, repository: RepositoryRef, into: Path, refspecs: Sequence[str]) -> None:
        await self._of(repository).fetch(repository, into, refspecs)

    async def fetch_branch(self, repository: RepositoryRef, workspace: Workspace, *, branch: str) -> Sha | None:
        return await self._of(repository).fetch_branch(repository, workspace, branch=branch)

    async def branch_head(self, repository: RepositoryRef, branch: str) -> Sha | None:
        return await self._of(repository).branch_head(repository, branch)

    async def push(
        self,
        repository: RepositoryRef,
        workspace: Workspace,
        commit: Sha,
        *,
        branch: str,
        expected: Sha | None,
        update: PullUpdate | None = None,
    ) -> None:
        source = self._of(repository)
        await source.push(repository, workspace, commit, branch=branch, expected=expected, update=update)

    async def taken_numbers(self, repository: RepositoryRef) -> set[int]:
        return await self._of(repository).taken_numbers(repository)

    async def file(self, repository: RepositoryRef, name: str) -> bytes | None:
        return await self._of(repository).file(repository, name)


@dataclass(frozen=True, kw_only=True)
class PullsByKind:
    """The `Pulls` port."""

    local: Pulls
    remote: Pulls | None
    repositories: Repositories

    async def _of(self, repository: RepositoryId) -> Pulls:
        ref = await self.repositories.ref(repository)
        match ref:
            case LocalRepository():
                return self.local
            case RemoteRepository():
                if self.remote is None:
                    raise _not_set_up(ref)
                return self.remote

    async def find(self, repository: RepositoryId, head: str) -> PullRequest | None:
        return await (await self._of(repository)).find(repository, head)

    async def open(self, pull: PullRequest) -> PullRequest:
        return await (await self._of(pull.repository)).open(pull)

    async def update(self, pull: PullRequest) -> PullRequest:
        return await (await self._of(pull.repository)).update(pull)

    async def settled(self) -> list[PullRequest]:
        return await self.local.settled() + (await self.remote.settled() if self.remote else [])
