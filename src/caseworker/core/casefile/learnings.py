"""What the cases of a repository have learned about it, and how much of that goes into later prompts."""

import hashlib
import re
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import CaseId, RepositoryId

_PATH: Final = re.compile(r"(?<![\w./-])(?:[\w.-]{1,100}/){1,12}[\w-]{1,100}(?:\.[\w-]{1,20}){1,3}")
"""A path with a folder and an ending: `shop/cart.py`."""
_MOST: Final = 30
_MOST_CHARACTERS: Final = 4_000
"""Limit of all offered lines together, with their line ends: they are in the prompt of every turn."""


class Learning(BaseModel):
    model_config = ConfigDict(frozen=True)

    id: int
    repository: RepositoryId
    type: str
    content: str
    """In the words of the first case."""
    seen: int
    """The number of cases that noted it."""
    first_case: CaseId
    last_case: CaseId
    first_at: datetime
    last_at: datetime


def fingerprint(type: str, content: str) -> str:
    """A digest that ignores spacing and capitals."""
    words = "\n".join(one_line(text).casefold() for text in (type, content))
    return hashlib.sha256(words.encode()).hexdigest()


def one_line(text: str) -> str:
    """The text on one line, without invisible characters, so that it can't begin a new line in a later prompt."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def _names_a_missing_file(content: str, files: Collection[str]) -> bool:
    """Whether it names a path of which the repository has the folder's or file's first part, but not the file."""
    roots = {path.partition("/")[0] for path in files}
    named = (found[0].rstrip(".") for found in _PATH.finditer(content))
    return any(path.partition("/")[0] in roots and path not in files for path in named)


def ranked(learnings: Iterable[Learning]) -> list[Learning]:
    """Sorted by the number of cases, then newest first."""
    return sorted(learnings, key=lambda learning: (learning.seen, learning.last_at, learning.id), reverse=True)


def offered(learnings: Iterable[Learning], *, case: CaseId, files: Collection[str]) -> list[str]:
    """One line per learning for the prompt, with the case that it came from, within the limits. One that does not fit
    is skipped for shorter ones.

    Left out: what only this case itself has noted, and what names a file that is gone. `files`: all paths of the base.
    """
    lines: list[str] = []
    left = _MOST_CHARACTERS
    for learning in ranked(learnings):
        if {learning.first_case, learning.last_case} == {case} or _names_a_missing_file(learning.content, files):
            continue
        source = learning.first_case if learning.first_case != case else learning.last_case
        noted = f"noted by an agent in {source}" + (f" and {learning.seen - 1} more" if learning.seen > 1 else "")
        line = f"{one_line(learning.type).replace('_', ' ')}: {one_line(learning.content)} ({noted})"
        if len(line) < left and len(lines) < _MOST:
            lines.append(line)
            left -= len(line) + 1
    return lines
