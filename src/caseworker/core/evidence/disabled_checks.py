"""Finds lines of a test by which its assertions may not count: an early return, a swallowed failure, a condition.

Only where they have an effect: a `return` in a nested function, or at the end of a test, hides nothing.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from caseworker.core.evidence.around_checks import new_around_checks
from caseworker.core.evidence.test_files import BodyLine, ReadTest

_RETURN: Final = re.compile(
    r"^(?:(?:\}\s{0,4})?(?:else\s{1,4})?(?:if|unless)\b[^\n]{1,200}[:){]\s{0,4})?return\b[^\n]{0,40}$"
)
_OPEN: Final = re.compile(r"(?:[({\[,]|=>)$")
_CATCH: Final = re.compile(r"^\}?\s{0,4}(?:except|catch|rescue)\b")
_SUPPRESS: Final = re.compile(r"^(?:async\s{1,4})?with\s{1,4}(?:contextlib\.)?suppress\(")
_SUPPRESS_ALL: Final = re.compile(r"suppress\([^)\n]{0,200}\b(?:AssertionError|Exception|BaseException)\b")
_NEVER: Final = re.compile(r"^if\s{1,4}\(?(?:False|false|0)\b")
_NEVER_LOOPS: Final = re.compile(
    r"^while\s{1,4}\(?(?:False|false|0)\b|^for\b[^\n]{1,80}\s(?:in|of)\s{1,4}(?:\[\]|\(\)|\{\}|range\(0\))"
)
_NEVER_BOTH: Final = re.compile(r"^if\b[^\n]{1,200}(?:&&|\band)\s{1,4}(?:False|false)\b")
_RECOVER: Final = re.compile(
    r"\brecover\(\)|\bcatch_unwind\(|\.catch\(\s{0,4}\(?\w{0,20}\)?\s{0,4}=>\s{0,4}\{?\s{0,4}\}?\s{0,4}\)"
)
_FUNCTION: Final = re.compile(
    r"^(?:async\s{1,4})?def\b|\blambda\b|=>|\bfunction\b|\bfunc\s{0,4}\(|^fn\b|->\s{0,4}\{?$|\|[\w,\s]{0,40}\|\s{0,4}\{?$"
)
_FAILS: Final = re.compile(r"^(?:raise|throw|panic|pytest\.fail|self\.fail|fail|t\.(?:Fatal|Error|Fail)\w{0,4})\b")


def new_disabled_check(before: ReadTest, after: ReadTest) -> str | None:
    """The first line that was not there before and hides assertions."""
    known = Counter(before.body)
    now = Counter(after.body)
    new = {line for line in now if now[line] > known[line]}
    found = (line for line in shields(after) if line in new)
    return next(found, None) or next(new_around_checks(before, after, new), None)


def shields(test: ReadTest) -> Iterator[str]:
    return (line.text for at, line in enumerate(test.lines) if _hides(test.lines, at))


def _hides(lines: Sequence[BodyLine], at: int) -> bool:
    said = lines[at].text
    if _RETURN.search(said):
        start = at + 1 + (len(_block(lines, at)) if _goes_on(lines, at) else 0)
        return any(line.checks for line in lines[start : _end_of_function(lines, at)])
    if _CATCH.search(said):
        return _swallows(lines, at)
    if _SUPPRESS.search(said):
        return _SUPPRESS_ALL.search(said) is not None or any(line.checks for line in _block(lines, at))
    if any(pattern.search(said) for pattern in (_NEVER, _NEVER_LOOPS, _NEVER_BOTH)):
        return lines[at].checks or any(line.checks for line in _block(lines, at))
    return _RECOVER.search(said) is not None


def _goes_on(lines: Sequence[BodyLine], at: int) -> bool:
    """Whether the lines below a `return` are a part of what it returns."""
    return _OPEN.search(lines[at].text) is not None or (at + 1 < len(lines) and lines[at + 1].text.startswith("."))


def _end_of_function(lines: Sequence[BodyLine], at: int) -> int:
    """Where the innermost function around a line ends. The test itself: where its lines end."""
    indent = lines[at].indent
    for line in reversed(lines[:at]):
        if line.indent < indent:
            indent = line.indent
            if _FUNCTION.search(line.text):
                after = range(at + 1, len(lines))
                return next((later for later in after if lines[later].indent <= indent), len(lines))
    return len(lines)


def _swallows(lines: Sequence[BodyLine], at: int) -> bool:
    """Whether what is caught here is not raised again, and was an assertion, or is not looked at."""
    caught = _block(lines, at)
    if any(_FAILS.search(line.text) for line in caught):
        return False
    return any(line.checks for line in _tried(lines, at)) or not any(line.checks for line in caught)


def _block(lines: Sequence[BodyLine], at: int) -> Sequence[BodyLine]:
    """The lines below one, by indentation."""
    after = range(at + 1, len(lines))
    end = next((later for later in after if lines[later].indent <= lines[at].indent), len(lines))
    return lines[at + 1 : end]


def _tried(lines: Sequence[BodyLine], at: int) -> Sequence[BodyLine]:
    """The lines from `try` to a line that catches."""
    before = range(at - 1, -1, -1)
    same = (line for line in before if lines[line].indent <= lines[at].indent)
    start = next((line for line in same if not _CATCH.search(lines[line].text)), -1)
    return lines[start + 1 : at]
