"""Where the things of one case lie on the disk, and what git needs to find there.

Under the home of the workspaces: mirrors/<name>-<hash>.git, and workspaces/<case>/ with `tree` (the worktree),
`gitview` (what the sandbox sees of the mirror), `workspace.json`, `lock` and `side` (see side_trees.py).
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId, Sha, slug
from caseworker.ports import Workspace
from caseworker.workspaces.environment_mounts import Attachment, equipped
from caseworker.workspaces.lfs_files import LfsFiles
from caseworker.workspaces.side_trees import SIDE, side_name
from caseworker.workspaces.submodules import Submodules


@dataclass(frozen=True, kw_only=True)
class Place:
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


def workspace_at(case: CaseId, place: Place, base: Sha, branch: str, *, history: Path) -> Workspace:
    # The view stands where git looks for the mirror; of the mirror itself only this worktree's own folder shows. The
    # view has the case's own commits, and borrows the base's history: no object of others is there.
    shown = (place.git_dir, history / "objects")
    of_case = place.folder.parent.parent if place.folder.parent.name == SIDE else place.folder
    parts = (*Submodules.of(of_case).overlays(place.tree), *LfsFiles.of(of_case).overlays(place.tree))
    overlays = ((place.view, place.mirror), *((path, path) for path in shown), *parts)
    plain = Workspace(
        case=case, path=place.tree, base=base, base_branch=branch, git_dir=place.git_dir, overlays=overlays
    )
    # A side tree sees the environment of its case.
    attachment = Attachment.of(of_case)
    return plain if attachment is None else equipped(plain, attachment, place.folder)


def view_of(workspace: Workspace) -> Path:
    return workspace.overlays[0][0]


def git_dir_of(workspace: Workspace) -> Path:
    if workspace.git_dir is None:
        raise Refused(f"the workspace of {workspace.case} was not prepared here.")
    return workspace.git_dir


def refs_of(workspace: Workspace) -> str:
    """Under which its commits are kept: those of a side tree never take the name of one of the first tree's."""
    refs, side = f"refs/caseworker/{_ref_name(slug(workspace.case))}", side_name(workspace)
    return refs if side is None else f"{refs}/side/{side}"


def lay_git_dir(place: Place, commit: Sha) -> None:
    """Writes what `git worktree add` would write, under a name of ours instead of tree, tree1, tree2..."""
    place.git_dir.mkdir(parents=True, exist_ok=True)
    place.tree.mkdir(parents=True, exist_ok=True)
    clear_stale_locks(place.git_dir)
    (place.git_dir / "index").unlink(missing_ok=True)
    for name, text in {"HEAD": commit, "commondir": "../..", "gitdir": str(place.tree / ".git")}.items():
        (place.git_dir / name).write_text(f"{text}\n")


def clear_stale_locks(git_dir: Path) -> None:
    """Removes locks that a killed git left. The caller holds the case, so no other git is at work here."""
    for name in ("index.lock", "HEAD.lock"):
        (git_dir / name).unlink(missing_ok=True)


def remember(place: Place, base: Sha, branch: str) -> None:
    fresh = place.folder / "workspace.json.new"
    fresh.write_text(json.dumps({"mirror": place.mirror.name, "base": base, "base_branch": branch}))
    fresh.replace(place.folder / "workspace.json")


def known_branch(place: Place, base: Sha | None) -> str | None:
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
