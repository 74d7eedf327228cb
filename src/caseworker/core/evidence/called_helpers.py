"""Counts a call of a function that has assertions as an assertion of the test that calls it.

Else a test that leaves all checking to such a function could be emptied, and one that hands it over would check less.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from caseworker.core.evidence.test_files import BodyLine, ReadFile, ReadTest

_CALL: Final = re.compile(
    r"^(?:(?:await|return)\s{1,4})?(?:\w{1,60}(?:\.|::)){0,2}(?P<name>\w{1,100})(?:::<[^>\n]{1,60}>)?!?\("
)
"""A call as a statement: one that gives a value is more often for that than for what it checks."""


def checking_helpers(files: Iterable[ReadFile]) -> dict[str, int]:
    """By name, the most assertions that a function outside of tests has."""
    found: dict[str, int] = {}
    for file in files:
        for helper in file.helpers:
            if helper.checks:
                found[helper.name] = max(helper.checks, found.get(helper.name, 0))
    return found


def with_calls(file: ReadFile, helpers: Mapping[str, int]) -> ReadFile:
    return replace(file, tests=tuple(_with_calls(test, helpers) for test in file.tests)) if helpers else file


def _with_calls(test: ReadTest, helpers: Mapping[str, int]) -> ReadTest:
    lines: list[BodyLine] = []
    handed_over = 0
    for above, line in zip((None, *test.lines), test.lines, strict=False):
        is_checked = line.checks or (above is not None and above.checks and above.indent < line.indent)
        called = 0 if is_checked else _checks_called(line, helpers)
        handed_over += max(0, called - 1)
        lines.append(replace(line, checks=True) if called else line)
    more = sum(line.checks for line in lines) - sum(line.checks for line in test.lines)
    return replace(test, checks=test.checks + more, lines=tuple(lines), handed_over=handed_over) if more else test


def _checks_called(line: BodyLine, helpers: Mapping[str, int]) -> int:
    found = _CALL.match(line.text)
    return helpers.get(found["name"], 0) if found is not None else 0
