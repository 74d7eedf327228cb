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
_WORD: Final = re.compile(r"[\w./'-]{1,200}")
_DENIALS: Final = frozenset({"not", "no", "never"})
_FILLERS: Final = frozenset({"a", "an", "the", "do", "does", "is", "are", "it", "always"})
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
    approved_by: str | None = None
    """The owner who says that it is true, perhaps in their own words. Null: only agents say so."""


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
    """What an owner approved first, then by the number of cases, then newest first."""
    return sorted(
        learnings,
        key=lambda learning: (learning.approved_by is not None, learning.seen, learning.last_at, learning.id),
        reverse=True,
    )


def contradicted(learnings: Iterable[Learning]) -> set[int]:
    """The ids of those that a later note or an owner denies: the same words with and without a "not". Of two that deny
    each other the one that an owner approved stays, or else the newer one."""
    stays: dict[frozenset[str], Learning] = {}
    gone: set[int] = set()
    for learning in sorted(learnings, key=lambda one: (one.approved_by is not None, one.last_at, one.id), reverse=True):
        words = _words(learning.content)
        other = stays.setdefault(words - _DENIALS, learning)
        if bool(words & _DENIALS) != bool(_words(other.content) & _DENIALS):
            gone.add(learning.id)
    return gone


def _words(content: str) -> frozenset[str]:
    """The words that matter. "don't" and "does not" both count as a denial."""
    plain = one_line(content).casefold().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    return frozenset(
        "not" if word in _DENIALS or word.endswith("n't") else word.rstrip("s")
        for word in (found.rstrip(".'-/") for found in _WORD.findall(plain))
        if word and word not in _FILLERS
    )


def offered(learnings: Iterable[Learning], *, case: CaseId, files: Collection[str]) -> list[str]:
    """One line per learning for the prompt, with the case that it came from, within the limits. One that does not fit
    is skipped for shorter ones.

    Left out: what only this case itself has noted; what names a file that is gone; and what
    is contradicted. `files`: all paths of the base.
    """
    lines: list[str] = []
    left = _MOST_CHARACTERS
    known = list(learnings)
    denied = contradicted(known)
    for learning in ranked(known):
        own = {learning.first_case, learning.last_case} == {case}
        if own or learning.id in denied or _names_a_missing_file(learning.content, files):
            continue
        source = learning.first_case if learning.first_case != case else learning.last_case
        noted = f"noted by an agent in {source}" + (f" and {learning.seen - 1} more" if learning.seen > 1 else "")
        noted += f", approved by {one_line(learning.approved_by)}" if learning.approved_by else ""
        line = f"{one_line(learning.type).replace('_', ' ')}: {one_line(learning.content)} ({noted})"
        if len(line) < left and len(lines) < _MOST:
            lines.append(line)
            left -= len(line) + 1
    return lines
