"""Finds assertions that check a part of what was checked exactly: `"error" in msg()` where `msg() == "error: bad"` was.

The two are matched by their subject: what the exact assertion was about must be what the other one looks into.
"""

import re
from functools import lru_cache
from typing import Final

from caseworker.core.evidence.compared_sides import compared_sides

QUOTED: Final = re.compile(r"\"[^\"]{0,300}\"|'[^']{0,300}'|`[^`]{0,300}`")
_SUBJECT: Final = "\0"
"""Stands for what the exact assertion was about."""
_MOST: Final = 5
"""Most places of a subject in one assertion."""
_MAY_BE: Final = re.compile(r"[A-Za-z_$&*]")
"""How a subject begins. A number or a text is an expected value instead."""
_NOTHING: Final = frozenset({"[]", "{}", '""', "''", "``", "()", "set()", "List.of()", "0"})
"""Empty or zero expected values: an assertion about a part of such a value checks all of it."""
_LOOKS_INTO: Final = re.compile(
    r"^assert [^=\n]{1,300} in \0(?:,|$)|^assert \0 in \b|^assert \0 in [(\[{]"
    r"|\0\.(?:starts_?with|ends_?with|contains|includes|match(?:es)?)\(|\0\.length\b|\0\[-?\d{0,4}:-?\d{0,4}\]"
    r"|\b(?:len|sorted|set|frozenset)\(\0\)"
    r"|\bassert(?:In|Regex|CountEqual)\([^\n]{0,300}\0"
    r"|\b(?:assert|require)\.(?:Contains|Subset|ElementsMatch|Regexp|Len|Error|include|match)\([^\n]{0,300}\0"
    r"|\bstrings\.(?:Contains|HasPrefix|HasSuffix)\(\0"
    r"|\bassert\.ok\(\0[,)]"
    r"|\bexpect\(\0\)\.(?:resolves\.)?to(?:Contain(?:Equal)?|Match(?:Object|Snapshot)?|HaveLength|HaveProperty)\("
    r"|\bexpect\(\0\)\.(?:toMatchInlineSnapshot\(\)|toBeCloseTo\([^\n]{1,200}, (?:0|-\d{1,2})\)|to\.include)"
    r"|\bexpect\(\0\)\.to(?:Strict)?Equal\(expect\.(?:object|array|string)(?:Containing|Matching)\("
    r"|\bassertThat\(\0\)\.(?:isIn|hasSize|(?:starts|ends)With|matches|contains(?!Exactly\()\w{0,30})\(",
    re.I,
)


def is_partial(old: str, new: str) -> bool:
    """Whether one assertion checks only a part of what the other checks exactly."""
    return any(_looks_into(new, subject) for subject in _subjects(old) if subject in new)


def is_given_whole(old: str, value: str) -> bool:
    """Whether the value is a call that is given the subject of the assertion and nothing else: `str(total())`."""
    called, _, _ = value.partition("(")
    return called.isidentifier() and any(value == f"{called}({subject})" for subject in _subjects(old))


@lru_cache(maxsize=10_000)
def _looks_into(text: str, subject: str) -> bool:
    """Whether the text checks a part of the subject. Kept, because many assertions of a test have the same subject."""
    marked = re.sub(rf"(?<![\w.]){re.escape(subject)}(?!\w)", _SUBJECT, text, count=_MOST)
    return _LOOKS_INTO.search(QUOTED.sub('""', marked)) is not None


@lru_cache(maxsize=1_000)
def _subjects(text: str) -> tuple[str, ...]:
    """What an exact assertion may be about: each side, since it is not known which one is the expected value."""
    return tuple(one for one, other in compared_sides(text) if _MAY_BE.match(one) and other not in _NOTHING)
