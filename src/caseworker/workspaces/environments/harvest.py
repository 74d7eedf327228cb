"""Takes what a set-up made inside a worktree out of it, and finds which files name the worktree's path."""

import os
import re
import subprocess
from pathlib import Path
from typing import Final

from caseworker.ports import Git
from caseworker.workspaces.environment_mounts import Entry
from caseworker.workspaces.folders import remove_folder
from caseworker.workspaces.mirrors import OURS
from caseworker.workspaces.sandbox import SCRATCH

_BY_PRODUCTS: Final = re.compile(
    r"(?:.*/)?(?:[^/]+\.egg-info|__pycache__|\.eggs|\.pytest_cache|\.ruff_cache|[^/]+\.py[co])/?"
)
_SCRATCH: Final = (".cache", ".vite", ".vite-temp", ".vitest", ".tmp")
"""Folders in node_modules that tools write to while tests run."""
_MOST_LOOSE: Final = 400
_MOST_NAMED: Final = 200


async def harvest(git: Git, git_dir: Path, tree: Path, entry: Entry) -> tuple[str, ...]:
    """Moves untracked files and folders of the worktree into the entry. Returns their paths."""
    question = ("ls-files", "-z", "--others", "--directory", "--no-empty-directory")
    answer = await git(*question, git_dir=git_dir, work_tree=tree)
    paths = [path.rstrip("/") for path in answer.output.decode(errors="surrogateescape").split("\0") if path]
    kept = [path for path in paths if not _BY_PRODUCTS.fullmatch(path) and path.partition("/")[0] not in OURS]
    # A link would be followed on this machine when it is mounted, and show whatever it leads to.
    kept = [path for path in kept if not (tree / path).is_symlink()]
    for path in kept[:_MOST_LOOSE]:
        (entry.made / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).rename(entry.made / path)
        if Path(path).name == "node_modules":
            _lay_scratch(entry.made / path)
    return tuple(kept[:_MOST_LOOSE])


def named_files(entry: Entry, tree: Path) -> tuple[str, ...]:
    """Text files of the entry that name the worktree's path."""
    # A name may have a line end in it: names end with a zero byte, not at a line.
    words = ("grep", "-rlZIF", "--exclude=*.pyc", "--exclude=RECORD", f"{tree}", "env", "made")
    found = subprocess.run(words, cwd=entry.folder, capture_output=True, env={"PATH": os.defpath}, check=False)
    names = found.stdout.decode(errors="surrogateescape").split("\0")
    return tuple(sorted(name for name in names if name)[:_MOST_NAMED])


def remove_downloads(entry: Entry, cache: str) -> None:
    remove_folder(entry.env / cache)


def _lay_scratch(modules: Path) -> None:
    for name in _SCRATCH:
        if not (modules / name).exists() and not (modules / name).is_symlink():
            (modules / name).symlink_to(SCRATCH)
