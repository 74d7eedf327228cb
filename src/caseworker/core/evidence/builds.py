"""Results of builds: what ran, how it ended, and the kinds of verdicts that code draws from it."""

from enum import StrEnum
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import Sha
from caseworker.core.base.text import code
from caseworker.core.evidence.test_report import TestReport

OUTPUT_TAIL = 8_000
"""Characters of output kept per command, from its end: that is where test runners say what failed."""


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
    from_cache: bool = False
    """Of a set-up: its result was kept from an earlier run, and it did not run again."""
    over_limit: str = ""
    """Why it was ended, in a sentence: it used too much memory, disk or processes. Empty: it was not."""
    refused: tuple[str, ...] = ()
    """Of a set-up: the hosts that it was refused, as `setup_hosts` would name them."""
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

    def brief(self, *, named: bool = False) -> "CommandRun":
        return self if self.report is None else self.model_copy(update={"report": self.report.brief(named=named)})

    def for_record(self) -> "CommandRun":
        """Without what only judging needs."""
        return self.model_copy(update={"failures": None, "report": None})


VerdictKind = Literal["green", "red", "could_not_run", "nothing_to_run", "not_run"]
"""`could_not_run`: the repository's tests can't be run, with or without the change. A person has to put that right; it
excuses nothing. `nothing_to_run`: there is no command. `not_run`: the new test was not run: it proves nothing, whatever
the exit code."""


class BuildVerdict(BaseModel):
    model_config = ConfigDict(frozen=True)
    kind: VerdictKind
    reason: str


class RedVerdict(BuildVerdict):
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
    recipe: str = ""
    """Which recipe named the commands, as a part of a sentence. Empty: the repository or the rules did."""
    proof: Proof | None = None
    """Of a head: its tests on the base's code. Null: they were not run there."""

    def brief(self) -> "Build":
        """As it is stored: without the names of tests that passed. Those of a base are compared with later builds."""
        named = self.stage is Stage.BASE
        return self.model_copy(update={"runs": tuple(run.brief(named=named) for run in self.runs)})

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


NOTHING_TO_RUN: Final = BuildVerdict(kind="nothing_to_run", reason="no test command was found in this repository")


def how_it_ended(run: CommandRun) -> str:
    if run.timed_out:
        return f"was stopped after {run.seconds:.0f} s"
    if run.over_limit:
        return f"was stopped: {run.over_limit}"
    if run.exit_code == 0 and not run.passed and run.report is not None:
        bad = (*run.report.failed, *run.report.broken)[0]
        return f"ended with exit code 0, although {code(bad.name)} failed"
    return f"ended with exit code {run.exit_code}"
