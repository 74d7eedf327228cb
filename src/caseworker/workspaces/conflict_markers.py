"""Finds conflict markers that were left in a commit which should have solved a conflict."""

import re
from pathlib import Path
from typing import Final

from caseworker.core.base.ids import Sha
from caseworker.ports import Git

_MARKER: Final = re.compile(rb"(?m)^(?:<{7,}|\|{7,}|>{7,})(?: .*)?$|^={7,}\r?$")


async def files_with_markers(git: Git, git_dir: Path, solved: Sha, *, sides: tuple[Sha, Sha]) -> tuple[str, ...]:
    """Files of `solved` with a marker that neither side has: some files hold such lines for good, as `=====` below a
    heading. Only files that differ from both sides are read: others were not touched by the conflict."""
    differing = [await _differing(git, git_dir, side, solved) for side in sides]
    found = []
    for path in sorted(differing[0] & differing[1]):
        left = await _markers(git, git_dir, solved, path)
        for side in sides:
            if left:
                left -= await _markers(git, git_dir, side, path)
        if left:
            found.append(path.decode(errors="replace"))
    return tuple(found)


async def _differing(git: Git, git_dir: Path, old: Sha, new: Sha) -> set[bytes]:
    question = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=d", old, new)
    return {path for path in (await git(*question, git_dir=git_dir)).output.split(b"\0") if path}


async def _markers(git: Git, git_dir: Path, commit: Sha, path: bytes) -> set[bytes]:
    name = f"{commit}:{path.decode(errors='surrogateescape')}"
    # 128: there is no such file, or it is a submodule.
    text = await git("cat-file", "blob", name, git_dir=git_dir, accept=(0, 128))
    return {line.rstrip() for line in _MARKER.findall(text.output)} if text.code == 0 else set()
