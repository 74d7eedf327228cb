"""Putting a workspace's folders right after an agent had its way with them. Nothing here follows a link."""

import os
import shutil
import stat
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path


def tie_to_git_dir(tree: Path, git_dir: Path) -> None:
    """The worktree's `.git` file, as we wrote it: in the sandbox it is read-only, without one it may be anything."""
    file, text = tree / ".git", f"gitdir: {git_dir}\n"
    if file.is_file() and not file.is_symlink() and file.read_text(errors="replace") == text:
        return
    if file.is_dir():
        remove_entry(file)
    tree.mkdir(parents=True, exist_ok=True)
    fresh = tree.parent / "git-file.new"
    fresh.write_text(text)
    fresh.replace(file)


def put_right(tree: Path, tracked: Sequence[str], ours: Iterable[str]) -> None:
    """After git has reset and cleaned: what it leaves, and what is ours by name where the repository has none of it."""
    _remove_strays(tree, tracked)
    # Ours are ignored, so git leaves them: a link that a build put there would be written through.
    for name in set(ours) - {path.split("/", 1)[0] for path in tracked}:
        remove_entry(tree / name)


def _remove_strays(tree: Path, tracked: Iterable[str]) -> None:
    """What git neither lists nor cleans in the folders it tracks: pipes and sockets, on which a reader would hang, and
    a `.git`, which git obeys when it is called from there."""
    folders = {Path(), *(parent for path in tracked for parent in Path(path).parents)}
    for folder in folders:
        if not (tree / folder).is_dir():
            continue  # a submodule's, perhaps
        with os.scandir(tree / folder) as entries:
            for entry in entries:
                if not _is_ordinary(entry) or (entry.name == ".git" and folder != Path()):
                    remove_entry(Path(entry.path))


def remove_entry(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        remove_folder(path)
    else:
        path.unlink(missing_ok=True)


def _is_ordinary(entry: os.DirEntry[str]) -> bool:
    return entry.is_symlink() or entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False)


def make_readable(tree: Path) -> None:
    """Give files and folders back their owner's permissions: what can't be read would be missing from a commit."""
    if os.geteuid() == 0:
        return  # nothing is unreadable to root
    waiting = [tree]
    while waiting:
        folder = waiting.pop()
        _grant(folder, folder.lstat(), stat.S_IRWXU)
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry.path))
                elif entry.is_file(follow_symlinks=False):
                    _grant(Path(entry.path), entry.stat(follow_symlinks=False), stat.S_IRUSR)


def _grant(path: Path, status: os.stat_result, wanted: int) -> None:
    # Only where it is needed: each change of permissions makes git read the file again.
    if status.st_mode & wanted != wanted:
        path.chmod(stat.S_IMODE(status.st_mode) | wanted)


def remove_folder(folder: Path) -> None:
    """By rm and chmod: unlike Python's, they reach folders nested deeper than a path may be long."""
    if not folder.exists():
        return
    for command in (["chmod", "-R", "u+rwX"], ["rm", "-rf"]):
        subprocess.run([*command, "--", str(folder)], env={"PATH": os.defpath}, capture_output=True, check=False)
    if folder.exists():
        shutil.rmtree(folder)
