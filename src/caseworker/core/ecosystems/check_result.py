"""How a check of a repository ended: works, works although tests fail already, or could not run with what to do."""

import re
from collections.abc import Sequence
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.text import code
from caseworker.core.evidence.builds import CommandRun, Purpose

RECIPE_TODO: Final = "Write the commands into its recipe, or into .caseworker.toml."
_REFUSED: Final = re.compile(r"refused this set-up a connection to ([\w.:\[\]-]+)")
_NUMBER: Final = r"(?<!\d)(\d{1,9})"
_COUNTS: Final = re.compile(
    rf"^(?:# |ℹ )?tests {_NUMBER}$|{_NUMBER} (?:passed|passing)\b|\bRan {_NUMBER} tests? in|{_NUMBER} tests? passed\b"
    rf"|\bTests run: {_NUMBER}|\btests failed out of {_NUMBER}",
    re.MULTILINE,
)
"""How many tests passed, or ran, as runners without a report print it."""
_FAILED: Final = re.compile(rf"{_NUMBER} (?:failed|failing)\b")
_OF_FILES: Final = ("Test Files", "Test Suites:")
_NOTHING: Final = re.compile(
    r"Nothing to be done for|[Nn]o tests? (?:were |was )?(?:found|ran|run|specified)|Ran 0 tests"
)
_REMEDIES: Final = (
    (
        r"([\w.+-]{1,60}\.h): No such file or directory",
        "the header {0} of a library in C is missing",
        "Install the development package that has {0} (on Debian: apt-file search {0}).",
    ),
    (
        r"No interpreter found for (Python [^\n]{1,60}?) in",
        "no interpreter is here that fits: {0}",
        "Install it ({0}), so that it is on PATH.",
    ),
    (
        r"(?:line \d+: |sh: \d+: |bash: |env: ['‘])([\w./+-]{1,60})['’]?: (?:command )?not found",
        "the program {0} is not there",
        "Install {0}, so that it is on PATH; or name its folder in `expose` in caseworker.toml.",
    ),
    (
        r"(?<![\w.:-])([\w.:-]{1,253}) is allowed but (?:its name can't be looked up|can't be reached)",
        "{0} can't be reached",
        "Look at the network of this machine, and at the registries that were found.",
    ),
    (
        r"(?:[Nn]o matching version found for|are no versions of|no matching package named) `?([\w@/.^~<>=*-]{1,99})",
        "the registry has no {0}",
        "Ask for a version that your registry has, or set your package manager up for a registry that has it.",
    ),
    (
        r"Because ([\w.-]{1,100}) was not found in the package registry",
        "the registry has no {0}",
        "Set pip or uv up for an index that has it.",
    ),
    (
        r"ModuleNotFoundError: No module named ['\"]([\w.]{1,80})['\"]",
        "the Python module {0} is not installed",
        "Add what has {0} to the set-up in its recipe.",
    ),
    (
        r"Cannot find module ['\"]([^'\"\n]{1,80})['\"]",
        "the module {0} can't be found",
        "Add the step that makes or installs {0} to the set-up in its recipe.",
    ),
)


class CheckResult(BaseModel):
    model_config = ConfigDict(frozen=True)
    kind: Literal["works", "fails_already", "could_not_run"]
    tests: int = 0
    """How many ran to an end."""
    failing: int = 0
    why: str = ""
    todo: str = ""

    @property
    def sentence(self) -> str:
        match self.kind:
            case "works":
                counted = {0: "its tests pass", 1: "1 test passes"}
                return f"works: {counted.get(self.tests, f'{self.tests} tests pass')}"
            case "fails_already":
                return f"works, {self.failing} of {self.tests} tests already fail"
            case "could_not_run":
                return f"could not run: {self.why}. {self.todo}"


def result_of(runs: Sequence[CommandRun], *, has_tests: bool) -> CheckResult:
    failed = next((run for run in runs if run.purpose is Purpose.SETUP and not run.passed), None)
    if failed is not None:
        return _could_not_run(failed, f"the set-up {code(failed.command)} failed")
    if not has_tests:
        why = "no file named like a test and no command that runs tests was found"
        return CheckResult(kind="could_not_run", why=why, todo=RECIPE_TODO)
    tests = [run for run in runs if run.purpose is Purpose.TEST]
    counts = [_counted(run) for run in tests]
    for run, count in zip(tests, counts, strict=True):
        if count[0] == 0 and not run.passed:
            return _could_not_run(run, f"{code(run.command)} ended before a test ran")
    total, failing = sum(count[0] for count in counts), sum(count[1] for count in counts)
    if total == 0 and not all(_did_something(run) for run in tests):
        return CheckResult(kind="could_not_run", why="no test was run", todo=RECIPE_TODO)
    if all(run.passed for run in tests):
        return CheckResult(kind="works", tests=total)
    return CheckResult(kind="fails_already", tests=total, failing=max(1, failing))


def _did_something(run: CommandRun) -> bool:
    """A runner that we can't count, such as a program in C: its exit code has to do."""
    return bool(run.output.strip()) and not _NOTHING.search(run.output)


def _counted(run: CommandRun) -> tuple[int, int]:
    """Tests that ran, and those that failed."""
    if run.report is not None:
        bad = len(run.report.failed) + len(run.report.broken)
        return run.report.ran + len(run.report.broken) if run.report.ran else 0, bad
    # A failure that is only named may be the runner's own, before any test: what the runner counts is what ran.
    text = "\n".join(line for line in run.output.splitlines() if not line.strip().startswith(_OF_FILES))
    ran = sum(int(number) for found in _COUNTS.findall(text) for number in found if number)
    failing = sum(int(number) for number in _FAILED.findall(text)) if not run.passed else 0
    return (ran + failing, failing)


def _could_not_run(run: CommandRun, why: str) -> CheckResult:
    if refused := _REFUSED.search(run.output):
        host = refused[1].rstrip(".").removesuffix(":443").removesuffix(":80")
        todo = f'If that is right, write setup_hosts = ["registries", "{host}"] into caseworker.toml.'
        return CheckResult(kind="could_not_run", why=f"{why}: it was refused a connection to {host}", todo=todo)
    if run.timed_out:
        todo = "Raise `command_minutes` in caseworker.toml, or write a shorter test command into its recipe."
        return CheckResult(
            kind="could_not_run", why=f"{code(run.command)} took longer than {run.seconds:.0f} s", todo=todo
        )
    for pattern, reason, todo in _REMEDIES:
        if found := re.search(pattern, run.output):
            names = found.groups() or ("",)
            return CheckResult(
                kind="could_not_run", why=f"{why}: {reason.format(*names).rstrip('.')}", todo=todo.format(*names)
            )
    lines = [line.strip() for line in run.output.splitlines() if line.strip()]
    last = f": {lines[-1][:200]}" if lines else ""
    return CheckResult(kind="could_not_run", why=f"{why}{last.rstrip('.')}", todo=RECIPE_TODO)
