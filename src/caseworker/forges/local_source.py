"""The git side of repositories on this disk."""

from collections.abc import Sequence
from pathlib import Path

from caseworker.core.base.errors import Transient
from caseworker.core.base.ids import Sha
from caseworker.core.base.repositories import OUR_BRANCHES, RepositoryRef
from caseworker.forges.dropped_commits import git_dir_of
from caseworker.forges.local_folders import folder_of, look
from caseworker.forges.local_push import LocalPush, branch_head
from caseworker.ports import Git, Head, PullUpdate, Workspace

_SEND = "git -c safe.directory='*' -c core.hooksPath=/dev/null -c gc.auto=0 upload-pack"
"""How git starts its second half in the repository at the other end: our own `-c` don't reach that far."""


class LocalSource:
    """The `Source` port."""

    def __init__(self, git: Git) -> None:
        self._git = git

    async def head(self, repository: RepositoryRef) -> Head:
        return (await look(folder_of(repository), self._git)).head

    async def fetch(self, repository: RepositoryRef, into: Path, refspecs: Sequence[str]) -> None:
        await self._git(
            *("fetch", "--quiet", "--no-tags", "--prune", "--update-shallow", "--no-write-fetch-head"),
            f"--upload-pack={_SEND}",
            *(str(folder_of(repository)), *refspecs),
            git_dir=into,
        )

    async def fetch_branch(self, repository: RepositoryRef, workspace: Workspace, *, branch: str) -> Sha | None:
        git_dir = git_dir_of(workspace)
        head = await self.branch_head(repository, branch)
        if head is None or await self._has(git_dir, head):
            return head
        # Where the mirror keeps the branches of this repository: not among what is ours.
        await self.fetch(repository, git_dir, [f"+refs/heads/{branch}:refs/remotes/origin/{branch}"])
        if not await self._has(git_dir, head):
            raise Transient(f"{branch} moved while it was read.")
        return head

    async def branch_head(self, repository: RepositoryRef, branch: str) -> Sha | None:
        return await branch_head(self._git, folder_of(repository), branch)

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
        this = LocalPush(git=self._git, path=folder_of(repository), branch=branch, workspace=workspace, update=update)
        await this.to(commit, expected=expected)

    async def taken_numbers(self, repository: RepositoryRef) -> set[int]:
        question = ("for-each-ref", "--format=%(refname:lstrip=2)", f"refs/heads/{OUR_BRANCHES}")
        listing = await self._git(*question, inside=folder_of(repository))
        found = (repository.issue_of(name) for name in listing.text.splitlines())
        return {number for number in found if number is not None}

    async def file(self, repository: RepositoryRef, name: str) -> bytes | None:
        path = folder_of(repository)
        found = await self._git("cat-file", "blob", f"HEAD:{name}", inside=path, accept=(0, 128))
        return found.output if found.code == 0 else None

    async def _has(self, git_dir: Path, commit: Sha) -> bool:
        return (
            await self._git("cat-file", "-e", f"{commit}^{{commit}}", git_dir=git_dir, accept=(0, 1, 128))
        ).code == 0
