"""Finds tests that ran before the change and do not run on it, by what the runner reports. However it was done.

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
_PARAMETERS: Final = re.compile(r"\[[^\n]{0,300}\]$")


def vanished(base: Build | None, head: Build, gone: Collection[str]) -> list[str]:
    """A sentence for each test command of which tests passed on the base and do not run on the head. `gone`: names of
    tests that the change removed or renamed in the files themselves."""
    found = []
    for run in head.runs:
        before = _same_command(base, run)
        if run.purpose is Purpose.TEST and before is not None and not run.cut_short:
            names = [name for name in _lost(before, run.report) if not _is_among(name, gone)]
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


def _lost(before: TestReport, after: TestReport | None) -> list[str]:
    if after is None or after.broken or not _is_whole(after):
        return []  # judged elsewhere
    now = _counted(after.tests, ("passed", "failed", "error"))
    return [name for name, count in _counted(before.tests, ("passed",)).items() if now[name] < count]


def _counted(tests: Iterable[TestResult], outcomes: Sequence[str]) -> Counter[str]:
    """By function, not by file or parameters: tests may move, and get other values."""
    return Counter(_bare(test.name) for test in tests if test.outcome in outcomes)


def _bare(name: str) -> str:
    plain = _PARAMETERS.sub("", name)
    return plain if " " in plain else plain.rpartition(".")[2] or plain


def _is_among(name: str, gone: Collection[str]) -> bool:
    return any(one == name or (" " in name and one in name) for one in gone)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(code(name) for name in names[:_NAMED])
    return shown if len(names) <= _NAMED else f"{shown} and {len(names) - _NAMED} more"
