"""One push to a repository on this disk: only to branches of ours, and never over what a person has committed."""

from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import Sha, typed
from caseworker.forges.dropped_commits import drops_others_work, git_dir_of, refuse_branch
from caseworker.forges.local_folders import look
from caseworker.ports import BranchIsTheirs, Git, PullUpdate, Workspace

_RECEIVE = (
    # Hooks of the user's repository don't run: one that checks out or builds what it receives would run an agent's code
    # outside the sandbox, with the worker's rights, before any person has looked at it. The merge, which a person does,
    # runs them all. Nor do we start a clean-up (gc) in a repository that is not ours.
    "git -c safe.directory='*' -c core.hooksPath=/dev/null -c receive.autogc=false -c gc.auto=0 "
    # Once the record says that it was pushed, a power cut must not take it back.
    "-c core.fsync=committed "
    "-c receive.denyCurrentBranch=refuse -c receive.denyDeletes=true receive-pack"
)


@dataclass(frozen=True, kw_only=True)
class LocalPush:
    git: Git
    path: Path
    """The repository's folder."""
    branch: str
    workspace: Workspace
    update: PullUpdate | None = None

    async def to(self, commit: Sha, *, expected: Sha | None) -> None:
        """As `Source.push` says."""
        self._refuse_what_is_never_pushed(commit, expected)
        if expected is not None and await self._is_there(commit, expected):
            return  # an earlier try, of which we did not hear the end
        if self.update is not None and self.branch == (await look(self.path, self.git)).head.branch:
            raise Refused(f"Caseworker never pushes to the default branch, which is {self.branch}.")
        try:
            await self.git(
                *("push", "--quiet", "--no-verify", "--no-follow-tags", f"--receive-pack={_RECEIVE}"),
                # The lease makes looking and moving one step: a push in between wins.
                f"--force-with-lease=refs/heads/{self.branch}:{expected or ''}",
                *(str(self.path), f"{commit}:refs/heads/{self.branch}"),
                git_dir=git_dir_of(self.workspace),
            )
        except Refused:
            await self._refuse_if_checked_out()
            now = await branch_head(self.git, self.path, self.branch)
            if now not in (expected, commit):
                raise self._moved(now) from None
            raise

    def _refuse_what_is_never_pushed(self, commit: Sha, expected: Sha | None) -> None:
        refuse_branch(self.branch, self.workspace, expected=expected, update=self.update)
        if commit == self.workspace.base:
            # A branch with nothing on it looks merged from the start.
            raise Refused(
                f"{self.workspace.case} has changed nothing.",
                todo=f"Say what it should change, or type: caseworker close {typed(self.workspace.case)}",
            )

    async def _is_there(self, commit: Sha, expected: Sha) -> bool:
        """Whether the branch has the commit already. False: it may be moved; if it may not, the refusal says why. Not
        needed for a new branch: git makes it only if there is none, and not if it is checked out."""
        there, is_checked_out = await self._look()
        if there == commit:
            return True
        if is_checked_out:
            await self._refuse_if_checked_out()
        if there != expected:
            raise self._moved(there)
        if await drops_others_work(
            self.git, git_dir_of(self.workspace), expected=expected, commit=commit, update=self.update
        ):
            raise self._moved(there)
        return False

    async def _look(self) -> tuple[Sha | None, bool]:
        """Where it is and whether it seems to be checked out, by one question."""
        name = f"refs/heads/{self.branch}"
        question = ("for-each-ref", "--format=%(objectname) %(refname) %(worktreepath)", name)
        for line in (await self.git(*question, inside=self.path)).text.splitlines():
            head, found, *folder = line.split(" ", 2)
            if found == name:  # and not one below it
                return Sha(head), any(folder)
        return None, False

    async def _refuse_if_checked_out(self) -> None:
        listing = await self.git("worktree", "list", "--porcelain", inside=self.path)
        folder = ""
        for line in listing.text.splitlines():
            if line.startswith("worktree "):
                folder = line.removeprefix("worktree ")
            elif line == f"branch refs/heads/{self.branch}":
                raise Refused(
                    f"{self.branch} is checked out in {folder}; moving it would change what you are working on.",
                    todo=f"Switch to another branch (git -C {quote(folder)} switch -); what you have committed there "
                    f"is taken over. {self._again}",
                )

    def _moved(self, there: Sha | None) -> BranchIsTheirs:
        path, branch = self.path, self.branch
        if there is None:
            return BranchIsTheirs(f"{branch} was deleted in {path} since Caseworker pushed it.", todo=self._again)
        rename = f"git -C {quote(str(path))} branch -m {branch} <other name>"
        return BranchIsTheirs(
            f"{branch} in {path} is at {there[:12]}, which Caseworker did not push; "
            "it won't overwrite a person's work.",
            todo=f"Merge it, or rename or delete it ({rename}). {self._again}",
        )

    @property
    def _again(self) -> str:
        return f"Then type: caseworker retry {typed(self.workspace.case)}"


async def branch_head(git: Git, path: Path, branch: str) -> Sha | None:
    name = f"refs/heads/{branch}^{{commit}}"
    answer = await git("rev-parse", "-q", "--verify", name, inside=path, accept=(0, 1))
    return Sha(answer.text) if answer.code == 0 else None
