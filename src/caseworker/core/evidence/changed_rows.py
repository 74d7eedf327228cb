"""Finds rows of a table of cases that give another result for the same input: `(1, 2, 3)` that becomes `(1, 2, 4)`.

The result is the last value of a row, or the one whose name says so. Rows are read where they are surely cases: in a
decorator or attribute of the test, in `each`, and in a list of cases of Go.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from caseworker.core.evidence.test_files import ReadTest

_LINE: Final = 400
_MOST: Final = 400
"""Most rows of a test that are read."""
_TABLE: Final = re.compile(r"\bparametrize\(|#\[(?:case|test_case)\b|@(?:CsvSource|ValueSource|MethodSource)\b")
_NAMES: Final = re.compile(r"\bparametrize\(\s{0,4}[(\[][^()\[\]\n]{0,300}[)\]]")
"""The names of what a row has."""
_ROW: Final = re.compile(r"[(\[{](?P<row>[^()\[\]{}\n]{3,300})[)\]}]")
_ROW_OF_BODY: Final = re.compile(r"^[\[{](?P<row>[^()\[\]{}\n]{3,300})[\]}],?$")
_PART: Final = re.compile(r"(?:\"(?:[^\"\\]|\\.){0,200}\"|'(?:[^'\\]|\\.){0,200}'|`[^`]{0,200}`|[^,\"'`]){1,300}")
_RESULT: Final = re.compile(r"^\s{0,8}(?:want|expect|result|output)\w{0,20}\s{0,4}[:=]", re.I)
_NAMED: Final = re.compile(r"^\s{0,8}[A-Za-z_]\w{0,40}\s{0,4}(?::(?!:)|=)")
_LABEL: Final = re.compile(r"^\s{0,8}(?:id|marks)\s{0,4}=")
_VALUE: Final = re.compile(r"[\"'`\d]|\b(?:True|False|None|true|false|null|nil|[A-Z]\w{0,60})\b")


def changed_rows(before: ReadTest, after: ReadTest) -> list[tuple[str, str]]:
    """Each row with another result: as it was, and as it is. Rows of the same input can't be told apart."""
    if before.body == after.body and before.ahead == after.ahead:
        return []
    old, new = [*_rows(before)], [*_rows(after)]
    was, now = (Counter(given for given, _, _ in several) for several in (old, new))
    known = {given: (result, row) for given, result, row in old if was[given] == 1}
    found = [(known[given], result, row) for given, result, row in new if given in known and now[given] == 1]
    return [(row_then, row) for (then, row_then), result, row in found if then != result]


def _rows(test: ReadTest) -> Iterator[tuple[str, str, str]]:
    """What is given, the result, and the whole row."""
    texts: list[re.Match[str]] = []
    for attribute in _attributes(test.ahead):
        texts += _ROW.finditer(_NAMES.sub("", attribute)) if _TABLE.search(attribute) else ()
    texts += [found for line in test.lines if (found := _ROW_OF_BODY.match(line.text[:_LINE])) is not None]
    for found in texts[:_MOST]:
        parts = [part.strip() for part in _PART.findall(found["row"]) if part.strip() and not _LABEL.match(part)]
        at = _result_of(parts)
        if at is not None:
            yield ", ".join([*parts[:at], *parts[at + 1 :]]), parts[at], found[0].rstrip(",")


def _attributes(lines: Sequence[str]) -> Iterator[str]:
    """Each decorator or attribute with its further lines."""
    current: list[str] = []
    for line in lines:
        if line.startswith(("@", "#[")) and current:
            yield " ".join(current)
            current = []
        current.append(line[:_LINE])
    if current:
        yield " ".join(current)


def _result_of(parts: Sequence[str]) -> int | None:
    """Which part of a row is its result. Null: it can't be said."""
    if len(parts) < 2:
        return None
    if any(_NAMED.match(part) for part in parts):
        named = [at for at, part in enumerate(parts) if _RESULT.match(part)]
        return named[0] if len(named) == 1 else None
    return len(parts) - 1 if _VALUE.search(parts[-1]) else None
