"""Finds files of a change that a review can't read: binary files, links elsewhere, names that look like others."""

import unicodedata
from collections.abc import Sequence

from caseworker.core.base.text import code
from caseworker.core.evidence.unified_diff import FileDiff


def opaque_files(files: Sequence[FileDiff]) -> dict[str, str]:
    """By path, a sentence for each file that was added or changed. A text that is declared to be binary counts: the
    diff does not show it either."""
    found = {file.path: _sentence(file) for file in files if (file.binary or file.is_link) and not file.deleted}
    posing = [file.path for file in files if file.path != file.old_path or file.created]
    return {path: f"{code(path)} {_POSES}" for path in posing if _mixes_letters(path)} | found


_POSES = "has letters of two alphabets in one word: its name may look like that of another file."


def _mixes_letters(path: str) -> bool:
    """A word with Latin letters and Cyrillic or Greek ones, which look alike, or with invisible characters."""
    for word in "".join(letter if letter.isalpha() or not letter.isprintable() else " " for letter in path).split():
        kinds = {unicodedata.name(letter, "?").partition(" ")[0] for letter in word}
        if "LATIN" in kinds and not kinds.isdisjoint({"CYRILLIC", "GREEK", "ARMENIAN", "FULLWIDTH", "MATHEMATICAL"}):
            return True
        if not word.isprintable():
            return True
    return False


def _sentence(file: FileDiff) -> str:
    if not file.is_link:
        return f"{code(file.path)} is a binary file: no review can read what it holds."
    to = next((line.text for line in file.lines() if line.kind == "added"), "")
    return f"{code(file.path)} is a symbolic link to {code(to)}: what it holds is not part of the change."
