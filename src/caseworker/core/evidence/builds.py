"""Results of builds, and the verdicts that code draws from them. A model's claims don't count."""

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import Sha
from caseworker.core.base.text import code
from caseworker.core.evidence.test_report import TestOutcome, TestReport

OUTPUT_TAIL = 8_000
"""Characters of output kept per command, from its end: that is where test runners say what failed."""
MAX_FAILURES = 5_000
"""Names of failures kept per command. If there are more, none is kept, so that nothing is excused."""
MAX_NAME = 300
"""Characters kept per name."""


class Purpose(StrEnum):
    SETUP = "setup"
    TEST = "test"
    LINT = "lint"
    TYPES = "types"
    NEW_TEST = "new_test"
    """The test written for this case, run alone."""


class Stage(StrEnum):
    BASE = "base"
    """The commit that the work starts from."""
    RED = "red"
    """The base with the new test, which must fail."""
    HEAD = "head"
    """The commit that would be pushed, which must pass."""


class Command(BaseModel):
    model_config = ConfigDict(frozen=True)
    purpose: Purpose
    command: str


class CommandRun(BaseModel):
    model_config = ConfigDict(frozen=True)
    purpose: Purpose
    command: str
    exit_code: int
    seconds: float
    output: str
    """The tail of standard output and error together."""
    timed_out: bool = False
    over_limit: str = ""
    """Why it was ended, in a sentence: it used too much memory, disk or processes. Empty: it was not."""
    failures: tuple[str, ...] | None = None
    """Names of failures in the whole output, each as often as it occurs. None: not known.
    For comparing builds, not for people: there may be thousands."""
    report: TestReport | None = None
    """Results per test. None: its runner gave none that we can read, and exit code and output have to do."""

    @property
    def cut_short(self) -> bool:
        """Whether we ended it: it has not said all."""
        return self.timed_out or bool(self.over_limit)

    @property
    def passed(self) -> bool:
        """A report makes a run worse, never better: an exit code may be swallowed."""
        return self.exit_code == 0 and not self.cut_short and not (self.report is not None and self.report.is_bad)

    def brief(self) -> "CommandRun":
        return self if self.report is None else self.model_copy(update={"report": self.report.brief()})

    def for_record(self) -> "CommandRun":
        """Without what only judging needs."""
        return self.model_copy(update={"failures": None, "report": None})


VerdictKind = Literal["green", "red", "nothing_to_run", "not_run"]
"""`not_run`: there is a test, and it was not run: it proves nothing, whatever the exit code."""


class Verdict(BaseModel):
    model_config = ConfigDict(frozen=True)
    kind: VerdictKind
    reason: str


class RedVerdict(Verdict):
    """The verdict over a run that must fail: of the new test, on code without the change."""

    tests: tuple[str, ...] = ()
    """The new tests that failed, as their runner names them. Empty: it gives no report."""
    missing_name: str = ""
    """They failed only because this name is not there: the change has to provide it."""
    by_exit_code: bool = False
    """The runner gives no report: exit code and output were judged."""


class Proof(BaseModel):
    """The tests as they are in the head, run on the base's code."""

    model_config = ConfigDict(frozen=True)
    verdict: RedVerdict
    runs: tuple[CommandRun, ...] = ()


class Build(BaseModel):
    """One run of every command on one commit."""

    model_config = ConfigDict(frozen=True)
    number: int
    stage: Stage
    commit: Sha
    runs: tuple[CommandRun, ...]
    not_run: tuple[Command, ...] = ()
    """Commands that were found and not run, because the set-up failed."""
    proof: Proof | None = None
    """Of a head: its tests on the base's code. Null: they were not run there."""

    def brief(self) -> "Build":
        """As it is stored: without the names of tests that passed."""
        return self.model_copy(update={"runs": tuple(run.brief() for run in self.runs)})

    def run_of(self, purpose: Purpose) -> CommandRun | None:
        return next((run for run in self.runs if run.purpose is purpose), None)

    def passed(self, purpose: Purpose) -> bool:
        """Whether no command of this purpose failed. True if there was none."""
        return all(run.passed for run in self.runs if run.purpose is purpose)

    def result_of(self, *purposes: Purpose) -> bool | None:
        """Whether every command of these purposes ran and passed. Null: there is no such command."""
        if any(command.purpose in purposes for command in self.not_run):
            return False
        runs = [run for run in self.runs if run.purpose in purposes]
        return all(run.passed for run in runs) if runs else None

    @property
    def tested(self) -> bool:
        """Whether a test command was run, with any result."""
        return self.run_of(Purpose.TEST) is not None

    @property
    def set_up_failed(self) -> bool:
        """If so, the later commands were not run."""
        return not self.passed(Purpose.SETUP)


NOTHING_TO_RUN: Final = Verdict(kind="nothing_to_run", reason="no test command was found in this repository")


def judge_head(
    head: Build, base: Build | None, red_tests: Sequence[str] = (), reported: Collection[str] = ()
) -> Verdict:
    """Judges a head build. Green: every command passes, or also fails on the base; the new test has to pass.
    `red_tests`: tests that were seen to fail without the change. They have to be run, and pass. `reported`: commands
    that reported their tests without the change. They have to report some again: code can end its runner early."""
    unexcused = _unexcused_failures(head, base)
    if unexcused and (head.tested or head.set_up_failed):
        return Verdict(kind="red", reason=f"{code(unexcused[0].command)} {how_it_ended(unexcused[0])}")
    if not head.tested:
        return NOTHING_TO_RUN
    if (missing := _not_passed(head, red_tests)) is not None:
        return Verdict(kind="red", reason=f"{code(missing)} was seen to fail without the change, and was not run on it")
    if (silent := next((run for run in head.runs if run.report is None and run.command in reported), None)) is not None:
        return Verdict(kind="red", reason=f"{code(silent.command)} reported tests before the change, and none on it")
    if (empty := _without_tests(head)) is not None:
        return Verdict(kind="nothing_to_run", reason=f"{code(empty.command)} ran no test")
    excused = next((run for run in head.runs if not run.passed), None)
    if excused is not None:
        return Verdict(kind="green", reason=f"{code(excused.command)} fails on the base as well; nothing else failed")
    return Verdict(kind="green", reason=f"{len(head.runs)} of {len(head.runs)} commands passed")


def reporting(builds: Iterable[Build]) -> frozenset[str]:
    """The commands that reported tests in these builds."""
    runs = [run for build in builds for run in build.runs]
    return frozenset(run.command for run in runs if run.report is not None and run.report.ran)


def _not_passed(head: Build, red_tests: Sequence[str]) -> str | None:
    """A test that was red and is not among those that passed. None: all are, or passed ones are not named."""
    own = head.run_of(Purpose.NEW_TEST)
    runs = [own] if own is not None else [run for run in head.runs if run.purpose is Purpose.TEST]
    reports = [run.report for run in runs if run.report is not None]
    passed = {test.name for report in reports for test in report.tests if test.outcome is TestOutcome.PASSED}
    if len(passed) < sum(report.passed for report in reports):
        return None
    return next((name for name in red_tests if name not in passed), None)


def _without_tests(head: Build) -> CommandRun | None:
    """A test command that reports no test, if none of them reports one."""
    tests = [run for run in head.runs if run.purpose in (Purpose.TEST, Purpose.NEW_TEST)]
    is_empty = all(run.report is not None and run.passed and not run.report.ran for run in tests)
    return tests[0] if tests and is_empty else None


def base_fails_too(head: Build, base: Build | None) -> bool:
    """Whether each command that made the head red also failed on the base, in a way that can't be told apart.

    A command that passed there, names a new failure, or is the new test, fails because of the change."""
    unexcused = _unexcused_failures(head, base)
    return bool(unexcused) and all(_may_have_failed_before(run, base) for run in unexcused)


def _unexcused_failures(head: Build, base: Build | None) -> list[CommandRun]:
    """Failed commands that the base does not excuse. A set-up is never excused if no test ran after it."""
    failed = [run for run in head.runs if not run.passed]
    if head.set_up_failed and not head.tested:
        return failed
    return [run for run in failed if not _fails_the_same_on_base(run, base)]


def how_it_ended(run: CommandRun) -> str:
    if run.timed_out:
        return f"was stopped after {run.seconds:.0f} s"
    if run.over_limit:
        return f"was stopped: {run.over_limit}"
    if run.exit_code == 0 and not run.passed and run.report is not None:
        bad = (*run.report.failed, *run.report.broken)[0]
        return f"ended with exit code 0, although {code(bad.name)} failed"
    return f"ended with exit code {run.exit_code}"


_FAILURE_LINE = re.compile(
    r"^[^\S\n]*(?:(?:FAILED|FAIL:?|ERROR:?|not ok)(?!\w)|--- FAIL:|✖|✗|×|error(?:\[\w+\])?:)[^\S\n]*(\S.*)$",
    re.MULTILINE,
)
_FAILURE_MARKS = ("FAIL", "ERROR", "not ok", "✖", "✗", "×", "error")
"""Every failure line has one of these. Most output has none, and this check is ten times as fast as the pattern."""

_VARYING_NUMBERS = re.compile(r"0x[0-9a-fA-F]+|(?<![\w\[-])\d+")
"""Addresses, times, line numbers. Numbers inside a name are kept: `test_1` and `test[2]` are different tests."""


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


def _fails_the_same_on_base(run: CommandRun, base: Build | None) -> bool:
    """Whether both runs name their failures and this one names no new one. Equal exit codes are not enough."""
    before = _failed_run_on_base(run, base)
    if before is None or run.cut_short or before.cut_short:
        return False
    named, known = _all_failures(run), _all_failures(before)
    return False if not named or known is None else named <= known


def _may_have_failed_before(run: CommandRun, base: Build | None) -> bool:
    """Whether it also failed on the base, and names no failure that is missing there."""
    before = _failed_run_on_base(run, base)
    if before is None:
        return False
    if before.cut_short:
        return True
    if run.cut_short:
        return False  # the base was not
    named, known = _all_failures(run), _all_failures(before)
    return not named or not known or named <= known


def _failed_run_on_base(run: CommandRun, base: Build | None) -> CommandRun | None:
    """The run of the same command on the base, if it failed there. The new test is never compared."""
    if base is None or run.purpose is Purpose.NEW_TEST:
        return None
    before = next((other for other in base.runs if other.command == run.command), None)
    return None if before is None or before.passed else before


def _all_failures(run: CommandRun) -> Counter[str] | None:
    """The failures that a run named. None: its output was cut, so there may be more and a comparison is impossible."""
    if run.report is not None and run.report.is_bad:
        return Counter(test.name for test in (*run.report.failed, *run.report.broken))
    if run.failures is not None:
        return Counter(run.failures)
    return failures_named(run.output) if len(run.output) < OUTPUT_TAIL else None
