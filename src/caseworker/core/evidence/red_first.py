"""Red first: judges whether a new test was run and failed without the change. Exit codes alone prove nothing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from caseworker.core.base.text import code
from caseworker.core.evidence.builds import NOTHING_TO_RUN, Build, CommandRun, Purpose, RedVerdict, how_it_ended
from caseworker.core.evidence.error_line import error_line
from caseworker.core.evidence.missing_names import missing_name
from caseworker.core.evidence.not_run import why_not_run
from caseworker.core.evidence.test_report import TestReport, TestResult, stable_detail

MAX_RED_TESTS: Final = 50
"""Names of red tests that a case carries with it."""


@dataclass(frozen=True, kw_only=True)
class RedFacts:
    """What is known of the new test, besides how it ended."""

    test_files: Sequence[str]
    """The test files that were added or changed with it."""
    test_names: frozenset[str] | None = None
    """The names of the tests in them. Null: not all of them can be read."""
    before: CommandRun | None = None
    """The new test's command, run before the test was written."""
    base: Build | None = None
    may_lack_name: bool = False
    """It is a new feature, whose test may fail because a name is not there yet."""


def judge_red(red: Build, facts: RedFacts) -> RedVerdict:
    """Red: a test file was changed, one of its tests ran and failed, and it did not fail in the same way before."""
    suites = [run for run in red.runs if run.purpose is Purpose.TEST]
    own = red.run_of(Purpose.NEW_TEST)
    runs = [own] if own is not None else suites
    if not runs:
        return _nothing_ran(red)
    if not facts.test_files:
        return RedVerdict(kind="not_run", reason="no test file was added or changed")
    judged = [_judge_run(run, facts) for run in runs]
    for kind in ("red", "not_run"):
        if found := next((one for one in judged if one.kind == kind), None):
            return found
    return judged[0]


def _nothing_ran(red: Build) -> RedVerdict:
    broken = next((run for run in red.runs if run.purpose is Purpose.SETUP and not run.passed), None)
    if broken is None:
        return RedVerdict(kind=NOTHING_TO_RUN.kind, reason=NOTHING_TO_RUN.reason)
    reason = f"nothing could be tested: {code(broken.command)} {how_it_ended(broken)}"
    return RedVerdict(kind="nothing_to_run", reason=reason)


def _judge_run(run: CommandRun, facts: RedFacts) -> RedVerdict:
    failed = _new_failures(run.report, run, facts) if run.report is not None else []
    lacking = [(test, name) for test in failed if (name := missing_name(test.detail))]
    real = [test for test in failed if test not in [test for test, _ in lacking]]
    if real and not run.cut_short:
        return _red(run, real)
    not_run = why_not_run(run)
    lacks = lacking[0][1] if lacking else _name_lacking_in(run)
    if lacks and not run.passed and not run.cut_short:
        return _red_by_name(run, lacks, [test for test, _ in lacking], facts)
    if not_run is not None:
        return RedVerdict(kind="not_run", reason=f"{code(run.command)} tested nothing: {not_run.detail}")
    if run.passed:
        which = "passes" if run.purpose is Purpose.NEW_TEST else "passes with the new test and"
        proves = "without the fix: it proves nothing" if run.purpose is Purpose.NEW_TEST else "without the fix"
        return RedVerdict(kind="green", reason=f"{code(run.command)} {which} {proves}")
    if run.report is not None:
        return RedVerdict(kind="green", reason=f"{code(run.command)} fails, and not by a new or changed test")
    if _failed_the_same_before(run, facts):
        how = "as well" if run.purpose is Purpose.TEST else "in the same way"
        return RedVerdict(kind="green", reason=f"{code(run.command)} failed before the new test {how}")
    reason = f"{code(run.command)} {how_it_ended(run)} without the fix"
    return RedVerdict(kind="red", reason=reason, by_exit_code=True)


def _red(run: CommandRun, tests: Sequence[TestResult]) -> RedVerdict:
    said = error_line(tests[0].detail)
    more = f" and {len(tests) - 1} more" if len(tests) > 1 else ""
    reason = f"{code(tests[0].name)}{more} failed without the fix{f': {code(said)}' if said else ''}"
    return RedVerdict(kind="red", reason=reason, tests=tuple(test.name for test in tests[:MAX_RED_TESTS]))


def _red_by_name(run: CommandRun, name: str, tests: Sequence[TestResult], facts: RedFacts) -> RedVerdict:
    if not facts.may_lack_name:
        reason = f"{code(run.command)} lacks the name {code(name)}: what it is to test was never run"
        return RedVerdict(kind="not_run", reason=reason)
    reason = f"{code(run.command)} fails because {code(name)} is not there yet"
    names = tuple(test.name for test in tests[:MAX_RED_TESTS])
    return RedVerdict(kind="red", reason=reason, tests=names, missing_name=name, by_exit_code=run.report is None)


def _name_lacking_in(run: CommandRun) -> str:
    """The name that stopped the tests of a file from being collected, or the code from being compiled."""
    if run.report is None:
        return missing_name(run.output)
    return next((name for one in run.report.broken if (name := missing_name(one.detail))), "")


def _new_failures(report: TestReport, run: CommandRun, facts: RedFacts) -> list[TestResult]:
    known = {(test.name, stable_detail(test)) for test in _failed_before(run, facts)}
    failed = [test for test in report.failed if _is_in_files(test, facts)]
    return [test for test in failed if (test.name, stable_detail(test)) not in known]


def _failed_before(run: CommandRun, facts: RedFacts) -> list[TestResult]:
    others = [other for other in (facts.base.runs if facts.base is not None else ()) if other.command == run.command]
    reports = [one.report for one in (facts.before, *others) if one is not None and one.report is not None]
    return [test for report in reports for test in report.failed]


def _is_in_files(test: TestResult, facts: RedFacts) -> bool:
    if test.file:
        return any(test.file == path or test.file.endswith(f"/{path}") for path in facts.test_files)
    if facts.test_names is None:
        return True
    words = {*re.findall(r"\w+", test.name)}
    return any(name in words or (" " in name and name in test.name) for name in facts.test_names)


def _failed_the_same_before(run: CommandRun, facts: RedFacts) -> bool:
    """Whether it failed before the test was written, with the same exit code and words."""
    if run.purpose is Purpose.TEST:
        return facts.base is not None and not facts.base.passed(Purpose.TEST)
    before = facts.before
    if before is None or before.passed or before.cut_short:
        return False
    return before.exit_code == run.exit_code and _stable(before.output) == _stable(run.output)


def _stable(output: str) -> str:
    return re.sub(r"\d+(?:\.\d+)?", "0", output).strip()


def still_red(verdict: RedVerdict, runs: Sequence[CommandRun], red_tests: Sequence[str]) -> RedVerdict:
    """The verdict over the head's tests on the base's code. Each test that was seen to fail has to fail again."""
    report = next((run.report for run in runs if run.purpose is Purpose.NEW_TEST), None)
    if verdict.kind != "red" or report is None or verdict.missing_name:
        return verdict
    ends = {test.name: test for test in report.tests}
    for name in red_tests:
        if name not in ends:
            return RedVerdict(kind="not_run", reason=f"{code(name)} was seen to fail, and is not run any more")
        if not ends[name].fails:
            reason = f"{code(name)} was changed after it was seen to fail, and no longer fails without the change"
            return RedVerdict(kind="green", reason=reason)
    return verdict
