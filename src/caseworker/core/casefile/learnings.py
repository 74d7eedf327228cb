"""What the cases of a repository have found out about it, and how much of that a later case is offered."""

import hashlib
from collections.abc import Iterable
from datetime import datetime
from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import CaseId, RepositoryId

_MOST: Final = 30
_MOST_CHARACTERS: Final = 4_000
"""All that is offered, with a line end after each: it is in the prompt of every turn."""


class Learning(BaseModel):
    model_config = ConfigDict(frozen=True)

    id: int
    repository: RepositoryId
    type: str
    content: str
    """As it was first said."""
    seen: int
    """In how many cases."""
    first_case: CaseId
    last_case: CaseId
    first_at: datetime
    last_at: datetime


def fingerprint(type: str, content: str) -> str:
    """The same for the same words, however they are spaced and capitalised."""
    words = "\n".join(one_line(text).casefold() for text in (type, content))
    return hashlib.sha256(words.encode()).hexdigest()


def one_line(text: str) -> str:
    """Only what can be seen: what an agent has noted can't begin a new line in a later one's prompt."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def ranked(learnings: Iterable[Learning]) -> list[Learning]:
    """What most cases have seen comes first; of those, the newest."""
    return sorted(learnings, key=lambda learning: (learning.seen, learning.last_at, learning.id), reverse=True)


def offered(learnings: Iterable[Learning]) -> list[str]:
    """One line each, and no more than every prompt can bear. One that is too long gives way to shorter ones."""
    lines: list[str] = []
    left = _MOST_CHARACTERS
    for learning in ranked(learnings):
        line = f"{one_line(learning.type).replace('_', ' ')}: {one_line(learning.content)}"
        if len(line) < left and len(lines) < _MOST:
            lines.append(line)
            left -= len(line) + 1
    return lines
