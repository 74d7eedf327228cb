"""Names and removes side trees: further worktrees of a case, for diagnostics and bisecting.

A side tree is workspaces/<case>/side/<name>/ with `tree` and `gitview`, and <mirror>/worktrees/<case>+<name> (no case
has a plus in its name). worktrees.py makes it, in the same way as the case's first worktree.
"""

import re
import shutil
from pathlib import Path

from caseworker.core.base.errors import Defect
from caseworker.core.base.ids import CaseId, slug
from caseworker.ports import Workspace
from caseworker.workspaces.folders import remove_folder

_NAME = re.compile(r"[A-Za-z0-9][\w-]{0,99}", re.ASCII)
_SIDE = "+"
SIDE = "side"


def side_slug(case: CaseId, name: str) -> str:
    if _NAME.fullmatch(name) is None:
        raise Defect(f"{name!r} can't name a side tree: letters, digits, _ and - only.")
    return f"{slug(case)}{_SIDE}{name}"


def side_folder(of_case: Path, name: str) -> Path:
    return of_case / SIDE / name


def side_name(workspace: Workspace) -> str | None:
    """The name of a side tree; None for the case's first worktree."""
    if workspace.git_dir is None:
        return None
    return workspace.git_dir.name.partition(_SIDE)[2] or None


def side_git_dirs(mirror: Path, case: CaseId) -> list[Path]:
    return sorted((mirror / "worktrees").glob(f"{slug(case)}{_SIDE}*"))


def destroy(folder: Path, git_dir: Path) -> None:
    """Removes the tree, its view and git's data about it (such as an unfinished bisect), but not its commits."""
    remove_folder(folder)
    shutil.rmtree(git_dir, ignore_errors=True)
