"""Results of builds, and the verdicts that code draws from them. A model's claims don't count."""

import hashlib
import re
from collections import Counter
from enum import StrEnum
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import Sha
from caseworker.core.base.text import code

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
    failures: tuple[str, ...] | None = None
    """Names of failures in the whole output, each as often as it occurs. None: not known.
    For comparing builds, not for people: there may be thousands."""

    @property
    def passed(self) -> bool:
        return self.exit_code == 0 and not self.timed_out


class Build(BaseModel):
    """One run of every command on one commit."""

    model_config = ConfigDict(frozen=True)
    number: int
    stage: Stage
    commit: Sha
    runs: tuple[CommandRun, ...]
    not_run: tuple[Command, ...] = ()
    """Commands that were found and not run, because the set-up failed."""

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


class Verdict(BaseModel):
    model_config = ConfigDict(frozen=True)
    kind: Literal["green", "red", "nothing_to_run"]
    reason: str


_NOTHING_TO_RUN: Final = Verdict(kind="nothing_to_run", reason="no test command was found in this repository")


def judge_head(head: Build, base: Build | None) -> Verdict:
    """Judges a head build. Green: every command passes, or also fails on the base; the new test has to pass."""
    unexcused = _unexcused_failures(head, base)
    if unexcused and (head.tested or head.set_up_failed):
        return Verdict(kind="red", reason=f"{code(unexcused[0].command)} {how_it_ended(unexcused[0])}")
    if not head.tested:
        return _NOTHING_TO_RUN
    excused = next((run for run in head.runs if not run.passed), None)
    if excused is not None:
        return Verdict(kind="green", reason=f"{code(excused.command)} fails on the base as well; nothing else failed")
    return Verdict(kind="green", reason=f"{len(head.runs)} of {len(head.runs)} commands passed")


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


def judge_red(red: Build, base: Build | None) -> Verdict:
    """Judges a red-first build. Red: with the new test and without the fix, tests fail that passed before."""
    new_test = red.run_of(Purpose.NEW_TEST)
    suites = [run for run in red.runs if run.purpose is Purpose.TEST]
    if new_test is not None:
        if new_test.passed:
            return Verdict(kind="green", reason=f"{code(new_test.command)} passes without the fix: it proves nothing")
        return Verdict(kind="red", reason=f"{code(new_test.command)} {how_it_ended(new_test)} without the fix")
    if not suites:
        broken = next((run for run in red.runs if run.purpose is Purpose.SETUP and not run.passed), None)
        if broken is None:
            return _NOTHING_TO_RUN
        reason = f"nothing could be tested: {code(broken.command)} {how_it_ended(broken)}"
        return Verdict(kind="nothing_to_run", reason=reason)
    failed = next((run for run in suites if not run.passed), None)
    if failed is None:
        return Verdict(kind="green", reason=f"{code(suites[0].command)} passes with the new test and without the fix")
    if base is not None and not base.passed(Purpose.TEST):
        return Verdict(kind="green", reason=f"{code(failed.command)} failed before the new test as well")
    return Verdict(kind="red", reason=f"{code(failed.command)} {how_it_ended(failed)} without the fix")


def how_it_ended(run: CommandRun) -> str:
    if run.timed_out:
        return f"was stopped after {run.seconds:.0f} s"
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
    if before is None or run.timed_out or before.timed_out:
        return False
    named, known = _all_failures(run), _all_failures(before)
    return False if not named or known is None else named <= known


def _may_have_failed_before(run: CommandRun, base: Build | None) -> bool:
    """Whether it also failed on the base, and names no failure that is missing there."""
    before = _failed_run_on_base(run, base)
    if before is None:
        return False
    if before.timed_out:
        return True
    if run.timed_out:
        return False  # the base did not time out
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
    if run.failures is not None:
        return Counter(run.failures)
    return failures_named(run.output) if len(run.output) < OUTPUT_TAIL else None
