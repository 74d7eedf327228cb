"""Finds conflict markers that an agent has left in its worktree. Links are not followed."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_MARKER: Final = re.compile(rb"^(?:<{7}|>{7}) ", re.MULTILINE)
_MOST_BYTES: Final = 20_000_000


def files_with_markers(tree: Path, names: Sequence[str]) -> list[str]:
    return [name for name in names if _MARKER.search(_bytes_of(tree, name))]


def _bytes_of(tree: Path, name: str) -> bytes:
    file = tree / name
    try:
        if not file.resolve().is_relative_to(tree.resolve()) or file.is_symlink() or not file.is_file():
            return b""
        with file.open("rb") as stream:
            return stream.read(_MOST_BYTES)
    except OSError:  # it was deleted, which may be the solution
        return b""
