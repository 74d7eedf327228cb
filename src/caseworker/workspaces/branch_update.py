"""Brings a branch up to date with its base by git alone: a rebase or a merge, with the same commits at every call.

Where git can't, both versions are committed between conflict markers, for an agent to solve, and `finish` goes on from
its solution. Commits of ours are kept under refs of the case; so is what must not be pushed (`conflict/`).
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from caseworker.core.base.errors import Defect, Refused
from caseworker.core.base.ids import Sha
from caseworker.core.pull.branch_updates import (
    AlreadyInBase,
    Conflict,
    FinishResult,
    MarkersLeft,
    Updated,
    UpdateResult,
    UpToDate,
)
from caseworker.core.pull.own_commits import COPIES
from caseworker.ports import Git, Workspace
from caseworker.workspaces.commit_objects import CommitObject, NewCommit, read_commit
from caseworker.workspaces.conflict_markers import files_with_markers
from caseworker.workspaces.layout import git_dir_of, refs_of
from caseworker.workspaces.merge import Merging, Sides

CONFLICTS = "conflict"
_UPDATES = "updated"
_MOST = 500
"""Most commits that are rebased. One pull request hardly has more."""
_REBASE = Sides(ours="the base", theirs="the branch")
_MERGE = Sides(ours="the branch", theirs="the base", keeps_ours=True)
_PREPARED = b"Both versions of each conflict, to be solved\n"


@dataclass(frozen=True, kw_only=True)
class BranchUpdate:
    """Uses the case's worktree, which nobody else may use meanwhile."""

    git: Git
    workspace: Workspace
    reset: Callable[[Sha], Awaitable[None]]
    """Sets the worktree to exactly this commit."""
    ours: frozenset[Sha]
    """Those of the branch's commits that are ours. Copies of others are never recorded as ours."""

    async def merge_in(self, head: Sha, base: Sha, *, since: Sha, message: str) -> UpdateResult:
        if since == base:
            return UpToDate(head=head)
        if since == head:
            return AlreadyInBase(base=base)
        await self.reset(head)
        merged = await self._merging(_MERGE).merge(head, base, since=since)
        times = [(await self._read(one)).committed_at for one in (head, base)]
        commit = NewCommit(tree=merged.tree, parents=(head, base), message=_words(message), at=max(times))
        if merged.conflict:
            return Conflict(
                how="merge",
                prepared=await self._prepare(commit),
                tip=head,
                other=base,
                head=head,
                base=base,
                files=merged.conflict,
                one_sided=merged.one_sided,
            )
        return await self._done(await self._keep(commit), base)

    async def rebase(self, head: Sha, base: Sha, *, since: Sha) -> UpdateResult:
        if since == base:
            return UpToDate(head=head)
        return await self._replay(await self._picks(head, base), tip=base, head=head, base=base)

    async def finish(self, conflict: Conflict, solved: Sha, *, message: str) -> FinishResult:
        await self._must_be_above(conflict.prepared, solved)
        left = await files_with_markers(self.git, self.git_dir, solved, sides=(conflict.tip, conflict.other))
        if left:
            return MarkersLeft(files=left)
        tree = (await self._read(solved)).tree
        tip, other = await self._read(conflict.tip), await self._read(conflict.other)
        at = max(tip.committed_at, other.committed_at)
        if conflict.how == "merge":
            parents = (conflict.tip, conflict.other)
            commit = NewCommit(tree=tree, parents=parents, message=_words(message), at=at)
            return await self._done(await self._keep(commit), conflict.base)
        picks = await self._picks(conflict.head, conflict.base)
        rest = picks[picks.index(conflict.other) + 1 :]
        made = conflict.tip
        if tree != tip.tree:
            made = await self._keep(_copy(other, tree=tree, tip=conflict.tip, at=at), of=conflict.other)
        return await self._replay(rest, tip=made, head=conflict.head, base=conflict.base)

    async def _replay(
        self, picks: Sequence[Sha], *, tip: Sha, head: Sha, base: Sha
    ) -> Updated | AlreadyInBase | Conflict:
        """Puts each commit on top of the one before, as cherry-pick does: a merge since its parent."""
        await self.reset(tip)
        under = await self._read(tip)
        for pick in picks:
            found = await self._read(pick)
            parent = found.parents[0]
            merged = await self._merging(_REBASE).merge(tip, pick, since=parent)
            at = max(found.committed_at, under.committed_at)
            if merged.conflict:
                prepared = NewCommit(tree=merged.tree, parents=(tip,), message=_PREPARED, at=at)
                return Conflict(
                    how="rebase",
                    prepared=await self._prepare(prepared),
                    tip=tip,
                    other=pick,
                    head=head,
                    base=base,
                    files=merged.conflict,
                    one_sided=merged.one_sided,
                )
            if merged.tree == under.tree and found.tree != (await self._read(parent)).tree:
                continue  # the base has this change already
            tip = await self._keep(_copy(found, tree=merged.tree, tip=tip, at=at), of=pick)
            under = await self._read(tip)
        return await self._done(tip, base)

    async def _picks(self, head: Sha, base: Sha) -> list[Sha]:
        """The commits to be rebased, oldest first. Without merges they are one line."""
        question = ("rev-list", "--reverse", "--topo-order", "--parents", f"{base}..{head}")
        lines = [line.split() for line in (await self.git(*question, git_dir=self.git_dir)).text.splitlines()]
        if any(len(line) != 2 for line in lines):
            raise Refused("The branch has merge commits: a rebase would drop them.", todo="Merge the base in instead.")
        if len(lines) > _MOST:
            raise Refused(f"The branch has more than {_MOST} commits.", todo="Merge the base in instead.")
        return [Sha(line[0]) for line in lines]

    async def _done(self, commit: Sha, base: Sha) -> Updated | AlreadyInBase:
        await self.reset(commit)
        return AlreadyInBase(base=base) if commit == base else Updated(commit=commit, base=base)

    async def _prepare(self, commit: NewCommit) -> Sha:
        prepared = await replace(commit, message=_PREPARED).write(self.git, self.git_dir)
        await self._ref(CONFLICTS, prepared)
        await self.reset(prepared)
        return prepared

    async def _keep(self, commit: NewCommit, *, of: Sha | None = None) -> Sha:
        """`of`: what it is a copy of."""
        made = await commit.write(self.git, self.git_dir)
        await self._ref(_UPDATES if of is None or of in self.ours else COPIES, made)
        return made

    async def _ref(self, folder: str, commit: Sha) -> None:
        name = f"{refs_of(self.workspace)}/{folder.strip('/')}/{commit}"
        await self.git("update-ref", name, commit, git_dir=self.git_dir)

    async def _must_be_above(self, prepared: Sha, solved: Sha) -> None:
        question = ("merge-base", "--is-ancestor", prepared, solved)
        if (await self.git(*question, git_dir=self.git_dir, accept=(0, 1, 128))).code != 0:
            raise Defect(f"{solved[:12]} does not come from the prepared conflict {prepared[:12]}")

    def _merging(self, sides: Sides) -> Merging:
        return Merging(git=self.git, git_dir=self.git_dir, work_tree=self.workspace.path, sides=sides)

    @property
    def git_dir(self) -> Path:
        return git_dir_of(self.workspace)

    async def _read(self, commit: Sha) -> CommitObject:
        return await read_commit(self.git, self.git_dir, commit)


def _copy(found: CommitObject, *, tree: Sha, tip: Sha, at: int) -> NewCommit:
    """Author and message stay. A signature goes: it was of other contents."""
    return NewCommit(
        tree=tree, parents=(tip,), message=found.message, at=at, author=found.author, encoding=found.encoding
    )


def _words(message: str) -> bytes:
    return f"{message.strip()}\n".encode()
