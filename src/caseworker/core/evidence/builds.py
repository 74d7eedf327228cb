"""What we ran and saw, and the judgements that follow from it. Models claim; this decides."""

import hashlib
import re
from collections import Counter
from enum import StrEnum
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import Sha
from caseworker.core.base.text import code

OUTPUT_TAIL = 8_000
"""Characters of output kept per command: the end is where test runners say what failed."""
MAX_FAILURES = 5_000
"""Names kept per command. Of a command that names more, none is kept: so nothing is excused."""
MAX_NAME = 300
"""Characters per name."""


class Purpose(StrEnum):
    SETUP = "setup"
    TEST = "test"
    LINT = "lint"
    TYPES = "types"
    NEW_TEST = "new_test"
    """The test written for this case, run alone."""


class Stage(StrEnum):
    BASE = "base"
    """The commit the work starts from."""
    RED = "red"
    """The base with the new test: it must fail."""
    HEAD = "head"
    """The commit that would be pushed: it must pass."""


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
    """What failed, by the names in the whole output, each as often as it was named. None: not known.
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

    def run_of(self, purpose: Purpose) -> CommandRun | None:
        return next((run for run in self.runs if run.purpose is purpose), None)

    def passed(self, purpose: Purpose) -> bool:
        """No command of this purpose, or all of them passed."""
        return all(run.passed for run in self.runs if run.purpose is purpose)

    @property
    def tested(self) -> bool:
        """A test command was run, whatever came of it."""
        return self.run_of(Purpose.TEST) is not None

    @property
    def set_up_failed(self) -> bool:
        """Then what comes after it was not run."""
        return not self.passed(Purpose.SETUP)


class Verdict(BaseModel):
    model_config = ConfigDict(frozen=True)
    kind: Literal["green", "red", "nothing_to_run"]
    reason: str


_NOTHING_TO_RUN: Final = Verdict(kind="nothing_to_run", reason="no test command was found in this repository")


def judge_head(head: Build, base: Build | None) -> Verdict:
    """Green: every command passes, or fails on the base as well. The new test has no such excuse."""
    guilty = _guilty(head, base)
    if guilty and (head.tested or head.set_up_failed):
        return Verdict(kind="red", reason=f"{code(guilty[0].command)} {how_it_ended(guilty[0])}")
    if not head.tested:
        return _NOTHING_TO_RUN
    excused = next((run for run in head.runs if not run.passed), None)
    if excused is not None:
        return Verdict(kind="green", reason=f"{code(excused.command)} fails on the base as well; nothing else failed")
    return Verdict(kind="green", reason=f"{len(head.runs)} of {len(head.runs)} commands passed")


def base_fails_too(head: Build, base: Build | None) -> bool:
    """Of a red head: each command that made it red failed on the base as well, and nothing tells the two failures
    apart. One that passed there, names a failure which is new, or is the new test, is the change's own."""
    guilty = _guilty(head, base)
    return bool(guilty) and all(_may_be_old(run, base) for run in guilty)


def _guilty(head: Build, base: Build | None) -> list[CommandRun]:
    """What failed and is not excused. A set-up has no excuse where nothing could be tested after it."""
    failed = [run for run in head.runs if not run.passed]
    if head.set_up_failed and not head.tested:
        return failed
    return [run for run in failed if not _failed_alike_on_base(run, base)]


def judge_red(red: Build, base: Build | None) -> Verdict:
    """Red first: with the new test and without the fix, the tests fail, where they passed before it."""
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
_MARKS = ("FAIL", "ERROR", "not ok", "✖", "✗", "×", "error")
"""One of these is in every such line. Most output has none, and looking for them is ten times as fast."""

_CHANGES_FROM_RUN_TO_RUN = re.compile(r"0x[0-9a-fA-F]+|(?<![\w\[-])\d+")
"""Addresses, times, line numbers. A number inside a name stays: `test_1` and `test[2]` are tests of their own."""


def failures_named(output: str) -> Counter[str]:
    """The failures a test runner named, and how often, with what changes from run to run taken out."""
    if not any(mark in output for mark in _MARKS):
        return Counter()
    return Counter(_name(said) for said in _FAILURE_LINE.findall(output))


def _name(said: str) -> str:
    name = _CHANGES_FROM_RUN_TO_RUN.sub("0", said).strip()
    if len(name) <= MAX_NAME:
        return name
    # Merely cut, two cases of one test could pass for each other; pytest prints messages of any length in a CI.
    digest = hashlib.sha256(name.encode(errors="replace")).hexdigest()[:16]
    return f"{name[: MAX_NAME - len(digest) - 1]}~{digest}"


def _failed_alike_on_base(run: CommandRun, base: Build | None) -> bool:
    """Excused only if both runs name their failures and this one names no new one: an exit code proves nothing."""
    before = _before(run, base)
    if before is None or run.timed_out or before.timed_out:
        return False
    named, known = _all_failures(run), _all_failures(before)
    return False if not named or known is None else named <= known


def _may_be_old(run: CommandRun, base: Build | None) -> bool:
    """It failed on the base as well, and names no failure that the base, which named its own, did not."""
    before = _before(run, base)
    if before is None:
        return False
    if before.timed_out:
        return True
    if run.timed_out:
        return False  # the base came to an end
    named, known = _all_failures(run), _all_failures(before)
    return not named or not known or named <= known


def _before(run: CommandRun, base: Build | None) -> CommandRun | None:
    """The same command on the base, if it failed there. The new test is not compared with anything."""
    if base is None or run.purpose is Purpose.NEW_TEST:
        return None
    before = next((other for other in base.runs if other.command == run.command), None)
    return None if before is None or before.passed else before


def _all_failures(run: CommandRun) -> Counter[str] | None:
    """None: it may have named more than the tail of its output shows, so that comparing would say nothing."""
    if run.failures is not None:
        return Counter(run.failures)
    return failures_named(run.output) if len(run.output) < OUTPUT_TAIL else None
