"""A `Forge` that is a git repository on this disk: branches are its branches, pull requests are rows in the store.

A person merges with git itself, so what became of a pull request is read from the repository, never written to it.
"""

import re
from collections.abc import Callable
from pathlib import Path
from shlex import quote
from time import monotonic

from caseworker.core.errors import Bug, Refused, Transient
from caseworker.core.ids import CaseId, RepositoryId, Sha
from caseworker.forges.watching import Watch
from caseworker.ports import Git, PullRequest, Pulls, Repositories, Workspace

OURS = "agent/"
_ISSUE = re.compile(rf"refs/heads/{OURS}issue-([1-9][0-9]{{0,17}})(?:/.*)?")
"""A branch below agent/issue-7 is in the way of agent/issue-7 as well."""
_RECEIVE = (
    # Hooks of the user's repository don't run: one that checks out or builds what it receives would run an agent's code
    # outside the sandbox, with the worker's rights, before any person has looked at it. The merge, which a person does,
    # runs them all. Nor do we start a clean-up (gc) in a repository that is not ours.
    "git -c safe.directory='*' -c core.hooksPath=/dev/null -c receive.autogc=false -c gc.auto=0 "
    # Once the record says that it was pushed, a power cut must not take it back.
    "-c core.fsync=committed "
    "-c receive.denyCurrentBranch=refuse -c receive.denyDeletes=true receive-pack"
)


class LocalForge:
    def __init__(
        self,
        *,
        repositories: Repositories,
        pulls: Pulls,
        git: Git,
        gone_seconds: float = 60,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._repositories = repositories
        self._pulls = pulls
        self._git = git
        self._watch = Watch(git, gone_seconds=gone_seconds, clock=clock)

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
        if commit == workspace.base:
            # A branch with nothing on it looks merged from the start.
            raise Refused(f"{workspace.case} has changed nothing.", todo=f"Type: {_again(workspace.case)}")
        await self._refuse_if_checked_out(path, branch, workspace.case)
        there = await self._head(path, branch)
        if there == commit:
            return  # an earlier try, of which we did not hear the end
        if there != expected:
            raise _moved(path, branch, there, workspace.case)
        if expected is not None:
            await self._refuse_to_drop_others_work(
                workspace.git_dir, expected, commit, _moved(path, branch, there, workspace.case)
            )
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
                raise _moved(path, branch, now, workspace.case) from None
            raise

    async def open_pull_request(self, pull: PullRequest) -> PullRequest:
        return await self._pulls.create(pull)

    async def find_pull_request(self, repository: RepositoryId, head: str) -> PullRequest | None:
        return await self._pulls.find(repository, head)

    async def settled_pull_requests(self) -> list[PullRequest]:
        settled = []
        pulls = await self._pulls.open_ones()
        self._watch.forget_all_but(pulls)
        for pull in pulls:
            try:
                state = await self._watch.became(pull, await self._repositories.path_of(pull.repository))
            except (Refused, Transient):
                continue  # the folder is gone, or no longer a repository: perhaps it comes back
            if state is not None:
                settled.append(pull.model_copy(update={"state": state}))
        return settled

    async def taken_numbers(self, path: Path) -> set[int]:
        listing = await self._git("for-each-ref", "--format=%(refname)", f"refs/heads/{OURS}", inside=path)
        found = (_ISSUE.fullmatch(name) for name in listing.text.splitlines())
        return {int(match[1]) for match in found if match}

    async def _head(self, path: Path, branch: str) -> Sha | None:
        name = f"refs/heads/{branch}^{{commit}}"
        answer = await self._git("rev-parse", "-q", "--verify", name, inside=path, accept=(0, 1))
        return Sha(answer.text) if answer.code == 0 else None

    async def _refuse_if_checked_out(self, path: Path, branch: str, case: CaseId) -> None:
        listing = await self._git("worktree", "list", "--porcelain", inside=path)
        folder = ""
        for line in listing.text.splitlines():
            if line.startswith("worktree "):
                folder = line.removeprefix("worktree ")
            elif line == f"branch refs/heads/{branch}":
                raise Refused(
                    f"{branch} is checked out in {folder}; moving it would change what you are working on.",
                    todo=f"Switch to another branch (git -C {quote(folder)} switch -), and rename or delete this one; "
                    f"then type: {_again(case)}",
                )

    async def _refuse_to_drop_others_work(self, git_dir: Path, expected: Sha, commit: Sha, refusal: Refused) -> None:
        """Forward is always good. Sideways only from a commit of our own, which is then kept under our refs."""
        ancestor = ("merge-base", "--is-ancestor", expected, commit)
        if (await self._git(*ancestor, git_dir=git_dir, accept=(0, 1, 128))).code == 0:
            return
        contains = ("for-each-ref", "--count=1", f"--contains={expected}", "refs/caseworker/")
        kept = await self._git(*contains, git_dir=git_dir, accept=(0, 128, 129))
        if kept.code != 0 or not kept.output:
            raise refusal


def _moved(path: Path, branch: str, there: Sha | None, case: CaseId) -> Refused:
    if there is None:
        return Refused(f"{branch} was deleted in {path} since Caseworker pushed it.", todo=f"Type: {_again(case)}")
    rename = f"git -C {quote(str(path))} branch -m {branch} <other name>"
    return Refused(
        f"{branch} in {path} is at {there[:12]}, which Caseworker did not push; it won't overwrite a person's work.",
        todo=f"Merge it, or rename or delete it ({rename}); then type: {_again(case)}",
    )


def _again(case: CaseId) -> str:
    return f"caseworker close '{case}', and run the issue again."
