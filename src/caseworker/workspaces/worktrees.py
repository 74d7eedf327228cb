"""The `Workspaces` port: one worktree per case, made from the repository's mirror, rebuilt when lost.

Laid out under `home`: mirrors/<name>-<hash>.git, and workspaces/<case>/ with `tree` (the worktree), `gitview` (what the
sandbox sees of the mirror), `workspace.json`, `lock` and `side` (see side_trees.py). Nothing of a case is only here but
its running turn.
"""

import json
import re
import shutil
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

from caseworker.core.base.errors import Defect, Refused
from caseworker.core.base.ids import CaseId, Sha, slug
from caseworker.ports import Git, GitAnswer, Joined, Workspace
from caseworker.workspaces.checkpoints import write_tree
from caseworker.workspaces.commits import Commits, Kept
from caseworker.workspaces.folders import (
    has_any,
    is_tied,
    make_readable,
    put_right,
    remove_folder,
    remove_ours,
    tie_to_git_dir,
)
from caseworker.workspaces.git import COMMITTER, SafeGit
from caseworker.workspaces.indexes import Indexes
from caseworker.workspaces.locks import locked
from caseworker.workspaces.merge import Merging
from caseworker.workspaces.mirrors import OURS, Mirrors, RepositoryFacts, look
from caseworker.workspaces.side_trees import destroy, side_folder, side_git_dirs, side_name, side_slug
from caseworker.workspaces.texts import read_texts
from caseworker.workspaces.threads import in_thread
from caseworker.workspaces.untouched import Left, Untouched
from caseworker.workspaces.views import lay_view

_CHANGED = 20_000
"""Paths that are kept, of all pairs of commits together: what differs between two commits never changes."""
_KEPT_REF = "kept"
"""Of a case that is over: the work that nobody has merged."""
_NOT_OURS = ("--", ".", *(f":(top,exclude){name}" for name in OURS))


@dataclass(frozen=True, kw_only=True)
class _Place:
    """Where things of one case are."""

    slug: str
    folder: Path
    mirror: Path

    @property
    def tree(self) -> Path:
        return self.folder / "tree"

    @property
    def git_dir(self) -> Path:
        return self.mirror / "worktrees" / self.slug

    @property
    def view(self) -> Path:
        return self.folder / "gitview"

    @property
    def refs(self) -> str:
        return f"refs/caseworker/{_ref_name(self.slug)}"


class GitWorkspaces:
    def __init__(self, home: Path, *, git: Git | None = None, lock_seconds: float = 60, walls: bool = False) -> None:
        """`walls`: what may only read a worktree can't write to it."""
        self._home = home.resolve()  # the sandbox mounts the worktree under this very name
        self._git = git or SafeGit()
        self._mirrors = Mirrors(self._home / "mirrors", self._git)
        self._commits = Commits(self._git)
        self._sound: set[Path] = set()
        """Worktrees whose HEAD was seen to be there. It is written by us alone, so one look by each process will do."""
        self._changed: Kept[Sequence[str]] = Kept(_CHANGED, weigh=len)
        self._untouched = Untouched()
        self._indexes = Indexes()
        self._lock_seconds = lock_seconds
        self._walls = walls

    async def look(self, repository: Path) -> RepositoryFacts:
        return await look(repository, self._git)

    def hold(self, case: CaseId) -> AbstractAsyncContextManager[None]:
        busy = f"another attempt at {case} has held its workspace for {self._lock_seconds:.0f} s."
        return locked(self._folder(case) / "lock", seconds=self._lock_seconds, busy=busy)

    async def prepare(self, case: CaseId, repository: Path, base: Sha | None) -> Workspace:
        place = self._place(case, repository)
        self._untouched.doubt(place.tree)
        branch = _known_branch(place, base)
        if branch is not None and base is not None and await self._is_intact(place):
            return _workspace(case, place, base, branch)
        if branch is None or base is None or not await self._mirrors.has(place.mirror, base):
            facts = await self._mirrors.renew(repository)
            branch, base = facts.default_branch, base or facts.head
            if base != facts.head and not await self._mirrors.has(place.mirror, base):
                raise Refused(f"{repository} no longer has the commit {base[:12]} that {case} started from.")
        await self._git("update-ref", f"{place.refs}/base", base, git_dir=place.mirror)
        _lay_git_dir(place, base)
        workspace = _workspace(case, place, base, branch)
        await self.reset(workspace, base, scrub=True)
        lay_view(place.view, mirror=place.mirror, name=place.slug, branch=branch, base=base)
        _remember(place, base, branch)
        self._sound.add(place.git_dir)
        return workspace

    async def reset(self, workspace: Workspace, commit: Sha, *, scrub: bool) -> None:
        git_dir = _git_dir(workspace)
        left = self._untouched.take(workspace.path)
        _clear_stale_locks(git_dir)
        await self._tie(workspace.path, git_dir)
        if left is None or not left.will_do(commit, scrub=scrub):
            await self._reset(workspace, git_dir, commit, scrub=scrub)
            left = Left(commit=commit, scrubbed=scrub)
        elif has_any(workspace.path, OURS):
            await in_thread(remove_ours, workspace.path, await self._commits.names(git_dir, commit), OURS)
        self._untouched.leave(workspace.path, left)

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
        git_dir = _git_dir(workspace)
        await in_thread(make_readable, workspace.path)
        await self._tie(workspace.path, git_dir)
        if not self._indexes.holds(git_dir, parent):
            await self._in(workspace, "read-tree", "--reset", parent)  # file times stay where contents agree
        written = await write_tree(self._git, git_dir=git_dir, work_tree=workspace.path, parent=parent)
        if written is None or written.tree == await self._commits.tree(git_dir, parent):
            return parent
        words = message.encode()
        made = await self._git("commit-tree", written.tree, "-p", parent, "-F", "-", stdin=words, git_dir=git_dir)
        both = f"update {_refs(workspace)}/{name} {made.text}\noption no-deref\nupdate HEAD {made.text}\n"
        await self._git("update-ref", "--stdin", stdin=both.encode(), git_dir=git_dir)
        commit = Sha(made.text)
        self._commits.learn(commit, written, parent=parent)
        if written.whole:
            self._changed.keep(_pair(parent, commit), written.changed)
        return commit

    async def diff(self, workspace: Workspace, old: Sha, new: Sha) -> str:
        answer = await self._compare(workspace, old, new)
        return answer.output.decode(errors="replace")

    async def changed(self, workspace: Workspace, old: Sha, new: Sha) -> list[str]:
        pair = _pair(old, new)
        if (known := self._changed.get(pair)) is None:
            answer = await self._compare(workspace, old, new, "--name-only", "-z", "--no-renames")
            paths = [path for path in answer.output.decode(errors="replace").split("\0") if path]
            known = self._changed.keep(pair, paths)
        return list(known)

    async def changed_by_people(self, workspace: Workspace, old: Sha, new: Sha) -> list[str]:
        git_dir = _git_dir(workspace)
        log = ("log", "--no-merges", "--no-show-signature", "--format=%H %ce", f"{old}..{new}")
        commits = [line.split(" ", 1) for line in (await self._git(*log, git_dir=git_dir)).text.splitlines()]
        theirs = "".join(f"{commit}\n" for commit, committer in commits if committer != COMMITTER)
        names = ("diff-tree", "--stdin", "-r", "-z", "--name-only", "--no-commit-id", "--no-renames")
        answer = await self._git(*names, stdin=theirs.encode(), git_dir=git_dir)
        return sorted({path for path in answer.output.decode(errors="replace").split("\0") if path})

    async def contains(self, workspace: Workspace, commit: Sha, other: Sha) -> bool:
        question = ("merge-base", "--is-ancestor", other, commit)
        return (await self._git(*question, git_dir=_git_dir(workspace), accept=(0, 1, 128))).code == 0

    async def merge(self, workspace: Workspace, ours: Sha, theirs: Sha, *, since: Sha | None, message: str) -> Joined:
        if await self.contains(workspace, theirs, ours):
            return Joined(commit=theirs)
        git_dir = _git_dir(workspace)
        common = await self._git("merge-base", ours, theirs, git_dir=git_dir, accept=(0, 1))
        known = since is not None and await self.contains(workspace, since, since)
        start = since if since is not None and known else Sha(common.text or workspace.base)
        await self.reset(workspace, ours, scrub=True)
        merging = Merging(git=self._git, git_dir=git_dir, work_tree=workspace.path)
        joined = await merging.join(ours, theirs, since=start, message=message)
        if joined.commit != theirs:
            await self._git("update-ref", f"{_refs(workspace)}/with-{theirs[:12]}", joined.commit, git_dir=git_dir)
        return joined

    async def texts(self, workspace: Workspace, commit: Sha, paths: Sequence[str]) -> dict[str, str | None]:
        there = set(await self._commits.names(_git_dir(workspace), commit))
        return await read_texts(self._git, _git_dir(workspace), commit, [path for path in paths if path in there])

    async def build_files(self, workspace: Workspace, commit: Sha) -> dict[str, str]:
        return await self._commits.build_files(_git_dir(workspace), commit)

    async def branch_off(self, workspace: Workspace, name: str, commit: Sha) -> Workspace:
        case, mirror = workspace.case, _git_dir(workspace).parent.parent
        place = _Place(slug=side_slug(case, name), folder=side_folder(self._folder(case), name), mirror=mirror)
        await in_thread(destroy, place.folder, place.git_dir)
        if not await self._mirrors.has(mirror, commit):
            raise Refused(f"{case} has no commit {commit[:12]} to branch off from.", todo="Name one of its commits.")
        made = _workspace(case, place, workspace.base, workspace.base_branch)
        try:
            await self._git("update-ref", f"{_refs(made)}/start", commit, git_dir=mirror)
            _lay_git_dir(place, commit)
            await self.reset(made, commit, scrub=True)
            branch = workspace.base_branch
            lay_view(place.view, mirror=mirror, name=place.slug, branch=branch, base=workspace.base)
        except BaseException:
            await self.drop(made)  # whoever is cancelled here never hears of the tree
            raise
        return made

    async def drop(self, workspace: Workspace) -> None:
        name = side_name(workspace)
        if name is None:
            raise Defect(f"{workspace.path} is no side tree of {workspace.case}")
        self._untouched.forget(workspace.path)
        self._indexes.forget(_git_dir(workspace))
        await in_thread(destroy, side_folder(self._folder(workspace.case), name), _git_dir(workspace))

    async def remove(self, case: CaseId, *, keep: Sha | None = None) -> None:
        for mirror in self._mirrors.all():
            place = _Place(slug=slug(case), folder=self._folder(case), mirror=mirror)
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
        self._indexes.note(_git_dir(workspace), commit)
        tracked = await self._commits.names(_git_dir(workspace), commit)
        if await in_thread(put_right, workspace.path, tracked, OURS, scrub=scrub):
            await self._in(workspace, "clean", "-ffdq")

    async def _tie(self, tree: Path, git_dir: Path) -> None:
        if not is_tied(tree, git_dir):
            await in_thread(tie_to_git_dir, tree, git_dir)

    async def _compare(self, workspace: Workspace, old: Sha, new: Sha, *how: str) -> GitAnswer:
        options = ("--no-ext-diff", "--no-textconv", "--no-color", *how)
        # The worktree may be lost; the commits are not.
        return await self._git("diff", *options, old, new, *_NOT_OURS, git_dir=_git_dir(workspace), work_tree=Path("/"))

    async def _in(self, workspace: Workspace, *arguments: str) -> GitAnswer:
        return await self._git(*arguments, git_dir=_git_dir(workspace), work_tree=workspace.path)

    async def _is_intact(self, place: _Place) -> bool:
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

    def _place(self, case: CaseId, repository: Path) -> _Place:
        return _Place(slug=slug(case), folder=self._folder(case), mirror=self._mirrors.of(repository))


def _workspace(case: CaseId, place: _Place, base: Sha, branch: str) -> Workspace:
    # The view stands where git looks for the mirror; of the mirror itself only the objects and this worktree's own
    # folder show through. Objects are shared by all cases of one repository: whoever knows a commit's name can read it,
    # but no name of another case's commit can be seen.
    shown = (place.mirror / "objects", place.git_dir)
    overlays = ((place.view, place.mirror), *((path, path) for path in shown))
    return Workspace(
        case=case, path=place.tree, base=base, base_branch=branch, git_dir=place.git_dir, overlays=overlays
    )


def _git_dir(workspace: Workspace) -> Path:
    if workspace.git_dir is None:
        raise Refused(f"the workspace of {workspace.case} was not prepared here.")
    return workspace.git_dir


def _pair(old: Sha, new: Sha) -> Sha:
    return Sha(f"{old}..{new}")


def _refs(workspace: Workspace) -> str:
    """Under which its commits are kept: those of a side tree never take the name of one of the first tree's."""
    refs, side = f"refs/caseworker/{_ref_name(slug(workspace.case))}", side_name(workspace)
    return refs if side is None else f"{refs}/side/{side}"


def _lay_git_dir(place: _Place, commit: Sha) -> None:
    """What `git worktree add` would write, under a name of ours instead of tree, tree1, tree2..."""
    place.git_dir.mkdir(parents=True, exist_ok=True)
    place.tree.mkdir(parents=True, exist_ok=True)
    _clear_stale_locks(place.git_dir)
    (place.git_dir / "index").unlink(missing_ok=True)
    for name, text in {"HEAD": commit, "commondir": "../..", "gitdir": str(place.tree / ".git")}.items():
        (place.git_dir / name).write_text(f"{text}\n")


def _clear_stale_locks(git_dir: Path) -> None:
    """Left by a git that was killed. The caller holds the case, so nobody else is at work here."""
    for name in ("index.lock", "HEAD.lock"):
        (git_dir / name).unlink(missing_ok=True)


def _remember(place: _Place, base: Sha, branch: str) -> None:
    fresh = place.folder / "workspace.json.new"
    fresh.write_text(json.dumps({"mirror": place.mirror.name, "base": base, "base_branch": branch}))
    fresh.replace(place.folder / "workspace.json")


def _known_branch(place: _Place, base: Sha | None) -> str | None:
    try:
        known = json.loads((place.folder / "workspace.json").read_text())
    except (OSError, ValueError):
        return None
    if known.get("mirror") != place.mirror.name or (base is not None and known.get("base") != base):
        return None
    return str(known["base_branch"])


def _ref_name(name: str) -> str:
    """Folders may hold what refs may not: two dots in a row, or `.lock` at the end."""
    return re.sub(r"\.(?=\.)|\.(?=lock$)", ".-", name)
