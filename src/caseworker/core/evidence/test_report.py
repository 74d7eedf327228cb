"""What a test runner reported: each test by name and how it ended, and what could not be run at all.

Reports are made by code under test, so they are hostile input: sizes are limited where they are read, and a report
never makes a run better than its exit code.
"""

import re
from collections.abc import Iterable
from enum import StrEnum
from itertools import islice
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.text import code
from caseworker.core.evidence.error_line import error_line

MAX_TESTS: Final = 50_000
"""Most tests read of one report. A longer report is not used."""
MAX_NAMED: Final = 5_000
"""Most tests whose names a stored report of the base has, though they passed."""
MAX_REPORT_NAME: Final = 300
MAX_DETAIL: Final = 2_000
"""Characters kept of what a failed test said, from its end: that is where the error is."""
_VARYING: Final = re.compile(r"0x[0-9a-fA-F]+|\d+(?:\.\d+)?|/[\w./-]{1,200}/")
"""Addresses, numbers, times and folders, which differ between two runs of the same test."""


class TestOutcome(StrEnum):
    __test__ = False

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"


class TestResult(BaseModel):
    __test__ = False
    model_config = ConfigDict(frozen=True)

    name: str
    """As its runner names it."""
    outcome: TestOutcome
    file: str = ""
    """Relative to the root of the repository, if the runner says so."""
    detail: str = ""
    """The end of what it said when it failed."""

    @property
    def fails(self) -> bool:
        return self.outcome in (TestOutcome.FAILED, TestOutcome.ERROR)


class NotRun(BaseModel):
    """Why no test of a command counts as run. Neither red nor green."""

    model_config = ConfigDict(frozen=True)
    why: Literal["no_test", "not_collected", "missing_command", "timed_out"]
    detail: str


class TestReport(BaseModel):
    """The results that a runner reported of one command."""

    __test__ = False
    model_config = ConfigDict(frozen=True)

    source: str
    """What it was read from, for people: "JUnit XML"."""
    tests: tuple[TestResult, ...] = ()
    """In a stored report: without those that passed, except of a base with not too many."""
    broken: tuple[TestResult, ...] = ()
    """Files and fixtures that failed before their tests could run: import errors, failed set-ups."""
    passed: int = 0

    @property
    def failed(self) -> tuple[TestResult, ...]:
        return tuple(test for test in self.tests if test.fails)

    @property
    def ran(self) -> int:
        """Tests that ran to an end, with either result."""
        return self.passed + len(self.failed)

    @property
    def is_bad(self) -> bool:
        return bool(self.failed or self.broken)

    def brief(self, *, named: bool = False) -> "TestReport":
        """Without the tests that passed: there may be thousands. `named`: with them, if there are not too many."""
        if named and len(self.tests) <= MAX_NAMED:
            plain = (test.model_copy(update={"file": ""}) if not test.fails else test for test in self.tests)
            return self.model_copy(update={"tests": tuple(plain)})
        kept = tuple(test for test in self.tests if test.outcome is not TestOutcome.PASSED)
        return self.model_copy(update={"tests": kept})


def make_report(source: str, tests: Iterable[TestResult], broken: Iterable[TestResult] = ()) -> TestReport | None:
    """Null: there are too many tests to be read."""
    all_tests, all_broken = tuple(islice(tests, MAX_TESTS + 1)), tuple(islice(broken, MAX_TESTS + 1))
    if len(all_tests) + len(all_broken) > MAX_TESTS:
        return None
    passed = sum(test.outcome is TestOutcome.PASSED for test in all_tests)
    return TestReport(source=source, tests=all_tests, broken=all_broken, passed=passed)


def make_result(name: str, outcome: TestOutcome, *, file: str = "", detail: str = "") -> TestResult:
    return TestResult(
        name=" ".join(name.split())[:MAX_REPORT_NAME] or "(a test without a name)",
        outcome=outcome,
        file=file.removeprefix("./")[:MAX_REPORT_NAME],
        detail=detail.strip()[-MAX_DETAIL:],
    )


def joined_reports(reports: Iterable[TestReport]) -> TestReport | None:
    """One report of several. Null: there is none, or they are too long."""
    found = list(reports)
    if not found:
        return None
    tests = (test for report in found for test in report.tests)
    return make_report(found[0].source, tests, (one for report in found for one in report.broken))


def count_words(report: TestReport) -> str:
    """`3 passed, 1 failed`."""
    skipped = sum(test.outcome is TestOutcome.SKIPPED for test in report.tests)
    counts = {"passed": report.passed, "failed": len(report.failed), "skipped": skipped}
    said = [f"{number} {word}" for word, number in counts.items() if number]
    said += [f"{len(report.broken)} could not be run"] if report.broken else []
    return ", ".join(said) or "no test ran"


def stable_detail(test: TestResult) -> str:
    """What it said, without what differs between two runs of the same test."""
    return _VARYING.sub("0", test.detail)


def first_broken(report: TestReport) -> NotRun:
    one = report.broken[0]
    said = error_line(one.detail)
    return NotRun(why="not_collected", detail=f"{code(one.name)} could not be run{f': {code(said)}' if said else ''}")
