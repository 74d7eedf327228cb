"""Port to the git side of a pull request's branch: check out, compare, update from the base, push.

Nothing of the repository is executed. The caller holds the case (`Workspaces.hold`) while it calls `checkout`,
`rebase`, `merge_in` and `finish_conflict`: they use its worktree. Each of them gives the same commits when it is
repeated after a crash.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from caseworker.core.base.ids import CaseId, Sha
from caseworker.core.base.repositories import RepositoryRef
from caseworker.core.pull.branch_updates import BranchCommit, Conflict, FinishResult, UpdateResult
from caseworker.ports.workspaces import Workspace


@dataclass(frozen=True, kw_only=True)
class PullPlace:
    """Where a pull request is."""

    repository: RepositoryRef
    number: int
    branch: str
    """The head branch: in the fork, where it comes from one."""
    base_branch: str
    is_fork: bool = False


@dataclass(frozen=True, kw_only=True)
class PullTree:
    """A pull request as it was fetched. The worktree has `head` checked out at first."""

    place: PullPlace
    workspace: Workspace
    """Its `base` is the merge base."""
    head: Sha
    base: Sha
    """The newest commit of the base branch."""
    pushed: frozenset[Sha] = frozenset()
    """All commits that the store's record says we have made and pushed."""

    @property
    def merge_base(self) -> Sha:
        return self.workspace.base


class PullBranches(Protocol):
    async def checkout(
        self, case: CaseId, place: PullPlace, *, head: Sha | None = None, pushed: Collection[Sha] = ()
    ) -> PullTree:
        """Fetch head and base with their history, and set the case's worktree to the head.

        `head`: what the caller has seen; `Transient` if it is not there (any more). `pushed`: all commits that the
        store's record says we have made and pushed; those kept in the mirror are known without it. `Refused`: the
        branch or its base is gone, or they have no common history.
        """

    async def commits_of(self, tree: PullTree) -> list[BranchCommit]:
        """The commits that the head has and the base has not, oldest first."""

    async def rebase(self, tree: PullTree) -> UpdateResult:
        """The branch's commits on top of the newest base. `Refused`: there are merge commits among them. A commit whose
        change the base has already is left out."""

    async def merge_in(self, tree: PullTree, *, message: str) -> UpdateResult:
        """One merge commit of head (first parent) and base."""

    async def finish_conflict(self, tree: PullTree, conflict: Conflict, solved: Sha, *, message: str) -> FinishResult:
        """Make the commit of a merge or a rebase from the files of `solved`, a commit on top of `conflict.prepared`. A
        rebase goes on with the commits that are left, and may meet a further conflict. `message`: of a merge."""

    async def same_change(self, tree: PullTree, *, old_base: Sha, old_head: Sha, new_base: Sha, new_head: Sha) -> bool:
        """Whether the diffs old_base..old_head and new_base..new_head are the same. The bases are merge bases."""

    async def keep(self, case: CaseId, place: PullPlace, commit: Sha, *, since: Sha) -> str:
        """Push work that is not for the pull request's branch to a new branch of ours, and return its name. A repeated
        call finds it done. `since`: where the head branch left its base. `Refused`: such a branch may not be made."""

    async def push(self, tree: PullTree, commit: Sha, *, copies: bool = False) -> list[BranchCommit]:
        """Move the head branch from `tree.head`, and from nowhere else, to `commit`. Returns the commits of ours that
        are on the branch now, for the record. A repeated call finds it done.

        `copies`: an owner asked for a rebase; then commits of people may be replaced by exact copies. Otherwise only
        commits of ours may go. `BranchIsTheirs`: a person has pushed, or would lose
        something. `Refused`: a fork, the base, the default or a protected branch, an unfinished conflict, or a commit
        that the base has already.
        """
