"""What the cases of a repository have learned about it, and how much of that goes into later prompts."""

import hashlib
from collections.abc import Iterable
from datetime import datetime
from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import CaseId, RepositoryId

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


def ranked(learnings: Iterable[Learning]) -> list[Learning]:
    """Sorted by the number of cases, then newest first."""
    return sorted(learnings, key=lambda learning: (learning.seen, learning.last_at, learning.id), reverse=True)


def offered(learnings: Iterable[Learning]) -> list[str]:
    """One line per learning for the prompt, within the limits. One that does not fit is skipped for shorter ones."""
    lines: list[str] = []
    left = _MOST_CHARACTERS
    for learning in ranked(learnings):
        line = f"{one_line(learning.type).replace('_', ' ')}: {one_line(learning.content)}"
        if len(line) < left and len(lines) < _MOST:
            lines.append(line)
            left -= len(line) + 1
    return lines
