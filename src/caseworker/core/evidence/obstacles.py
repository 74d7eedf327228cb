"""What stops a repository's own tests from being run. Such a build is neither green nor red: it could not run."""

import re
from collections.abc import Sequence
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from caseworker.core.evidence.builds import Build, CommandRun, Purpose
from caseworker.core.evidence.error_line import error_line
from caseworker.core.evidence.failure_names import failures_named, names_a_test
from caseworker.core.evidence.met_limits import said_limit
from caseworker.core.evidence.not_run import NO_SUCH_COMMAND, has_counted, said_not_run, tail_of
from caseworker.core.evidence.obstacle_causes import Cause, cause_of
from caseworker.core.evidence.untold_results import ended_untold

ObstacleKind = (
    Cause
    | Literal[
        "missing_command",
        "set_up_failed",
        "refused_host",
        "not_fetched",
        "not_collected",
        "no_test",
        "nothing_counted",
        "ended_untold",
        "timed_out",
        "over_limit",
        "limit_met",
    ]
)
_MOST_HOSTS: Final = 5
_SAID: Final = 200
_NO_FAILURE: Final = (0, 5)
"""Exit codes of a run in which nothing failed; pytest ends with 5 if it found no test."""
_ADVICE: Final = re.compile(r"hint: |note: |npm (?:ERR!|error) A complete log|Full log written|make(?:\[\d+\])?: ")
_MISSING: Final = (
    re.compile(r"No module named '?([\w.-]{1,100})'?"),
    re.compile(r"command not found: ([\w./+-]{1,100})"),
    re.compile(r"(?:^|: |['‘])([\w./+-]{1,100})['’]?: (?:[Cc]ommand )?(?:not found|No such file or directory)"),
    re.compile(r"can't open file '([^'\s]{1,200})'"),
    re.compile(r"Could not open input file: ([\w./+-]{1,100})"),
    re.compile(r"No rule to make target '?([\w./+-]{1,100})"),
    re.compile(r"[Mm]issing script: \"?([\w:./+-]{1,100})"),
)


class Obstacle(BaseModel):
    """One thing that a person has to put right before tests can run."""

    model_config = ConfigDict(frozen=True)

    why: ObstacleKind
    command: str
    said: str = ""
    """The line in which the program says it."""
    missing: str = ""
    """The command, the module, the header, the version or the host that is not there."""
    exit_code: int = 0
    """Of `nothing_counted`: how the command ended."""
    hosts: tuple[str, ...] = ()
    """Of `refused_host`: what set-up wanted to reach."""
    seconds: float = 0
    """Of `timed_out`: after how long it was stopped."""


def obstacle_of(build: Build, *, has_tests: bool = True) -> Obstacle | None:
    """What stopped the set-up or a test command of this build. Null: tests ran, or there is no command for them.
    `has_tests`: whether the repository has test files. One without any has none to collect."""
    return obstacle_of_runs(build.runs, has_tests=has_tests)


def obstacle_of_runs(runs: Sequence[CommandRun], *, has_tests: bool = True) -> Obstacle | None:
    set_up = next((run for run in runs if run.purpose is Purpose.SETUP and not run.passed), None)
    if set_up is not None:
        return _of_set_up(set_up)
    tests = [run for run in runs if run.purpose is Purpose.TEST]
    found = [what_stopped(run) for run in tests]
    real = next((one for one in found if one is not None and one.why != "no_test"), None)
    if real is not None or not has_tests:
        return real
    empty = [one for one in found if one is not None]
    if tests and len(empty) == len(tests):
        return empty[0]
    return next(
        (_of_uncounted(run) for run in tests if not run.passed and run.output.strip() and not tells_of_tests(run)), None
    )


def what_stopped(run: CommandRun) -> Obstacle | None:
    """What stopped one command before it tested or checked anything. Null: it did, as far as can be told."""
    report = run.report
    if (said := said_limit(run)) is not None:
        return Obstacle(why="limit_met", command=run.command, said=said[:_SAID])
    if report is not None and report.ran:
        return None
    if run.cut_short:
        tail = tail_of(run.output)
        return None if has_counted(tail) or failures_named(tail) else _of_cut_short(run)
    if report is not None and report.broken:
        said = error_line(report.broken[0].detail) or report.broken[0].name
        return Obstacle(why="not_collected", command=run.command, said=said[:_SAID], missing=_missing(said))
    if report is not None and run.exit_code not in _NO_FAILURE and (cause := _cause(run)) is not None:
        return cause
    if report is not None:
        said = f"all {len(report.tests)} tests are skipped" if report.tests else ""
        return Obstacle(why="no_test", command=run.command, said=said)
    if run.exit_code != 0:
        return _by_output(run)
    if ended_untold(run):
        return Obstacle(why="ended_untold", command=run.command)
    found = said_not_run(run.output)
    return Obstacle(why="no_test", command=run.command) if found is not None and found[0] == "no_test" else None


def tells_of_tests(run: CommandRun) -> bool:
    """Whether a test was counted or a failed one named. Otherwise it is not known whether a failed command tested
    anything, and nothing can be compared with it: a linter before the tests may have ended it."""
    if run.report is not None:
        return True
    tail = tail_of(run.output)
    return has_counted(tail) or names_a_test(tail)


def _of_uncounted(run: CommandRun) -> Obstacle:
    return Obstacle(why="nothing_counted", command=run.command, said=_last_said(run.output), exit_code=run.exit_code)


def _of_set_up(run: CommandRun) -> Obstacle:
    if run.refused:
        return Obstacle(why="refused_host", command=run.command, hosts=run.refused[:_MOST_HOSTS])
    if run.cut_short:
        return _of_cut_short(run)
    found = _by_output(run)
    if found is not None and found.why not in ("not_fetched", "not_collected", "no_test"):
        return found
    said = found.said if found is not None and found.why == "not_fetched" else _last_said(run.output)
    return Obstacle(why="set_up_failed", command=run.command, said=said)


def _of_cut_short(run: CommandRun) -> Obstacle:
    if run.over_limit:
        return Obstacle(why="over_limit", command=run.command, said=run.over_limit)
    return Obstacle(why="timed_out", command=run.command, seconds=run.seconds)


def _by_output(run: CommandRun) -> Obstacle | None:
    tail = tail_of(run.output)
    if not has_counted(tail) and (cause := _cause(run)) is not None:
        return cause
    found = said_not_run(run.output)
    if run.exit_code in NO_SUCH_COMMAND and (found is None or found[0] != "missing_command"):
        lines = [line.strip()[:_SAID] for line in tail.splitlines() if line.strip()]
        said = next((line for line in reversed(lines) if _missing(line)), "")
        return Obstacle(why="missing_command", command=run.command, said=said, missing=_missing(said))
    if found is None:
        return None
    why, said = found
    return Obstacle(why=why, command=run.command, said=said, missing=_missing(said))


def _cause(run: CommandRun) -> Obstacle | None:
    cause = cause_of(tail_of(run.output))
    if cause is None:
        return None
    return Obstacle(why=cause.kind, command=run.command, said=cause.said, missing=cause.missing)


def _missing(said: str) -> str:
    return next((found[1] for pattern in _MISSING if (found := pattern.search(said))), "")


def _last_said(output: str) -> str:
    """The last line that may tell the reason. Some programs end with advice."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if not _ADVICE.match(line)]
    return (telling or lines or [""])[-1][:_SAID]
