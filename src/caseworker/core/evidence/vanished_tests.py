"""Finds tests that the runner reported for the base and does not report for the change, whatever the cause.

A configuration, a hook, another name of a file, an early exit, or an emptied table can keep a test from running; none
of them has to be known. A test whose text is gone is left to `weakened_tests`, which knows renamed ones.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from caseworker.core.base.text import code
from caseworker.core.evidence.builds import Build, CommandRun, Purpose
from caseworker.core.evidence.test_report import TestReport, TestResult

_NAMED: Final = 5
_MOST_TABLES: Final = 200
_PARAMETERS: Final = re.compile(r"(?:\([^()\n]{0,300}\))?(?:\[[^\n]{0,300}\])?$")
_GO_SUBTEST: Final = re.compile(r"(?:^|\.)(?P<test>(?:Test|Fuzz|Example)\w{0,200})/")
_PLACEHOLDER: Final = re.compile(r"%[sdifjop#]|\$\{[^}\n]{0,80}\}|\$\w{1,40}")
"""Placeholders in a title of Jest, for the values of a table."""
_LETTERS_OF_TITLE: Final = 3


def vanished(base: Build | None, head: Build, was: Collection[str], now: Collection[str]) -> list[str]:
    """One sentence for each test command with tests that passed on the base and do not run on the head. `was`, `now`:
    names of the tests in changed files. Tests missing from `now` were removed or renamed; others report those."""
    found = []
    gone, titles = {*was} - {*now}, _Titles({*was, *now})
    for run in head.runs:
        before = _same_command(base, run)
        if run.purpose is Purpose.TEST and before is not None and not run.cut_short:
            names = [name for name in _lost(before, run.report, titles) if name not in gone]
            if names:
                found.append(f"{code(run.command)} does not run {_listed(names)} any more.")
    return found


def outside_of_suite(head: Build, red_tests: Sequence[str]) -> list[str]:
    """A sentence if the repository's own test command does not run the new test: nobody will run it again."""
    own = head.run_of(Purpose.NEW_TEST)
    suites = [run for run in head.runs if run.purpose is Purpose.TEST]
    if own is None or not own.passed or not suites or not red_tests:
        return []
    reports = [run.report for run in suites]
    if any(report is None or not _is_whole(report) for report in reports):
        return []
    ran = {_bare(test.name) for report in reports if report is not None for test in report.tests}
    left = [name for name in dict.fromkeys(map(_bare, red_tests)) if name not in ran]
    commands = " and ".join(code(run.command) for run in suites)
    return [f"{_listed(left)} is run by its own command alone: {commands} leaves it out."] if left else []


def _same_command(base: Build | None, run: CommandRun) -> TestReport | None:
    runs = base.runs if base is not None else ()
    report = next((one.report for one in runs if one.command == run.command and one.purpose is run.purpose), None)
    return report if report is not None and _is_whole(report) else None


def _is_whole(report: TestReport) -> bool:
    """Whether the tests that passed are named in it. A stored report may have left them out."""
    return report.passed == sum(1 for test in report.tests if test.outcome == "passed")


def _lost(before: TestReport, after: TestReport | None, titles: "_Titles") -> list[str]:
    if after is None or after.broken or not _is_whole(after):
        return []  # judged elsewhere
    now = _counted(after.tests, ("passed", "failed", "error"), titles)
    return [name for name, count in _counted(before.tests, ("passed",), titles).items() if now[name] < count]


def _counted(tests: Iterable[TestResult], outcomes: Sequence[str], titles: "_Titles") -> Counter[str]:
    """By function, not by file, group or parameters: tests may move, and get other values."""
    return Counter(titles.of(_bare(test.name)) for test in tests if test.outcome in outcomes)


def _bare(name: str) -> str:
    """The name of the test's function, if its runner names functions: others name tests by a sentence."""
    plain = _PARAMETERS.sub("", name, count=1) or name
    if " " in plain:
        return plain
    if (subtest := _GO_SUBTEST.search(plain)) is not None:
        return subtest["test"]
    return plain.rpartition("::")[2].rpartition(".")[2] or plain


class _Titles:
    """Titles of tests that are sentences, as they stand in changed files: without the groups around them, and with
    placeholders for values."""

    def __init__(self, titles: Collection[str]) -> None:
        self._plain = {title for title in titles if not _PLACEHOLDER.search(title)}
        tables = sorted({*titles} - self._plain)[:_MOST_TABLES]
        self._tables = [(title, _PLACEHOLDER.split(title)) for title in tables]

    def of(self, name: str) -> str:
        if " " not in name:
            return name
        starts = [0, *(at + 1 for at, letter in enumerate(name) if not letter.isalnum())]
        plain = next((name[start:] for start in starts if name[start:] in self._plain), None)
        return plain or next((title for title, parts in self._tables if _is_row(name, parts)), name)


def _is_row(name: str, parts: Sequence[str]) -> bool:
    """Whether a name has the parts of a table's title, in their order, at its end."""
    if sum(letter.isalpha() for part in parts for letter in part) < _LETTERS_OF_TITLE or not name.endswith(parts[-1]):
        return False
    at = 0
    for part in parts:
        at = name.find(part, at) + len(part)
        if at < len(part):
            return False
    return True


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(code(name) for name in names[:_NAMED])
    return shown if len(names) <= _NAMED else f"{shown} and {len(names) - _NAMED} more"
