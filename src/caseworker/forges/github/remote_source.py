"""The git side of repositories on GitHub."""

from collections.abc import Sequence
from pathlib import Path

from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.ids import Sha
from caseworker.core.base.repositories import OUR_BRANCHES, RepositoryRef
from caseworker.forges.dropped_commits import git_dir_of
from caseworker.forges.github.broker import Broker
from caseworker.forges.github.https_git import HttpsGit
from caseworker.forges.github.reads import GitHubReader
from caseworker.forges.github.writes import PushBranch
from caseworker.ports import Head, PullUpdate, Workspace

_POINTS = "HEAD -> refs/heads/"


class GitHubSource:
    """The `Source` port."""

    def __init__(self, *, git: HttpsGit, reader: GitHubReader, broker: Broker) -> None:
        self._git = git
        self._reader = reader
        self._broker = broker

    async def head(self, repository: RepositoryRef) -> Head:
        here = self._reader.ours(repository)
        found = await self._git.refs(here, "HEAD")
        commit = found.get("HEAD")
        if commit is None:
            raise Refused(f"{here} has no commit yet.", todo="Push one to its default branch.")
        branch = next((name.removeprefix(_POINTS) for name in found if name.startswith(_POINTS)), "HEAD")
        return Head(branch=branch, commit=commit, object_format="sha256" if len(commit) == 64 else "sha1")

    async def fetch(self, repository: RepositoryRef, into: Path, refspecs: Sequence[str]) -> None:
        options = ("--quiet", "--no-tags", "--prune", "--no-write-fetch-head")
        await self._git(self._reader.ours(repository), "fetch", *refspecs, options=options, git_dir=into)

    async def fetch_branch(self, repository: RepositoryRef, workspace: Workspace, *, branch: str) -> Sha | None:
        git_dir = git_dir_of(workspace)
        head = await self.branch_head(repository, branch)
        if head is None or await self._has(git_dir, head):
            return head
        await self.fetch(repository, git_dir, [f"+refs/heads/{branch}:refs/remotes/origin/{branch}"])
        if not await self._has(git_dir, head):
            raise Transient(f"{branch} moved while it was read.")
        return head

    async def branch_head(self, repository: RepositoryRef, branch: str) -> Sha | None:
        return await self._git.branch_head(self._reader.ours(repository), branch)

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
        push = PushBranch(workspace=workspace, commit=commit, branch=branch, expected=expected, update=update)
        await self._broker.do(repository, push)

    async def taken_numbers(self, repository: RepositoryRef) -> set[int]:
        refs = await self._git.refs(self._reader.ours(repository), f"refs/heads/{OUR_BRANCHES}*")
        found = (repository.issue_of(name.removeprefix("refs/heads/")) for name in refs)
        return {number for number in found if number is not None}

    async def file(self, repository: RepositoryRef, name: str) -> bytes | None:
        return await self._reader.file(self._reader.ours(repository), name)

    async def _has(self, git_dir: Path, commit: Sha) -> bool:
        question = ("cat-file", "-e", f"{commit}^{{commit}}")
        return (await self._git.local(*question, git_dir=git_dir, accept=(0, 1, 128))).code == 0
