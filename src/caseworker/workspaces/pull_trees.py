"""The `PullBranches` port: a pull request's branch in the worktree of its case."""

from collections.abc import Collection
from pathlib import Path

from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.ids import CaseId, Sha
from caseworker.core.pull.branch_updates import BranchCommit, Conflict, FinishResult, UpdateResult
from caseworker.core.pull.own_commits import MADE_REFS, is_ours, kept_commits
from caseworker.ports import Git, PullUpdate, Source, Workspaces
from caseworker.ports.pull_branches import PullPlace, PullTree
from caseworker.workspaces.branch_update import CONFLICTS, BranchUpdate
from caseworker.workspaces.layout import git_dir_of, refs_of
from caseworker.workspaces.mirrors import Mirrors
from caseworker.workspaces.same_change import is_same_change

_FIELDS = ("%H", "%P", "%ae", "%ce", "%an <%ae>", "%cn <%ce>", "%s")
_COMMIT = "%x00".join(_FIELDS)


class GitPullBranches:
    def __init__(self, home: Path, *, source: Source, workspaces: Workspaces, git: Git) -> None:
        """`home`: the same as of the workspaces, with which the mirrors are shared."""
        self._mirrors = Mirrors(home.resolve() / "mirrors", source=source, git=git)
        self._source = source
        self._workspaces = workspaces
        self._git = git

    async def checkout(
        self, case: CaseId, place: PullPlace, *, head: Sha | None = None, pushed: Collection[Sha] = ()
    ) -> PullTree:
        mirror = self._mirrors.of(place.repository)
        await self._mirrors.renew(place.repository)
        base = await self._tip(mirror, f"refs/remotes/origin/{place.base_branch}")
        if base is None:
            raise Refused(f"{place.repository} has no branch {place.base_branch}, the base of {place.number}.")
        found = await self._head(mirror, place)
        if head is not None and found != head:
            raise Transient(f"Pull request {place.number} is at {found[:12]}, not at {head[:12]}.")
        common = await self._git("merge-base", found, base, git_dir=mirror, accept=(0, 1))
        if common.code != 0:
            raise Refused(f"Pull request {place.number} and its base {place.base_branch} have no common history.")
        # Git names one of several merge bases; which, depends on the commits alone.
        since = Sha(common.text.splitlines()[0])
        workspace = await self._workspaces.prepare(case, place.repository, since, base_branch=place.base_branch)
        await self._workspaces.reset(workspace, found, scrub=True)
        return PullTree(place=place, workspace=workspace, head=found, base=base, pushed=frozenset(pushed))

    async def commits_of(self, tree: PullTree) -> list[BranchCommit]:
        return await self._commits(tree, tree.head)

    async def rebase(self, tree: PullTree) -> UpdateResult:
        update = await self._update(tree)
        return await update.rebase(tree.head, tree.base, since=tree.merge_base)

    async def merge_in(self, tree: PullTree, *, message: str) -> UpdateResult:
        update = await self._update(tree)
        return await update.merge_in(tree.head, tree.base, since=tree.merge_base, message=message)

    async def finish_conflict(self, tree: PullTree, conflict: Conflict, solved: Sha, *, message: str) -> FinishResult:
        update = await self._update(tree)
        return await update.finish(conflict, solved, message=message)

    async def same_change(self, tree: PullTree, *, old_base: Sha, old_head: Sha, new_base: Sha, new_head: Sha) -> bool:
        git_dir = git_dir_of(tree.workspace)
        return await is_same_change(self._git, git_dir, (old_base, old_head), (new_base, new_head))

    async def keep(self, case: CaseId, place: PullPlace, commit: Sha, *, since: Sha) -> str:
        workspace = await self._workspaces.prepare(case, place.repository, since, base_branch=place.base_branch)
        branch = place.repository.branch_beside(place.number, commit)
        await self._source.push(place.repository, workspace, commit, branch=branch, expected=None)
        return branch

    async def push(self, tree: PullTree, commit: Sha, *, copies: bool = False) -> list[BranchCommit]:
        place = tree.place
        await self._refuse_what_is_never_pushed(tree, commit)
        update = PullUpdate(base=place.base_branch, ours=tree.pushed, may_copy=copies)
        await self._source.push(
            place.repository, tree.workspace, commit, branch=place.branch, expected=tree.head, update=update
        )
        return [one for one in await self._commits(tree, commit) if one.is_ours]

    async def _refuse_what_is_never_pushed(self, tree: PullTree, commit: Sha) -> None:
        number = tree.place.number
        if tree.place.is_fork:
            raise Refused(
                f"Pull request {number} comes from a fork; Caseworker does not push there.",
                todo="Its contributor can merge the base in.",
            )
        if await self._is_in(tree, commit, tree.base):
            raise Refused(f"Nothing would be left of pull request {number}: {tree.place.base_branch} has all of it.")
        refs = f"{refs_of(tree.workspace)}/{CONFLICTS}/"
        prepared = (await self._run(tree, "for-each-ref", "--format=%(objectname)", f"--merged={commit}", refs)).strip()
        if prepared:
            raise Refused(f"{commit[:12]} is a conflict that nobody has finished.")

    async def _is_in(self, tree: PullTree, commit: Sha, other: Sha) -> bool:
        question = ("merge-base", "--is-ancestor", commit, other)
        return (await self._git(*question, git_dir=git_dir_of(tree.workspace), accept=(0, 1))).code == 0

    async def _commits(self, tree: PullTree, head: Sha) -> list[BranchCommit]:
        recorded = kept_commits(await self._run(tree, *MADE_REFS)) | tree.pushed
        how = ("log", "--reverse", "--topo-order", "--no-show-signature", f"--format={_COMMIT}")
        lines = (await self._run(tree, *how, f"{tree.base}..{head}")).split("\n")
        return [_commit(line.split("\0"), recorded) for line in lines if line]

    async def _head(self, mirror: Path, place: PullPlace) -> Sha:
        """The branch itself, which is what a push moves: GitHub's own ref of the pull request may be older."""
        ref = f"refs/remotes/origin/{place.branch}"
        if place.is_fork:
            ref = f"refs/pulls/{place.number}"
            async with self._mirrors.lock(mirror):
                await self._source.fetch(place.repository, mirror, [f"+refs/pull/{place.number}/head:{ref}"])
        found = await self._tip(mirror, ref)
        if found is None:
            raise Refused(f"The branch {place.branch} of pull request {place.number} is gone.")
        return found

    async def _tip(self, mirror: Path, ref: str) -> Sha | None:
        answer = await self._git("rev-parse", "-q", "--verify", f"{ref}^{{commit}}", git_dir=mirror, accept=(0, 1))
        return Sha(answer.text) if answer.code == 0 else None

    async def _update(self, tree: PullTree) -> BranchUpdate:
        async def reset(commit: Sha) -> None:
            await self._workspaces.reset(tree.workspace, commit, scrub=True)

        return BranchUpdate(
            git=self._git,
            workspace=tree.workspace,
            reset=reset,
            ours=frozenset(one.sha for one in await self.commits_of(tree) if one.is_ours),
        )

    async def _run(self, tree: PullTree, *arguments: str) -> str:
        return (await self._git(*arguments, git_dir=git_dir_of(tree.workspace))).text


def _commit(fields: list[str], recorded: frozenset[Sha]) -> BranchCommit:
    sha, parents, author_address, address, author, committer, subject = fields
    return BranchCommit(
        sha=Sha(sha),
        author=author,
        committer=committer,
        subject=subject,
        is_merge=" " in parents,
        is_ours=is_ours(Sha(sha), (author_address, address), recorded),
    )
