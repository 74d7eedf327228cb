"""Finds tests that check less, in languages that we can't read: shell, C, Ruby, ... By lost lines and known words.

Most of their runners name no tests in a report, so that a skipped test would be seen nowhere else.
"""

import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Final

from caseworker.core.base.text import code
from caseworker.core.evidence.shared_stand_ins import unreadable_stand_in
from caseworker.core.evidence.test_places import is_unreadable_test

_LINE: Final = 400
_SHOWN: Final = 120
_COMMENT: Final = re.compile(r"#(?!if\s{1,4}0\b)|//")
_ENDS_EARLY: Final = re.compile(
    r"^exit\b(?!\s{0,4}\(?\s{0,4}(?:[1-9]|EXIT_FAILURE\b))|^return\b|^next(?:$|;|\s{1,4}(?:if|unless)\b)|^set\s{1,4}\+e\b|\|\|\s{0,4}(?:true\b|:|exit\s{1,4}0)|^__END__$"
)
_SKIPS: Final = re.compile(
    r"(?:^|[{;]\s{0,4}|\b(?:do|then)\s{1,4})(?:skip|pending)(?:$|\(|\s{0,4};|\s{1,4}(?:[\"'}]|if\b|unless\b))"
    r"|^@(?:module|describe)?tag\s{1,4}:?skip\b|\bmarkTest(?:Skipped|Incomplete)\b|\bexpectNotToPerformAssertions\b"
    r"|\bGTEST_SKIP\b|\bXCTSkip|\bAssert\.(?:Ignore|Inconclusive|Skip)\b"
)
_NEVER_RUNS: Final = re.compile(
    r"^(?:if|elif|elsif|while)\s{1,4}\(?\s{0,4}(?:false|0)\b|^#if\s{1,4}0\b|^=begin\b|^:\s{0,4}<<"
)
_SWALLOWS: Final = re.compile(r"^rescue\b(?![^\n]{0,200}=>)|^\}?\s{0,4}catch\s{0,4}\(\.\.\.\)")
"""Code that catches a failure without giving it a name, so that nothing can check it."""
_RETURN: Final = re.compile(r"return\b")
_FUNCTION: Final = re.compile(
    r"(?:\{|=>)$|^(?:def|function|class|module)\b"
    r"|^(?:it|test|specify|describe|context|before|after|let)\b[^\n]{0,300}\bdo(?:\s{0,4}\|[^|\n]{0,80}\|)?$"
)
_BLOCK: Final = re.compile(
    r"^\{|^(?:\}\s{0,4})?(?:if|elif|elsif|else|for|foreach|while|until|unless|switch|case|try|catch|do|rescue|finally)\b"
    r"|(?:&&|\|\|)\s{0,4}\{$"
)
"""Blocks whose first line ends like the first line of a function."""
_HIDES: Final = (_ENDS_EARLY, _SKIPS, _NEVER_RUNS, _SWALLOWS)


def changed_unreadable(before: Mapping[str, str | None], after: Mapping[str, str | None]) -> list[str]:
    """A sentence for each test that was there before and lost lines, or got one by which others may not count. What
    the lost lines checked is for the review."""
    kept = {PurePosixPath(path).name for path in after}
    found: list[str] = []
    for path in sorted(path for path in before if is_unreadable_test(path)):
        if path in after:
            found += _changes_of(path, before[path] or "", after[path] or "")
        elif PurePosixPath(path).name not in kept:
            found.append(f"{code(path)} was deleted.")
    return found


def _changes_of(path: str, before: str, after: str) -> Iterator[str]:
    known = _lines_of(before)
    if count := (known - _lines_of(after)).total():
        lines = "1 line" if count == 1 else f"{count} lines"
        yield f"{code(path)} lost {lines} of what it checked: tests in this language can't be compared."
    gained = Counter(_without_new_returns(after, known)) - known
    if (hiding := next(filter(_hides, gained), None)) is not None:
        yield f"{code(hiding[:_SHOWN])} was added to {code(path)}: what follows may not count any more."
    if (replacing := unreadable_stand_in(path, before, gained)) is not None:
        yield f"{code(replacing[:_SHOWN])} was added to {code(path)}: it replaces what the tests check."


def _hides(line: str) -> bool:
    return any(pattern.search(line[:_LINE]) for pattern in _HIDES)


def _without_new_returns(text: str, known: Container[str]) -> Iterator[str]:
    """The lines without each `return` in a function that is new itself: it ends nothing that was there before."""
    inside: int | None = None  # the indentation of the new function around a line
    lines = [*_code(text)]
    for at, line in enumerate(lines):
        said = line.strip()
        indent = len(line) - len(line.lstrip())
        if inside is not None and indent <= inside and said != "{":
            inside = None
        below = lines[at + 1].strip() if at + 1 < len(lines) else ""
        if inside is None and said not in known and _opens_function(said, below):
            inside = indent
        if inside is None or not _RETURN.match(said):
            yield said


def _opens_function(said: str, below: str) -> bool:
    opens = _FUNCTION.search(said[:_LINE]) is not None or (below == "{" and not said.endswith((";", "{", "}")))
    return opens and _BLOCK.search(said[:_LINE]) is None


def _code(text: str) -> Iterator[str]:
    for line in text.splitlines():
        said = line.strip()
        if said and not _COMMENT.match(said):
            yield line.expandtabs(4)


def _lines_of(text: str) -> Counter[str]:
    return Counter(line.strip() for line in _code(text))
