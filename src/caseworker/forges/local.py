"""A `Forge` that is a git repository on this disk: branches are its branches, pull requests are rows in the store.

A person merges with git itself, so what became of a pull request is read from the repository, never written to it.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from caseworker.core.errors import Bug, Refused, Transient
from caseworker.core.ids import RepositoryId, Sha
from caseworker.forges.merged import is_merged
from caseworker.ports import Git, PullRequest, Pulls, Repositories, Workspace

OURS = "agent/"
_RECEIVE = (
    # Hooks of the user's repository don't run: one that checks out or builds what it receives would run an agent's code
    # outside the sandbox, with the worker's rights, before any person has looked at it. The merge, which a person does,
    # runs them all. Nor do we start a clean-up (gc) in a repository that is not ours.
    "git -c safe.directory='*' -c core.hooksPath=/dev/null -c receive.autogc=false -c gc.auto=0 "
    "-c receive.denyCurrentBranch=refuse -c receive.denyDeletes=true receive-pack"
)


@dataclass(frozen=True)
class _Looked:
    """What was there at the last look: while neither branch moves, the answer stays the same."""

    base: Sha
    head: Sha


class LocalForge:
    def __init__(self, *, repositories: Repositories, pulls: Pulls, git: Git) -> None:
        self._repositories = repositories
        self._pulls = pulls
        self._git = git
        self._looked: dict[tuple[RepositoryId, int], _Looked] = {}

    async def branch_head(self, repository: RepositoryId, branch: str) -> Sha | None:
        return await self._head(await self._repositories.path_of(repository), branch)

    async def push(
        self, repository: RepositoryId, workspace: Workspace, commit: Sha, *, branch: str, expected: Sha | None
    ) -> None:
        if workspace.git_dir is None:
            raise Bug(f"the workspace of {workspace.case} does not say where its commits are")
        path = await self._repositories.path_of(repository)
        if not branch.startswith(OURS) or branch == workspace.base_branch:
            raise Refused(f"Caseworker pushes only to branches under {OURS}, not to {branch}.")
        await self._refuse_if_checked_out(path, branch)
        there = await self._head(path, branch)
        if there == commit:
            return  # an earlier try, of which we did not hear the end
        if there != expected:
            raise _moved(path, branch, there)
        if expected is not None:
            await self._refuse_to_drop_others_work(workspace.git_dir, path, branch, expected, commit)
        try:
            await self._git(
                *("push", "--quiet", "--no-verify", "--no-follow-tags", f"--receive-pack={_RECEIVE}"),
                # The lease makes looking and moving one step: whoever came in between wins.
                f"--force-with-lease=refs/heads/{branch}:{expected or ''}",
                *(str(path), f"{commit}:refs/heads/{branch}"),
                git_dir=workspace.git_dir,
            )
        except Refused:
            now = await self._head(path, branch)
            if now not in (expected, commit):
                raise _moved(path, branch, now) from None
            raise

    async def open_pull_request(self, pull: PullRequest) -> PullRequest:
        return await self._pulls.create(pull)

    async def find_pull_request(self, repository: RepositoryId, head: str) -> PullRequest | None:
        return await self._pulls.find(repository, head)

    async def settled_pull_requests(self) -> list[PullRequest]:
        settled = []
        for pull in await self._pulls.open_ones():
            try:
                state = await self._what_became_of(pull)
            except (Refused, Transient):
                continue  # the folder is gone, or no longer a repository: perhaps it comes back
            if state is not None:
                settled.append(pull.model_copy(update={"state": state}))
        return settled

    async def _what_became_of(self, pull: PullRequest) -> Literal["merged", "closed"] | None:
        path = await self._repositories.path_of(pull.repository)
        base, branch = await self._heads(path, pull)
        if base is None:
            return None
        key = (pull.repository, pull.number)
        before = self._looked.get(key)
        # A person may have added commits to the branch; once it is deleted, what we saw last is what was merged.
        head = branch or (before.head if before else pull.head_sha)
        if before != _Looked(base, head) and await is_merged(self._git, path, head=head, base=base):
            return "merged"
        if branch is None:
            return "merged" if await is_merged(self._git, path, head=pull.head_sha, base=base) else "closed"
        self._looked[key] = _Looked(base, head)
        return None

    async def _heads(self, path: Path, pull: PullRequest) -> tuple[Sha | None, Sha | None]:
        base = "HEAD" if pull.base == "HEAD" else f"refs/heads/{pull.base}"
        names = f"{base}^{{commit}}\nrefs/heads/{pull.head}^{{commit}}\n"
        answer = await self._git("cat-file", "--batch-check=%(objectname)", stdin=names.encode(), inside=path)
        found = [None if line.endswith(" missing") else Sha(line) for line in answer.text.splitlines()]
        return found[0], found[1]

    async def _head(self, path: Path, branch: str) -> Sha | None:
        name = f"refs/heads/{branch}^{{commit}}"
        answer = await self._git("rev-parse", "-q", "--verify", name, inside=path, accept=(0, 1))
        return Sha(answer.text) if answer.code == 0 else None

    async def _refuse_if_checked_out(self, path: Path, branch: str) -> None:
        listing = await self._git("worktree", "list", "--porcelain", inside=path)
        folder = ""
        for line in listing.text.splitlines():
            if line.startswith("worktree "):
                folder = line.removeprefix("worktree ")
            elif line == f"branch refs/heads/{branch}":
                raise Refused(
                    f"{branch} is checked out in {folder}; moving it would change what you are working on.",
                    todo=f"Switch to another branch (git -C {folder} switch -), then say retry.",
                )

    async def _refuse_to_drop_others_work(
        self, git_dir: Path, path: Path, branch: str, expected: Sha, commit: Sha
    ) -> None:
        """Forward is always good. Sideways only from a commit of our own, which is then kept under our refs."""
        ancestor = ("merge-base", "--is-ancestor", expected, commit)
        if (await self._git(*ancestor, git_dir=git_dir, accept=(0, 1, 128))).code == 0:
            return
        contains = ("for-each-ref", "--count=1", f"--contains={expected}", "refs/caseworker/")
        kept = await self._git(*contains, git_dir=git_dir, accept=(0, 128, 129))
        if kept.code != 0 or not kept.output:
            raise _moved(path, branch, expected)


def _moved(path: Path, branch: str, there: Sha | None) -> Refused:
    if there is None:
        return Refused(
            f"{branch} was deleted in {path} since Caseworker pushed it.", todo="Say retry to have it pushed again."
        )
    return Refused(
        f"{branch} in {path} is at {there[:12]}, which Caseworker did not push; it won't overwrite a person's work.",
        todo=f"Rename that branch (git -C {path} branch -m {branch} <other name>), or merge it, then say retry.",
    )
