"""A `Forge` that is a git repository on this disk: branches are its branches, pull requests are rows in the store.

A person merges with git itself, so what became of a pull request is read from the repository, never written to it.
"""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from shlex import quote
from time import monotonic

from caseworker.core.base.errors import Defect, Refused, Transient
from caseworker.core.base.ids import CaseId, RepositoryId, Sha
from caseworker.forges.branch_watch import Watch
from caseworker.ports import BranchIsTheirs, Git, PullRequest, Pulls, Repositories, Workspace

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
_SEND = "git -c safe.directory='*' -c core.hooksPath=/dev/null -c gc.auto=0 upload-pack"
_DROPPED = 1_000
"""How many of our own commits a push may leave behind: more is surely somebody else's branch."""


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

    async def fetch(self, repository: RepositoryId, workspace: Workspace, *, branch: str) -> Sha | None:
        git_dir = _git_dir(workspace)
        path = await self._repositories.path_of(repository)
        head = await self._head(path, branch)
        if head is None or await self._has(git_dir, head):
            return head
        await self._git(
            *("fetch", "--quiet", "--no-tags", "--update-shallow", "--no-write-fetch-head"),
            f"--upload-pack={_SEND}",
            # Where the mirror keeps the branches of this repository: not among what is ours.
            *(str(path), f"+refs/heads/{branch}:refs/remotes/origin/{branch}"),
            git_dir=git_dir,
        )
        if not await self._has(git_dir, head):
            raise Transient(f"{branch} moved while it was read.")
        return head

    async def push(
        self, repository: RepositoryId, workspace: Workspace, commit: Sha, *, branch: str, expected: Sha | None
    ) -> None:
        git_dir = _git_dir(workspace)
        path = await self._repositories.path_of(repository)
        if not branch.startswith(OURS) or branch == workspace.base_branch:
            raise Refused(f"Caseworker pushes only to branches under {OURS}, not to {branch}.")
        if commit == workspace.base:
            # A branch with nothing on it looks merged from the start.
            raise Refused(
                f"{workspace.case} has changed nothing.",
                todo=f"Say what it should change, or type: caseworker close '{workspace.case}'",
            )
        if expected is not None and await self._is_there(path, branch, commit, expected, workspace):
            return  # an earlier try, of which we did not hear the end
        try:
            await self._git(
                *("push", "--quiet", "--no-verify", "--no-follow-tags", f"--receive-pack={_RECEIVE}"),
                # The lease makes looking and moving one step: whoever came in between wins.
                f"--force-with-lease=refs/heads/{branch}:{expected or ''}",
                *(str(path), f"{commit}:refs/heads/{branch}"),
                git_dir=git_dir,
            )
        except Refused:
            await self._refuse_if_checked_out(path, branch, workspace.case)
            now = await self._head(path, branch)
            if now not in (expected, commit):
                raise _moved(path, branch, now, workspace.case) from None
            raise

    async def _is_there(self, path: Path, branch: str, commit: Sha, expected: Sha, workspace: Workspace) -> bool:
        """Otherwise it may be moved, or the refusal says why not. What is not expected to be there needs no such look:
        git itself makes a branch only if there is none, and not one on which somebody stands."""
        there, is_checked_out = await self._look(path, branch)
        if there == commit:
            return True
        if is_checked_out:
            await self._refuse_if_checked_out(path, branch, workspace.case)
        refusal = _moved(path, branch, there, workspace.case)
        if there != expected:
            raise refusal
        await self._refuse_to_drop_others_work(_git_dir(workspace), expected, commit, refusal)
        return False

    async def open_pull_request(self, pull: PullRequest) -> PullRequest:
        return await self._pulls.create(pull)

    async def update_pull_request(self, pull: PullRequest) -> PullRequest:
        return await self._pulls.update(pull)

    async def find_pull_request(self, repository: RepositoryId, head: str) -> PullRequest | None:
        return await self._pulls.find(repository, head)

    async def settled_pull_requests(self) -> list[PullRequest]:
        pulls = await self._pulls.open_ones()
        self._watch.forget_all_but(pulls)
        settled: list[PullRequest] = []
        for repository, of_it in groupby(pulls, key=lambda pull: pull.repository):
            with suppress(Refused, Transient):  # the folder is gone, or no longer a repository: perhaps it comes back
                settled += await self._settled_of(await self._repositories.path_of(repository), list(of_it))
        return settled

    async def _settled_of(self, path: Path, pulls: Sequence[PullRequest]) -> list[PullRequest]:
        heads = await self._watch.heads(path, pulls)
        waiting = await self._watch.waiting(path, pulls, heads)
        settled = []
        for pull in pulls:
            with suppress(Refused, Transient):
                state = await self._watch.became(pull, path, heads, waits=pull.number in waiting)
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

    async def _look(self, path: Path, branch: str) -> tuple[Sha | None, bool]:
        """Where it is and whether it seems to be checked out, by one question."""
        name = f"refs/heads/{branch}"
        question = ("for-each-ref", "--format=%(objectname) %(refname) %(worktreepath)", name)
        for line in (await self._git(*question, inside=path)).text.splitlines():
            head, found, *folder = line.split(" ", 2)
            if found == name:  # and not one below it
                return Sha(head), any(folder)
        return None, False

    async def _refuse_if_checked_out(self, path: Path, branch: str, case: CaseId) -> None:
        listing = await self._git("worktree", "list", "--porcelain", inside=path)
        folder = ""
        for line in listing.text.splitlines():
            if line.startswith("worktree "):
                folder = line.removeprefix("worktree ")
            elif line == f"branch refs/heads/{branch}":
                raise Refused(
                    f"{branch} is checked out in {folder}; moving it would change what you are working on.",
                    todo=f"Switch to another branch (git -C {quote(folder)} switch -); what you have committed there "
                    f"is taken over. {_again(case)}",
                )

    async def _has(self, git_dir: Path, commit: Sha) -> bool:
        return (
            await self._git("cat-file", "-e", f"{commit}^{{commit}}", git_dir=git_dir, accept=(0, 1, 128))
        ).code == 0

    async def _refuse_to_drop_others_work(
        self, git_dir: Path, expected: Sha, commit: Sha, refusal: BranchIsTheirs
    ) -> None:
        """Forward is always good. Sideways only past commits of our own, each of which is kept under a ref of ours: a
        commit that merely lies below one of them may be a person's."""
        left = await self._git(
            "rev-list", f"--max-count={_DROPPED}", expected, f"^{commit}", git_dir=git_dir, accept=(0, 128)
        )
        dropped = left.text.splitlines()
        if left.code == 0 and not dropped:
            return
        listing = await self._git(
            "for-each-ref", "--format=%(objectname) %(refname)", "refs/caseworker/", git_dir=git_dir
        )
        refs = [line.split(" ", 1) for line in listing.text.splitlines()]
        ours = {kept for kept, name in refs if not name.endswith("/base")}
        if left.code != 0 or len(dropped) == _DROPPED or not ours.issuperset(dropped):
            raise refusal


def _git_dir(workspace: Workspace) -> Path:
    if workspace.git_dir is None:
        raise Defect(f"the workspace of {workspace.case} does not say where its commits are")
    return workspace.git_dir


def _moved(path: Path, branch: str, there: Sha | None, case: CaseId) -> BranchIsTheirs:
    if there is None:
        return BranchIsTheirs(f"{branch} was deleted in {path} since Caseworker pushed it.", todo=_again(case))
    rename = f"git -C {quote(str(path))} branch -m {branch} <other name>"
    return BranchIsTheirs(
        f"{branch} in {path} is at {there[:12]}, which Caseworker did not push; it won't overwrite a person's work.",
        todo=f"Merge it, or rename or delete it ({rename}). {_again(case)}",
    )


def _again(case: CaseId) -> str:
    return f"Then type: caseworker retry '{case}'"
