"""Repairs and removes folders of a workspace in which an agent may have done anything. Follows no link."""

import contextlib
import itertools
import os
import shutil
import stat
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

_FEW = 8
_AT_ONCE = 500
"""Folders that one call of `rm` removes."""


def is_tied(tree: Path, git_dir: Path) -> bool:
    """Whether the worktree's `.git` file names this git folder."""
    file = tree / ".git"
    return file.is_file() and not file.is_symlink() and file.read_text(errors="replace") == _tie(git_dir)


def tie_to_git_dir(tree: Path, git_dir: Path) -> None:
    """Writes the worktree's `.git` file again if it was changed, which is possible only without a sandbox."""
    if is_tied(tree, git_dir):
        return
    file = tree / ".git"
    if file.is_dir():
        remove_entry(file)
    tree.mkdir(parents=True, exist_ok=True)
    fresh = tree.parent / "git-file.new"
    fresh.write_text(_tie(git_dir))
    fresh.replace(file)


def _tie(git_dir: Path) -> str:
    return f"gitdir: {git_dir}\n"


def put_right(tree: Path, tracked: Sequence[str], ours: Iterable[str], *, scrub: bool) -> bool:
    """Removes what a reset by git leaves behind: pipes, nested `.git`s, and files of `ours` that are not tracked.

    `scrub`: removes ignored files as well. Returns whether any untracked file is left: only git can tell which of them
    are ignored.
    """
    remove_ours(tree, tracked, ours)
    return _remove_strays(tree, tracked, scrub=scrub)


def has_any(tree: Path, names: Iterable[str]) -> bool:
    return any(os.path.lexists(tree / name) for name in names)


def remove_ours(tree: Path, tracked: Sequence[str], ours: Iterable[str]) -> None:
    """Removes untracked files with names of ours. Git ignores them, and we would write through a link left there."""
    for name in set(ours) - {path.split("/", 1)[0] for path in tracked}:
        remove_entry(tree / name)


def _remove_strays(tree: Path, tracked: Sequence[str], *, scrub: bool) -> bool:
    """Removes from tracked folders what git neither lists nor cleans. Returns whether any untracked file is left.

    That is: pipes and sockets, on which a reader would hang, and a nested `.git`, whose configuration git would use.
    """
    folders = _folders_of(tracked)
    known = folders.union(tracked, [".git"])
    strays: list[Path] = []
    unknown = False
    for folder in folders:
        if not (tree / folder).is_dir():
            continue  # perhaps a submodule's
        with os.scandir(tree / folder) as entries:
            for entry in entries:
                is_unknown = (f"{folder}/{entry.name}" if folder else entry.name) not in known
                if (scrub and is_unknown) or not _is_ordinary(entry) or (entry.name == ".git" and folder):
                    strays.append(Path(entry.path))
                else:
                    unknown = unknown or is_unknown
    _remove_entries(strays)
    return unknown


def _folders_of(tracked: Iterable[str]) -> set[str]:
    folders = {""}
    for path in tracked:
        folder = path.rpartition("/")[0]
        while folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return folders


def _remove_entries(paths: Iterable[Path]) -> None:
    folders = []
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            folders.append(path)
        else:
            path.unlink(missing_ok=True)
    for start in range(0, len(folders), _AT_ONCE):  # a build may leave a cache in every folder
        _run("rm", "-rf", "--", *folders[start : start + _AT_ONCE])
    for folder in folders:
        remove_folder(folder)


def remove_entry(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        remove_folder(path)
    else:
        path.unlink(missing_ok=True)


def _is_ordinary(entry: os.DirEntry[str]) -> bool:
    return entry.is_symlink() or entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False)


def make_readable(tree: Path) -> None:
    """Makes files and folders readable to their owner: what can't be read would be missing from a commit."""
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
    # Only where needed: after a change of permissions git reads the file again.
    if status.st_mode & wanted != wanted:
        path.chmod(stat.S_IMODE(status.st_mode) | wanted)


def remove_folder(folder: Path) -> None:
    """Removes a folder with rm and chmod: unlike Python, they can remove folders whose path is too long to name."""
    if folder.is_symlink():
        folder.unlink()  # whatever it leads to is not ours
        return
    if not folder.exists() or _remove_small(folder):
        return
    _run("chmod", "-R", "u+rwX", "--", folder)
    _run("rm", "-rf", "--", folder)
    if folder.exists():
        shutil.rmtree(folder)


def _remove_small(folder: Path) -> bool:
    """Removes a folder of a few files and no subfolder without starting a process, which takes a hundred times longer.

    Returns whether it did.
    """
    with contextlib.suppress(OSError):
        with os.scandir(folder) as entries:
            found = list(itertools.islice(entries, _FEW + 1))
        if len(found) <= _FEW and not any(entry.is_dir(follow_symlinks=False) for entry in found):
            for entry in found:
                Path(entry.path).unlink()
            folder.rmdir()
            return True
    return False


def size_of(folder: Path) -> int:
    """Bytes on the disk. Files with several names in it count once."""
    seen: set[tuple[int, int]] = set()
    total = 0
    for where, _, names in os.walk(folder):
        for name in names:
            status = os.lstat(Path(where) / name)
            if (mark := (status.st_dev, status.st_ino)) not in seen:
                seen.add(mark)
                total += status.st_blocks * 512
    return total


def _run(*command: str | Path) -> None:
    subprocess.run(command, env={"PATH": os.defpath}, capture_output=True, check=False)
