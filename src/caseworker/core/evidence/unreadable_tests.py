"""Finds tests that check less, in languages that we can't read: shell, C, Ruby, ... By lost lines and known words.

Most of their runners name no tests in a report, so that a skipped test would be seen nowhere else.
"""

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final

from caseworker.core.base.text import code
from caseworker.core.evidence.test_places import is_unreadable_test

_LINE: Final = 400
_SHOWN: Final = 120
_COMMENT: Final = re.compile(r"#(?!if\s{1,4}0\b)|//")
_ENDS_EARLY: Final = re.compile(
    r"^(?:exit|return)\b|^next(?:$|;|\s{1,4}(?:if|unless)\b)|^set\s{1,4}\+e\b|\|\|\s{0,4}(?:true\b|:|exit\s{1,4}0)|^__END__$"
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
"""A failure that is caught and not looked at: it has no name."""
_HIDES: Final = (_ENDS_EARLY, _SKIPS, _NEVER_RUNS, _SWALLOWS)


def changed_unreadable(before: Mapping[str, str | None], after: Mapping[str, str | None]) -> list[str]:
    """A sentence for each test that was there before and lost lines, or got one by which others may not count. What
    the lost lines checked is for the review."""
    kept = {PurePosixPath(path).name for path in after}
    found = []
    for path in sorted(path for path in before if is_unreadable_test(path)):
        lost = _lines_of(before[path]) - _lines_of(after.get(path))
        if path not in after and PurePosixPath(path).name not in kept:
            found.append(f"{code(path)} was deleted.")
        elif path in after and (count := lost.total()):
            lines = "1 line" if count == 1 else f"{count} lines"
            found.append(f"{code(path)} lost {lines} of what it checked: tests in this language can't be compared.")
        gained = _lines_of(after.get(path)) - _lines_of(before[path])
        if (hiding := next(filter(_hides, gained), None)) is not None:
            found.append(f"{code(hiding[:_SHOWN])} was added to {code(path)}: what follows may not count any more.")
    return found


def _hides(line: str) -> bool:
    return any(pattern.search(line[:_LINE]) for pattern in _HIDES)


def _lines_of(text: str | None) -> Counter[str]:
    stripped = (line.strip() for line in (text or "").splitlines())
    return Counter(line for line in stripped if line and not _COMMENT.match(line))
