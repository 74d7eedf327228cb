"""Why a command tested nothing: no test, nothing that could be collected, no such command, or no time left."""

import re
from typing import Final

from caseworker.core.base.text import code
from caseworker.core.evidence.builds import CommandRun, how_it_ended
from caseworker.core.evidence.test_report import NotRun, first_broken

_NO_SUCH_COMMAND: Final = (126, 127)
_TAIL_LINES: Final = 60
_SAYS_NO_COMMAND: Final = re.compile(
    r"^(?:(?:\S*/)?python[\d.]*: (?:No module named \S+|can't open file .*)"
    r"|(?:\S*/)?(?:ba|da|z)?sh: .*(?:[Cc]an(?:'t|not) open|not found|No such file or directory).*"
    r"|make(?:\[\d+\])?: \*\*\* No rule to make target .*"
    r"|npm (?:ERR!|error) [Mm]issing script:.*"
    r"|Error: Cannot find module '/.*'"
    r"|error: no (?:test target|such command).*)$",
    re.MULTILINE,
)
_SAYS_NO_TEST: Final = re.compile(
    r"^(?:=* ?no tests ran\b.*|NO TESTS RAN\b.*|Ran 0 tests in .*|No tests? (?:found|files? found)\b.*|running 0 tests"
    r"|.*\[no test(?:s to run| files)\].*|1\.\.0\b.*|ERROR: (?:file or directory )?not found: .*)$",
    re.MULTILINE,
)
_SAYS_NOT_COLLECTED: Final = re.compile(
    r"^(?:ImportError while importing test module .*|ERROR collecting .*|_+ ERROR collecting .*"
    r"|ImportError: Failed to import test module.*|error: could not compile .*|FAIL\s.*\[(?:build|setup) failed\]"
    r"|ImportError: Start directory is not importable: .*"
    r"|.*SyntaxError: .*|ERROR: usage: .*|pytest: error: .*|.*: error: unrecognized arguments: .*)$",
    re.MULTILINE,
)


def why_not_run(run: CommandRun) -> NotRun | None:
    """Null: tests ran, as far as can be told."""
    if run.cut_short:
        return NotRun(why="timed_out", detail=f"it {how_it_ended(run)}")
    report = run.report
    if report is not None:
        if report.broken and not report.failed:
            return first_broken(report)
        return None if report.ran else _no_test(run)
    if run.exit_code in _NO_SUCH_COMMAND:
        return NotRun(why="missing_command", detail=f"it {how_it_ended(run)}: there is no such command")
    tail = "\n".join(line[:400] for line in run.output.splitlines()[-_TAIL_LINES:])
    for why, pattern in (
        ("no_test", _SAYS_NO_TEST),
        ("not_collected", _SAYS_NOT_COLLECTED),
        ("missing_command", _SAYS_NO_COMMAND),
    ):
        if (said := pattern.search(tail)) is not None and not (why == "no_test" and _ran_others(tail)):
            return NotRun.model_validate({"why": why, "detail": f"it says {code(said[0].strip()[:200])}"})
    return None


def _ran_others(tail: str) -> bool:
    """Whether other tests ran beside those that are not there: cargo and go name every package."""
    return (
        re.search(r"^running [1-9]\d* tests?$|^ok\s+\S+\s+[\d.]+s$|\b[1-9]\d* (?:passed|failed)\b", tail, re.MULTILINE)
        is not None
    )


def _no_test(run: CommandRun) -> NotRun:
    assert run.report is not None
    skipped = len(run.report.tests)
    detail = f"all {skipped} of its tests are skipped" if skipped else "no test ran"
    return NotRun(why="no_test", detail=detail)
