"""Makes the places in a worktree where parts of its environment are mounted, and takes empty ones away again."""

import os
from collections.abc import Collection, Iterator
from pathlib import Path

from caseworker.ports import Workspace
from caseworker.workspaces.lfs_files import is_lfs_mount


def mounted_inside(workspace: Workspace) -> Iterator[tuple[Path, Path]]:
    """(outside, inside) of what is mounted inside the worktree itself, but not over files of its own."""
    for outside, inside in workspace.overlays:
        if is_lfs_mount(outside):
            continue
        if inside != workspace.path and inside.is_relative_to(workspace.path) and _is_real(inside.parent):
            yield outside, inside


def _is_real(folder: Path) -> bool:
    """Whether no link is on the way to it: a change may put one there, and it may lead out of the worktree."""
    return Path(os.path.realpath(folder)) == folder


def not_hiding(workspace: Workspace) -> tuple[tuple[Path, Path], ...]:
    """Its mounts without those over files of the worktree: a change may add what set-up made on the base."""
    own = [pair for pair in workspace.overlays if is_lfs_mount(pair[0]) or not pair[1].is_relative_to(workspace.path)]
    free = [pair for pair in mounted_inside(workspace) if not _has_content(pair[1])]
    return (*own, *free)


def _has_content(path: Path) -> bool:
    if path.is_symlink():
        return True
    return any(path.iterdir()) if path.is_dir() else path.is_file() and path.stat().st_size > 0


def lay_mount_points(workspace: Workspace) -> None:
    """A worktree that is mounted read-only can't be given them inside the sandbox."""
    for outside, inside in mounted_inside(workspace):
        if inside.exists() or inside.is_symlink():
            continue
        inside.parent.mkdir(parents=True, exist_ok=True)
        if outside.is_dir():
            inside.mkdir()
        else:
            inside.touch()


def remove_placeholders(workspace: Workspace, tracked: Collection[str]) -> None:
    """Removes the empty files that were laid as mount points: they must not get into a commit."""
    for _, inside in mounted_inside(workspace):
        name = str(inside.relative_to(workspace.path))
        if name not in tracked and inside.is_file() and not inside.is_symlink() and inside.stat().st_size == 0:
            inside.unlink()
