"""What stops a repository's own tests from being run. Such a build is neither green nor red: it could not run."""

import re
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from caseworker.core.evidence.builds import Build, CommandRun, Purpose
from caseworker.core.evidence.failure_names import failures_named
from caseworker.core.evidence.not_run import NO_SUCH_COMMAND, has_counted, said_not_run, tail_of
from caseworker.core.evidence.test_report import last_line

ObstacleKind = Literal[
    "missing_command",
    "set_up_failed",
    "refused_host",
    "not_fetched",
    "not_collected",
    "no_test",
    "timed_out",
    "over_limit",
]
_MOST_HOSTS: Final = 5
_SAID: Final = 200
_MISSING: Final = (
    re.compile(r"No module named '?([\w.-]{1,100})'?"),
    re.compile(r"command not found: ([\w./+-]{1,100})"),
    re.compile(r"(?:^|: |['‘])([\w./+-]{1,100})['’]?: (?:[Cc]ommand )?(?:not found|No such file or directory)"),
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
    """The command or the module that is not there."""
    hosts: tuple[str, ...] = ()
    """Of `refused_host`: what set-up wanted to reach."""
    seconds: float = 0
    """Of `timed_out`: after how long it was stopped."""


def obstacle_of(build: Build, *, has_tests: bool = True) -> Obstacle | None:
    """What stopped the set-up or a test command of this build. Null: tests ran, or there is no command for them.
    `has_tests`: whether the repository has test files. One without any has none to collect."""
    set_up = next((run for run in build.runs if run.purpose is Purpose.SETUP and not run.passed), None)
    if set_up is not None:
        return _of_set_up(set_up)
    tests = [run for run in build.runs if run.purpose is Purpose.TEST]
    found = [what_stopped(run) for run in tests]
    real = next((one for one in found if one is not None and one.why != "no_test"), None)
    if real is not None or not has_tests:
        return real
    empty = [one for one in found if one is not None]
    return empty[0] if tests and len(empty) == len(tests) else None


def what_stopped(run: CommandRun) -> Obstacle | None:
    """What stopped one command before it tested or checked anything. Null: it did, as far as can be told."""
    report = run.report
    if report is not None and report.ran:
        return None
    if run.cut_short:
        tail = tail_of(run.output)
        return None if has_counted(tail) or failures_named(tail) else _of_cut_short(run)
    if report is not None and report.broken:
        said = last_line(report.broken[0].detail) or report.broken[0].name
        return Obstacle(why="not_collected", command=run.command, said=said[:_SAID], missing=_missing(said))
    if report is not None:
        said = f"all {len(report.tests)} tests are skipped" if report.tests else ""
        return Obstacle(why="no_test", command=run.command, said=said)
    return None if run.exit_code == 0 else _by_output(run)


def _of_set_up(run: CommandRun) -> Obstacle:
    if run.refused:
        return Obstacle(why="refused_host", command=run.command, hosts=run.refused[:_MOST_HOSTS])
    if run.cut_short:
        return _of_cut_short(run)
    found = _by_output(run)
    if found is not None and found.why in ("missing_command", "not_fetched"):
        return found
    lines = [line.strip() for line in run.output.splitlines() if line.strip()]
    return Obstacle(why="set_up_failed", command=run.command, said=lines[-1][:_SAID] if lines else "")


def _of_cut_short(run: CommandRun) -> Obstacle:
    if run.over_limit:
        return Obstacle(why="over_limit", command=run.command, said=run.over_limit)
    return Obstacle(why="timed_out", command=run.command, seconds=run.seconds)


def _by_output(run: CommandRun) -> Obstacle | None:
    found = said_not_run(run.output)
    if run.exit_code in NO_SUCH_COMMAND and (found is None or found[0] != "missing_command"):
        lines = [line.strip()[:_SAID] for line in tail_of(run.output).splitlines() if line.strip()]
        said = next((line for line in reversed(lines) if _missing(line)), "")
        return Obstacle(why="missing_command", command=run.command, said=said, missing=_missing(said))
    if found is None:
        return None
    why, said = found
    return Obstacle(why=why, command=run.command, said=said, missing=_missing(said))


def _missing(said: str) -> str:
    return next((found[1] for pattern in _MISSING if (found := pattern.search(said))), "")
