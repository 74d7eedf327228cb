"""How a check of a repository ended: works, works although tests fail already, passes its tests although the command
fails, or could not run with what to do.

Whether tests could run is decided by `core/evidence/obstacles.py`, for a check and for a case alike. Only a
command that fails without a word differs: a check says that it could not run.
"""

import re
from collections.abc import Sequence
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.text import code
from caseworker.core.evidence.builds import CommandRun, Purpose, how_it_ended
from caseworker.core.evidence.failure_names import failures_named
from caseworker.core.evidence.obstacle_words import remedy_words, stopped_words
from caseworker.core.evidence.obstacles import Obstacle, ObstacleKind, obstacle_of_runs, tells_of_tests

_NO_TESTS: Final = "this repository has no file named like a test, and names no command that runs tests"
_NO_TESTS_TODO: Final = (
    "If it has tests, name the command that runs them: `test` under `[commands]` in `.caseworker.toml`, or in its "
    "recipe. If it has none, a case can write the first ones, and nothing else proves its change."
)
_NONE_NAMED: Final = "`[commands]` in `.caseworker.toml` names no command that runs tests"
_NONE_NAMED_TODO: Final = 'Name one, as in `test = "make test"`, or leave `test` out: then it is looked for.'
_OTHERWISE_TODO: Final = (
    "No change would be seen to pass with it: correct what ends it so (a coverage limit, a hook at exit), or name "
    "another `test` under `[commands]` in `.caseworker.toml`."
)
_NAMED: Final = 3
_NUMBER: Final = r"(?<!\d)(\d{1,9})"
_COUNTS: Final = re.compile(
    rf"^(?:# |ℹ )?tests {_NUMBER}$|{_NUMBER} (?:passed|passing)\b|\bRan {_NUMBER} tests? in|{_NUMBER} tests? passed\b"
    rf"|\bTests run: {_NUMBER}|\btests failed out of {_NUMBER}",
    re.MULTILINE,
)
"""How many tests passed, or ran, as runners without a report print it."""
_FAILED: Final = re.compile(rf"{_NUMBER} (?:failed|failing)\b")
_OF_FILES: Final = ("Test Files", "Test Suites:")


class CheckResult(BaseModel):
    model_config = ConfigDict(frozen=True)
    kind: Literal["works", "fails_already", "fails_otherwise", "could_not_run"]
    """`fails_otherwise`: no test fails, and its command does."""
    tests: int = 0
    """How many ran to an end."""
    failing: int = 0
    why: str = ""
    todo: str = ""

    @property
    def sentence(self) -> str:
        match self.kind:
            case "works":
                counted = {0: "its tests pass (they are not counted)", 1: "1 test passes"}
                return f"works: {counted.get(self.tests, f'{self.tests} tests pass')}"
            case "fails_already" if self.tests:
                return f"works, {self.failing} of {self.tests} tests already fail"
            case "fails_already":
                return "works, its tests already fail (they are not counted)"
            case "fails_otherwise":
                return f"{self.why}. {self.todo}"
            case "could_not_run":
                return f"could not run: {self.why}. {self.todo}"


def result_of(
    runs: Sequence[CommandRun], *, has_tests: bool, by_settings: bool = False, absent: Sequence[str] = ()
) -> CheckResult:
    """`has_tests`: whether there is a command that runs tests. `by_settings`: the repository's own settings say which.
    `absent`: submodules that the checkout lacks."""
    if (obstacle := obstacle_of_runs(runs)) is not None:
        todo = f"{_absent_words(absent)}{remedy_words(obstacle)}"
        return CheckResult(kind="could_not_run", why=stopped_words(obstacle), todo=todo)
    if not has_tests and by_settings:
        return CheckResult(kind="could_not_run", why=_NONE_NAMED, todo=_NONE_NAMED_TODO)
    if not has_tests:
        return CheckResult(kind="could_not_run", why=_NO_TESTS, todo=_NO_TESTS_TODO)
    tests = [run for run in runs if run.purpose is Purpose.TEST]
    counts = [_counted(run) for run in tests]
    total, failing = sum(count[0] for count in counts), sum(count[1] for count in counts)
    if all(run.passed for run in tests):
        return CheckResult(kind="works", tests=total)
    stopped = next((run for run in tests if run.cut_short), None)
    if stopped is not None:
        kind: ObstacleKind = "over_limit" if stopped.over_limit else "timed_out"
        why = f"{code(stopped.command)} {how_it_ended(stopped)}"
        todo = remedy_words(Obstacle(why=kind, command=stopped.command))
        return CheckResult(kind="could_not_run", tests=total, failing=failing, why=why, todo=todo)
    odd = next((run for run, count in zip(tests, counts, strict=True) if _fails_otherwise(run, *count)), None)
    if odd is not None:
        why = f"its tests pass, but the command {code(odd.command)} ends with {odd.exit_code}"
        return CheckResult(kind="fails_otherwise", tests=total, failing=failing, why=why, todo=_OTHERWISE_TODO)
    if not total and not any(tells_of_tests(run) for run in tests):
        return _silent(next(run for run in tests if not run.passed))
    return CheckResult(kind="fails_already", tests=total, failing=max(1, failing))


def _silent(run: CommandRun) -> CheckResult:
    """It failed without a word, so nothing is known of its tests."""
    obstacle = Obstacle(why="nothing_counted", command=run.command, exit_code=run.exit_code)
    return CheckResult(kind="could_not_run", why=stopped_words(obstacle), todo=remedy_words(obstacle))


def _fails_otherwise(run: CommandRun, ran: int, failing: int) -> bool:
    """Whether it counted tests and none that failed, and named no failure either."""
    if run.passed or run.cut_short or not ran or failing:
        return False
    return not run.failures and not failures_named(run.output)


def _absent_words(submodules: Sequence[str]) -> str:
    """The likeliest cure comes first."""
    if not submodules:
        return ""
    named = ", ".join(code(path) for path in submodules[:_NAMED])
    return f"{named} is not there: first run `git submodule update --init --recursive` in your checkout. Otherwise: "


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
