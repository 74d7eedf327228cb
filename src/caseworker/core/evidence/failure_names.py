"""The names of failures in the output of a runner that reports no single tests. For comparing two builds."""

import hashlib
import re
from collections import Counter
from typing import Final

MAX_FAILURES: Final = 5_000
"""Names of failures kept per command. If there are more, none is kept, so that nothing is excused."""
MAX_NAME: Final = 300
"""Characters kept per name."""

_FAILURE_LINE = re.compile(
    r"^[^\S\n]*(?:(?:FAILED|FAIL:?|ERROR:?|not ok)(?!\w)|--- FAIL:|✖|✗|×|error(?:\[\w+\])?:)[^\S\n]*(\S.*)$",
    re.MULTILINE,
)
_TEST_LINE = re.compile(r"^[^\S\n]*(?:(?:FAILED|FAIL:?|not ok)(?!\w)|--- FAIL:)[^\S\n]*\S", re.MULTILINE)
_FAILURE_MARKS = ("FAIL", "ERROR", "not ok", "✖", "✗", "×", "error")
"""Every failure line has one of these. Most output has none, and this check is ten times as fast as the pattern."""

_VARYING_NUMBERS = re.compile(r"0x[0-9a-fA-F]+|(?<![\w\[-])\d+")
"""Addresses, times, line numbers. Numbers inside a name are kept: `test_1` and `test[2]` are different tests."""


def names_a_test(output: str) -> bool:
    """Whether a failed test is named, by marks that linters and compilers do not use."""
    return _TEST_LINE.search(output) is not None


def failures_named(output: str) -> Counter[str]:
    """Counts the failures that a test runner named, without the parts that change from run to run."""
    if not any(mark in output for mark in _FAILURE_MARKS):
        return Counter()
    return Counter(_stable_name(said) for said in _FAILURE_LINE.findall(output))


def _stable_name(said: str) -> str:
    name = _VARYING_NUMBERS.sub("0", said).strip()
    if len(name) <= MAX_NAME:
        return name
    # Without the digest two parameter sets of one test could look the same; pytest prints long messages in a CI.
    digest = hashlib.sha256(name.encode(errors="replace")).hexdigest()[:16]
    return f"{name[: MAX_NAME - len(digest) - 1]}~{digest}"
