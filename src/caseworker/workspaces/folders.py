"""Putting a workspace's folders right after an agent had its way with them. Nothing here follows a link."""

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
"""Folders that are named to one `rm`."""


def is_tied(tree: Path, git_dir: Path) -> bool:
    file = tree / ".git"
    return file.is_file() and not file.is_symlink() and file.read_text(errors="replace") == _tie(git_dir)


def tie_to_git_dir(tree: Path, git_dir: Path) -> None:
    """The worktree's `.git` file, as we wrote it: in the sandbox it is read-only, without one it may be anything."""
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
    """After git has reset: what it leaves, and what is ours by name where the repository has none of it. `scrub`:
    everything that is not tracked, ignored or not. Whether anything is left that is not tracked: only git can tell what
    of it is ignored."""
    remove_ours(tree, tracked, ours)
    return _remove_strays(tree, tracked, scrub=scrub)


def has_any(tree: Path, names: Iterable[str]) -> bool:
    return any(os.path.lexists(tree / name) for name in names)


def remove_ours(tree: Path, tracked: Sequence[str], ours: Iterable[str]) -> None:
    """They are ignored, so git leaves them: a link that a build put there would be written through."""
    for name in set(ours) - {path.split("/", 1)[0] for path in tracked}:
        remove_entry(tree / name)


def _remove_strays(tree: Path, tracked: Sequence[str], *, scrub: bool) -> bool:
    """What git neither lists nor cleans in the folders it tracks: pipes and sockets, on which a reader would hang, and
    a `.git`, which git obeys when it is called from there."""
    folders = _folders_of(tracked)
    known = folders.union(tracked, [".git"])
    strays: list[Path] = []
    unknown = False
    for folder in folders:
        if not (tree / folder).is_dir():
            continue  # a submodule's, perhaps
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
    if not folder.exists() or _remove_small(folder):
        return
    _run("chmod", "-R", "u+rwX", "--", folder)
    _run("rm", "-rf", "--", folder)
    if folder.exists():
        shutil.rmtree(folder)


def _remove_small(folder: Path) -> bool:
    """A few files and no folder, as we lay it ourselves: a process would take a hundred times as long."""
    with contextlib.suppress(OSError):
        with os.scandir(folder) as entries:
            found = list(itertools.islice(entries, _FEW + 1))
        if len(found) <= _FEW and not any(entry.is_dir(follow_symlinks=False) for entry in found):
            for entry in found:
                Path(entry.path).unlink()
            folder.rmdir()
            return True
    return False


def _run(*command: str | Path) -> None:
    subprocess.run(command, env={"PATH": os.defpath}, capture_output=True, check=False)
