"""The `Workspaces` port: one worktree per case, made from the repository's mirror, rebuilt when lost.

layout.py says where it lies. Nothing of a case is only here but its running turn.
"""

import shutil
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from caseworker.core.base.errors import Defect, Refused
from caseworker.core.base.ids import CaseId, Sha, slug
from caseworker.core.base.repositories import RepositoryRef
from caseworker.core.ecosystems.plan_parts import Plan
from caseworker.core.evidence.missing_parts import MissingPart
from caseworker.ports import Git, GitAnswer, Joined, Source, Workspace
from caseworker.workspaces.blocking_work import in_thread
from caseworker.workspaces.build_plans import BuildPlans
from caseworker.workspaces.checkpoints import write_tree
from caseworker.workspaces.commits import Commits, Kept
from caseworker.workspaces.comparisons import compare, conflicting_files, files_of_people
from caseworker.workspaces.folders import (
    has_any,
    is_tied,
    make_readable,
    put_right,
    remove_folder,
    remove_ours,
    tie_to_git_dir,
)
from caseworker.workspaces.git import SafeGit
from caseworker.workspaces.git_views import lay_view, show
from caseworker.workspaces.indexes import Indexes
from caseworker.workspaces.kept_recipes import KeptRecipes
from caseworker.workspaces.layout import (
    Place,
    clear_stale_locks,
    git_dir_of,
    known_branch,
    lay_git_dir,
    refs_of,
    remember,
    workspace_at,
)
from caseworker.workspaces.lfs_files import lay_lfs_files
from caseworker.workspaces.locks import locked
from caseworker.workspaces.merge import Merging
from caseworker.workspaces.mirrors import OURS, Mirrors
from caseworker.workspaces.mount_points import lay_mount_points, remove_placeholders
from caseworker.workspaces.side_trees import destroy, side_folder, side_git_dirs, side_name, side_slug
from caseworker.workspaces.submodules import lay_submodules
from caseworker.workspaces.untouched import Left, Untouched

_CHANGED = 20_000
"""Paths that are kept, of all pairs of commits together: what differs between two commits never changes."""
_DIFFS = 2 << 20
"""Characters of diffs that are kept: a change is asked for by several checks and by its review."""
_KEPT_REF = "kept"
"""The last part of the name of the ref that keeps the unmerged work of a closed case."""


class GitWorkspaces:
    def __init__(
        self, home: Path, *, source: Source, git: Git | None = None, lock_seconds: float = 60, walls: bool = False
    ) -> None:
        """`source`: where repositories are fetched from. `walls`: what may only read a worktree can't write to it."""
        self._home = home.resolve()  # the sandbox mounts the worktree under this very name
        self._git = git or SafeGit()
        self._mirrors = Mirrors(self._home / "mirrors", source=source, git=self._git)
        self._commits = Commits(self._git)
        self._plans = BuildPlans(self._commits, KeptRecipes(self._home))
        self._sound: set[Path] = set()
        """Worktrees whose HEAD was seen to be there. It is written by us alone, so one look by each process will do."""
        self._changed: Kept[Sequence[str]] = Kept(_CHANGED, weigh=len)
        self._diffs: Kept[str] = Kept(_DIFFS, weigh=len)
        self._untouched = Untouched()
        self._indexes = Indexes()
        self._lock_seconds = lock_seconds
        self._walls = walls

    def hold(self, case: CaseId) -> AbstractAsyncContextManager[None]:
        busy = f"another attempt at {case} has held its workspace for {self._lock_seconds:.0f} s."
        return locked(self._folder(case) / "lock", seconds=self._lock_seconds, busy=busy)

    async def prepare(
        self, case: CaseId, repository: RepositoryRef, base: Sha | None, *, base_branch: str | None = None
    ) -> Workspace:
        place = Place(slug=slug(case), folder=self._folder(case), mirror=self._mirrors.of(repository))
        self._untouched.doubt(place.tree)
        known = known_branch(place, base)
        branch = base_branch or known
        if branch is not None and branch == known and base is not None and await self._is_intact(place):
            return workspace_at(case, place, base, branch, history=self._mirrors.history(place.mirror, branch))
        if branch is None or base is None or not await self._mirrors.has(place.mirror, base):
            head = await self._mirrors.renew(repository)
            branch, base = base_branch or head.branch, base or head.commit
            if base != head.commit and not await self._mirrors.has(place.mirror, base):
                raise Refused(f"{repository} no longer has the commit {base[:12]} that {case} started from.")
        await self._git("update-ref", f"{place.refs}/base", base, git_dir=place.mirror)
        lay_git_dir(place, base)
        history = await self._mirrors.keep_history(place.mirror, branch, base)
        parts = await self._commits.missing_parts(place.mirror, base)
        (await lay_submodules(self._git, self._home, repository, (place.mirror, base), parts)).write(place.folder)
        (await lay_lfs_files(self._git, self._home, repository, parts)).write(place.folder)
        workspace = workspace_at(case, place, base, branch, history=history)
        await self.reset(workspace, base, scrub=True)
        tags = await self._mirrors.tags(place.mirror, branch, base)
        lay_view(place, history=history, branch=branch, base=base, tags=tags)
        remember(place, base, branch)
        self._sound.add(place.git_dir)
        return workspace

    async def reset(self, workspace: Workspace, commit: Sha, *, scrub: bool) -> None:
        git_dir = git_dir_of(workspace)
        left = self._untouched.take(workspace.path)
        clear_stale_locks(git_dir)
        await self._tie(workspace.path, git_dir)
        if left is None or not left.will_do(commit, scrub=scrub):
            await self._reset(workspace, git_dir, commit, scrub=scrub)
            left = Left(commit=commit, scrubbed=scrub)
        elif has_any(workspace.path, OURS):
            await in_thread(remove_ours, workspace.path, await self._commits.names(git_dir, commit), OURS)
        await show(self._git, workspace, commit)
        self._untouched.leave(workspace.path, left)
        if workspace.equipment.search_path:
            await in_thread(lay_mount_points, workspace)

    async def take_back(self, workspace: Workspace, commit: Sha, paths: Sequence[str]) -> None:
        listed = "\0".join(paths).encode(errors="surrogateescape")
        restore = ("--literal-pathspecs", "restore", f"--source={commit}", "--worktree")
        named = ("--pathspec-from-file=-", "--pathspec-file-nul")
        await self._git(*restore, *named, stdin=listed, git_dir=git_dir_of(workspace), work_tree=workspace.path)

    def untouched(self, workspace: Workspace) -> None:
        if self._walls:
            self._untouched.say(workspace.path)

    async def _reset(self, workspace: Workspace, git_dir: Path, commit: Sha, *, scrub: bool) -> None:
        try:
            await self._restore(workspace, commit, scrub=scrub)
        except (Refused, OSError):
            # Folders without permissions, or nested deeper than git can follow. The worktree is only a cache.
            await in_thread(remove_folder, workspace.path)
            await self._tie(workspace.path, git_dir)
            await self._restore(workspace, commit, scrub=scrub)

    async def commit(self, workspace: Workspace, message: str, *, parent: Sha, name: str) -> Sha:
        git_dir = git_dir_of(workspace)
        await in_thread(make_readable, workspace.path)
        await self._tie(workspace.path, git_dir)
        if workspace.equipment.search_path:
            await in_thread(remove_placeholders, workspace, set(await self._commits.names(git_dir, parent)))
        if not self._indexes.holds(git_dir, parent):
            await self._in(workspace, "read-tree", "--reset", parent)  # file times stay where contents agree
        written = await write_tree(self._git, git_dir=git_dir, work_tree=workspace.path, parent=parent)
        if written is None or written.tree == await self._commits.tree(git_dir, parent):
            return parent
        words = message.encode()
        made = await self._git("commit-tree", written.tree, "-p", parent, "-F", "-", stdin=words, git_dir=git_dir)
        both = f"update {refs_of(workspace)}/{name} {made.text}\noption no-deref\nupdate HEAD {made.text}\n"
        await self._git("update-ref", "--stdin", stdin=both.encode(), git_dir=git_dir)
        commit = Sha(made.text)
        self._commits.learn(commit, written, parent=parent)
        if written.whole:
            self._changed.keep(Sha(f"{parent}..{commit}"), written.changed)
        await show(self._git, workspace, commit)
        return commit

    async def diff(self, workspace: Workspace, old: Sha, new: Sha) -> str:
        pair = Sha(f"{old}..{new}")
        if (known := self._diffs.get(pair)) is None:
            answer = await compare(self._git, git_dir_of(workspace), old, new)
            known = self._diffs.keep(pair, answer.output.decode(errors="replace"))
        return known

    async def changed(self, workspace: Workspace, old: Sha, new: Sha) -> list[str]:
        pair = Sha(f"{old}..{new}")
        if (known := self._changed.get(pair)) is None:
            answer = await compare(self._git, git_dir_of(workspace), old, new, "--name-only", "-z", "--no-renames")
            paths = [path for path in answer.output.decode(errors="replace").split("\0") if path]
            known = self._changed.keep(pair, paths)
        return list(known)

    async def changed_by_people(self, workspace: Workspace, old: Sha, new: Sha) -> list[str]:
        ours = self._commits.were_made_here(old, new)
        return [] if ours else await files_of_people(self._git, git_dir_of(workspace), old, new)

    async def contains(self, workspace: Workspace, commit: Sha, other: Sha) -> bool:
        question = ("merge-base", "--is-ancestor", other, commit)
        return (await self._git(*question, git_dir=git_dir_of(workspace), accept=(0, 1, 128))).code == 0

    async def message(self, workspace: Workspace, commit: Sha) -> str:
        return (await self._git("log", "-1", "--format=%B", commit, git_dir=git_dir_of(workspace))).text

    async def conflicts(self, workspace: Workspace, commit: Sha, other: Sha) -> list[str]:
        return await conflicting_files(self._git, git_dir_of(workspace), commit, other)

    async def merge(self, workspace: Workspace, ours: Sha, theirs: Sha, *, since: Sha | None, message: str) -> Joined:
        if await self.contains(workspace, theirs, ours):
            return Joined(commit=theirs)
        git_dir = git_dir_of(workspace)
        common = await self._git("merge-base", ours, theirs, git_dir=git_dir, accept=(0, 1))
        known = since is not None and await self.contains(workspace, since, since)
        start = since if since is not None and known else Sha(common.text or workspace.base)
        await self.reset(workspace, ours, scrub=True)
        merging = Merging(git=self._git, git_dir=git_dir, work_tree=workspace.path)
        joined = await merging.join(ours, theirs, since=start, message=message)
        if joined.commit != theirs:
            await self._git("update-ref", f"{refs_of(workspace)}/with-{theirs[:12]}", joined.commit, git_dir=git_dir)
        return joined

    async def texts(self, workspace: Workspace, commit: Sha, paths: Sequence[str]) -> dict[str, str | None]:
        return await self._commits.texts(git_dir_of(workspace), commit, paths)

    async def build_files(self, workspace: Workspace, commit: Sha) -> dict[str, str]:
        return await self._plans.files(git_dir_of(workspace), commit)

    async def plan(self, workspace: Workspace) -> Plan:
        return await self._plans.of(git_dir_of(workspace), workspace.base)

    async def missing_parts(self, workspace: Workspace) -> list[MissingPart]:
        return [*await self._commits.missing_parts(git_dir_of(workspace), workspace.base)]

    def keep_recipe(self, workspace: Workspace, text: str) -> None:
        self._plans.keep_recipe(git_dir_of(workspace), text)

    async def branch_off(self, workspace: Workspace, name: str, commit: Sha) -> Workspace:
        case, mirror = workspace.case, git_dir_of(workspace).parent.parent
        place = Place(slug=side_slug(case, name), folder=side_folder(self._folder(case), name), mirror=mirror)
        await in_thread(destroy, place.folder, place.git_dir)
        if not await self._mirrors.has(mirror, commit):
            raise Refused(f"{case} has no commit {commit[:12]} to branch off from.", todo="Name one of its commits.")
        branch = workspace.base_branch
        history = self._mirrors.history(mirror, branch)
        made = workspace_at(case, place, workspace.base, branch, history=history)
        try:
            await self._git("update-ref", f"{refs_of(made)}/start", commit, git_dir=mirror)
            lay_git_dir(place, commit)
            await self.reset(made, commit, scrub=True)
            tags = await self._mirrors.tags(mirror, branch, workspace.base)
            lay_view(place, history=history, branch=branch, base=workspace.base, tags=tags)
            await show(self._git, made, commit)
        except BaseException:
            await self.drop(made)  # a cancelled caller never hears of the tree
            raise
        return made

    async def drop(self, workspace: Workspace) -> None:
        name = side_name(workspace)
        if name is None:
            raise Defect(f"{workspace.path} is no side tree of {workspace.case}")
        self._untouched.forget(workspace.path)
        self._indexes.forget(git_dir_of(workspace))
        await in_thread(destroy, side_folder(self._folder(workspace.case), name), git_dir_of(workspace))

    async def remove(self, case: CaseId, *, keep: Sha | None = None) -> None:
        for mirror in self._mirrors.all():
            place = Place(slug=slug(case), folder=self._folder(case), mirror=mirror)
            refs = (await self._git("for-each-ref", "--format=%(refname)", f"{place.refs}/", git_dir=mirror)).text
            if refs:
                kept = f"{place.refs}/{_KEPT_REF}"
                gone = [f"delete {ref}\n" for ref in refs.splitlines() if keep is None or ref != kept]
                both = "".join([*gone, *([f"update {kept} {keep}\n"] if keep is not None else [])])
                await self._git("update-ref", "--stdin", stdin=both.encode(), git_dir=mirror)
            self._sound.discard(place.git_dir)
            self._untouched.forget(place.tree)
            self._indexes.forget(place.git_dir)
            for git_dir in (place.git_dir, *side_git_dirs(mirror, case)):
                await in_thread(shutil.rmtree, git_dir, ignore_errors=True)
        await in_thread(remove_folder, self._folder(case))

    async def _restore(self, workspace: Workspace, commit: Sha, *, scrub: bool) -> None:
        await self._in(workspace, "reset", "--hard", "--quiet", commit)
        self._indexes.note(git_dir_of(workspace), commit)
        tracked = await self._commits.names(git_dir_of(workspace), commit)
        if await in_thread(put_right, workspace.path, tracked, OURS, scrub=scrub):
            await self._in(workspace, "clean", "-ffdq")

    async def _tie(self, tree: Path, git_dir: Path) -> None:
        if not is_tied(tree, git_dir):
            await in_thread(tie_to_git_dir, tree, git_dir)

    async def _in(self, workspace: Workspace, *arguments: str) -> GitAnswer:
        return await self._git(*arguments, git_dir=git_dir_of(workspace), work_tree=workspace.path)

    async def _is_intact(self, place: Place) -> bool:
        if not (place.tree.is_dir() and (place.git_dir / "index").is_file() and (place.view / "HEAD").is_file()):
            return False
        await self._tie(place.tree, place.git_dir)
        if place.git_dir not in self._sound:
            question = ("rev-parse", "-q", "--verify", "HEAD^{commit}")
            if (await self._git(*question, git_dir=place.git_dir, accept=(0, 1, 128))).code != 0:
                return False
            self._sound.add(place.git_dir)
        return True

    def _folder(self, case: CaseId) -> Path:
        return self._home / "workspaces" / slug(case)
