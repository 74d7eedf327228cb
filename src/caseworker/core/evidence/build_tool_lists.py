"""Reads the failures that build tools list by name: Meson, Automake, and Elixir's with ExUnit."""

import re
from collections.abc import Sequence
from typing import Final

from caseworker.core.evidence.failure_list_parts import counts_in, listed, report_of
from caseworker.core.evidence.test_report import TestReport

_MESON_COUNT: Final = re.compile(
    r"(?P<what>Ok|Fail|Expected Fail|Unexpected Pass|Timeout): {1,20}(?P<number>\d{1,9}) *$"
)
_MESON_FAILED: Final = re.compile(
    r" ?\d{1,9}/\d{1,9} (?P<test>\S.{0,300}?) +(?:FAIL|ERROR|TIMEOUT|UNEXPECTEDPASS) +[\d.]{1,20}s"
)


def read_meson(lines: Sequence[str]) -> TestReport | None:
    counts = {found["what"]: int(found["number"]) for line in lines if (found := _MESON_COUNT.match(line))}
    if "Ok" not in counts:
        return None
    counted = sum(counts.get(what, 0) for what in ("Fail", "Unexpected Pass", "Timeout"))
    passed = counts["Ok"] + counts.get("Expected Fail", 0)
    return report_of("Meson's output", listed(lines, _MESON_FAILED), passed=passed, counted=counted)


_AUTOMAKE_COUNT: Final = re.compile(r"# (?P<what>TOTAL|PASS|XFAIL|FAIL|XPASS|ERROR): {1,20}(?P<number>\d{1,9})$")
_AUTOMAKE_FAILED: Final = re.compile(r"(?:FAIL|XPASS|ERROR): (?P<test>\S.{0,300})$")


def read_automake(lines: Sequence[str]) -> TestReport | None:
    """A project with folders prints a summary for each of them."""
    counts: dict[str, int] = {}
    for line in lines:
        if found := _AUTOMAKE_COUNT.match(line):
            counts[found["what"]] = counts.get(found["what"], 0) + int(found["number"])
    if "TOTAL" not in counts:
        return None
    counted = sum(counts.get(what, 0) for what in ("FAIL", "XPASS", "ERROR"))
    passed = counts.get("PASS", 0) + counts.get("XFAIL", 0)
    return report_of("Automake's output", listed(lines, _AUTOMAKE_FAILED), passed=passed, counted=counted)


_EXUNIT_END: Final = re.compile(r"(?:\d{1,9} (?:doctests?|properties|property), )*\d{1,9} tests?, \d{1,9} failures?")
_EXUNIT_FAILED: Final = re.compile(r" {1,6}\d{1,6}\) (?P<test>(?:test|doctest|property) .{1,300} \([\w.]{1,200}\))$")


def read_exunit(lines: Sequence[str]) -> TestReport | None:
    counts = counts_in(lines, _EXUNIT_END)
    if not counts:
        return None
    ran = sum(counts.get(what, 0) for what in ("doctest", "doctests", "test", "tests", "property", "properties"))
    counted = counts.get("failure", 0) + counts.get("failures", 0)
    passed = max(0, ran - counted - counts.get("skipped", 0) - counts.get("excluded", 0))
    return report_of("ExUnit's output", listed(lines, _EXUNIT_FAILED), passed=passed, counted=counted)
