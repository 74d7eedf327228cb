"""Finds files of a change whose contents a review can't read: binary files, and links to somewhere else."""

from collections.abc import Sequence

from caseworker.core.base.text import code
from caseworker.core.evidence.unified_diff import FileDiff


def opaque_files(files: Sequence[FileDiff]) -> dict[str, str]:
    """By path, a sentence for each file that was added or changed. A text that is declared to be binary counts: the
    diff does not show it either."""
    return {file.path: _sentence(file) for file in files if (file.binary or file.is_link) and not file.deleted}


def _sentence(file: FileDiff) -> str:
    if not file.is_link:
        return f"{code(file.path)} is a binary file: no review can read what it holds."
    to = next((line.text for line in file.lines() if line.kind == "added"), "")
    return f"{code(file.path)} is a symbolic link to {code(to)}: what it holds is not part of the change."
