"""What the readers of failure lists share: names with what was said of them, counts, and the report made of both."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from caseworker.core.evidence.test_report import TestOutcome, TestReport, make_report, make_result

_MOST_DETAIL_LINES: Final = 20
Found = dict[str, str]
"""By the name of a failed test: what was said of it."""


def report_of(
    source: str, failed: Found, *, passed: int, counted: int, broken: Iterable[str] = ()
) -> TestReport | None:
    """Null: not all of the failures that the runner counts are named."""
    unrun = [make_result(name, TestOutcome.ERROR) for name in broken]
    if len(failed) + len(unrun) < counted:
        return None
    tests = [make_result(name, TestOutcome.FAILED, detail=detail) for name, detail in failed.items()]
    report = make_report(source, tests, unrun)
    return report.model_copy(update={"passed": passed}) if report is not None else None


def lines_after(lines: Sequence[str], at: int) -> str:
    return "\n".join(lines[at + 1 : at + 1 + _MOST_DETAIL_LINES])


def listed(lines: Sequence[str], pattern: re.Pattern[str]) -> Found:
    return {
        found["test"].strip(): lines_after(lines, at) for at, line in enumerate(lines) if (found := pattern.match(line))
    }


def counts_in(lines: Sequence[str], pattern: re.Pattern[str]) -> dict[str, int]:
    """The numbers of the last line that counts, by their words."""
    last = next((line for line in reversed(lines) if pattern.match(line)), "")
    return {word.lower(): int(number) for number, word in re.findall(r"(\d{1,9}) ([A-Za-z]{1,20})", last)}
