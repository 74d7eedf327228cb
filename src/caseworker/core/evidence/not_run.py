"""Why a command tested nothing, from its end and its own words. The output is hostile input: each pattern reads a line
of limited length once."""

import re
from typing import Final, Literal

from caseworker.core.base.text import code
from caseworker.core.evidence.builds import CommandRun, how_it_ended
from caseworker.core.evidence.test_report import NotRun, first_broken

Said = Literal["no_test", "not_collected", "missing_command", "not_fetched"]

NO_SUCH_COMMAND: Final = (126, 127)
_TAIL_LINES: Final = 60
_LINE: Final = 400
_SAYS_NO_COMMAND: Final = re.compile(
    r"^(?:(?:\S*/)?python[\d.]*: (?:No module named \S+|can't open file .*)"
    r"|(?:\S*/)?(?:ba|da|z)?sh: .*(?:[Cc]an(?:'t|not) open|not found|No such file or directory|Permission denied).*"
    r"|(?:\S*/)?env: .*No such file or directory"
    r"|make(?:\[\d+\])?: \*\*\* No rule to make target .*"
    r"|make(?:\[\d+\])?: [^:*]{1,200}: (?:No such file or directory|Permission denied|[Cc]ommand not found)"
    r"|make(?:\[\d+\])?: \*\*\* .*Error 12[67]"
    r"|bundler: command not found: .*"
    r"|Could not open input file: .*"
    r"|The JAVA_HOME environment variable is not defined correctly.*"
    r"|npm (?:ERR!|error) [Mm]issing script:.*"
    r"|Error: Cannot find module '/.*'"
    r"|error: no (?:test target|such (?:sub)?command).*)$",
    re.MULTILINE,
)
_SAYS_NO_TEST: Final = re.compile(
    r"^(?:=* ?no tests ran\b.*|NO TESTS RAN\b.*|Ran 0 tests in .*|No tests? (?:found|files? found)\b.*"
    r"|No tests (?:executed|were found|specified)\b.*|running 0 tests"
    r"|make(?:\[\d+\])?: (?:Nothing to be done for '(?:test|check)'|'(?:test|check)' is up to date)\."
    r"|.*\[no test(?:s to run| files)\].*|1\.\.0\b.*|ERROR: (?:file or directory )?not found: .*)$",
    re.MULTILINE,
)
_SAYS_NOT_FETCHED: Final = re.compile(
    r"^(?:error: (?:failed to (?:get|download|fetch|query)|no matching package named|unable to update) .*"
    r"|go: .*(?:dial tcp|module lookup disabled|no required module provides|missing go\.sum entry|server misbehaving).*"
    r"|.*\bno required module provides package .*"
    r"|\[ERROR\] .*(?:Could not (?:resolve|transfer|find) |Non-resolvable |could not be resolved).*"
    r"|> Could not (?:resolve|download|get) .*"
    r"|Could not find (?:gem )?'?[\w-]{1,80}'?.* in (?:any of the sources|locally installed gems|rubygems repository).*"
    r"|.*(?:error|warning) NU1301: .*"
    r"| {0,12}ERROR: (?:No matching distribution found for|Could not find a version that satisfies) .*"
    r"|npm (?:ERR!|error) .*\brequest to \S{1,200} failed, reason: .*"
    r"|\*\* \(Mix\) .*(?:dependenc|hex).*)$",
    re.MULTILINE,
)
_SAYS_NOT_COLLECTED: Final = re.compile(
    r"^(?:ImportError while importing test module .*|ERROR collecting .*|_+ ERROR collecting .*"
    r"|ImportError while loading conftest .*"
    r"|ImportError: Failed to import test module.*|error: could not compile .*|FAIL\s.*\[(?:build|setup) failed\]"
    r"|ImportError: Start directory is not importable: .*"
    r"|.*SyntaxError: .*|ERROR: usage: .*|pytest: error: .*|.*: error: unrecognized arguments: .*)$",
    re.MULTILINE,
)
_LACKS_A_MODULE: Final = re.compile(
    r"^(?:(?:E +)?ModuleNotFoundError: No module named .*"
    r"|(?:Error|Error \[ERR_MODULE_NOT_FOUND\]): Cannot find (?:module|package) .*"
    r"|.*cannot load such file -- .*|CMake Error .*)$",
    re.MULTILINE,
)
_DOES_NOT_COMPILE: Final = re.compile(
    r"^(?:\[ERROR\] COMPILATION ERROR.*|> Compilation failed; see the compiler .*"
    r"|TSError: .*|(?:\S{1,300}[\d)]:? (?:- )?)?error TS\d{1,5}: .*"
    r"|\S{1,300}:\d+: error: too (?:many|few) arguments .*"
    r"|0 examples, .*\berrors? occurred outside of examples.*)$",
    re.MULTILINE,
)
_COUNTED: Final = re.compile(
    r"^running [1-9]\d* tests?$|^ok\s+\S+\s+[\d.]+s$"
    r"|\b[1-9]\d* (?:tests? )?(?:passed|passing|failed|failing|examples?|assertions?)\b"
    r"|\bTests run: [1-9]|^Ran [1-9]|^[#ℹ] (?:pass|fail) [1-9]|% tests passed",
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
    if run.exit_code in NO_SUCH_COMMAND:
        return NotRun(why="missing_command", detail=f"it {how_it_ended(run)}: there is no such command")
    tail = tail_of(run.output)
    for why, pattern in _SAID:
        if (said := pattern.search(tail)) is not None and not (why == "no_test" and has_counted(tail)):
            return NotRun.model_validate({"why": why, "detail": f"it says {code(said[0].strip()[:200])}"})
    return None


_SAID: Final[tuple[tuple[Said, re.Pattern[str]], ...]] = (
    ("no_test", _SAYS_NO_TEST),
    ("not_collected", _SAYS_NOT_COLLECTED),
    ("not_collected", _DOES_NOT_COMPILE),
    ("missing_command", _SAYS_NO_COMMAND),
)
_ANYWHERE: Final[tuple[tuple[Said, re.Pattern[str]], ...]] = (
    ("missing_command", _SAYS_NO_COMMAND),
    ("not_fetched", _SAYS_NOT_FETCHED),
    ("not_collected", _LACKS_A_MODULE),
    ("not_collected", _DOES_NOT_COMPILE),
    ("not_collected", _SAYS_NOT_COLLECTED),
    ("no_test", _SAYS_NO_TEST),
)


def said_not_run(output: str) -> tuple[Said, str] | None:
    """What an output says that stopped the whole command, with the line. Null: nothing, or tests were counted."""
    tail = tail_of(output)
    if has_counted(tail):
        return None
    found = ((why, said) for why, pattern in _ANYWHERE if (said := pattern.search(tail)) is not None)
    return next(((why, said[0].strip()[:200]) for why, said in found), None)


def tail_of(output: str) -> str:
    return "\n".join(line[:_LINE] for line in output.splitlines()[-_TAIL_LINES:])


def has_counted(tail: str) -> bool:
    """Whether tests ran, by what is counted: cargo and go name every package, also those without tests."""
    return _COUNTED.search(tail) is not None


def _no_test(run: CommandRun) -> NotRun:
    assert run.report is not None
    skipped = len(run.report.tests)
    detail = f"all {skipped} of its tests are skipped" if skipped else "no test ran"
    return NotRun(why="no_test", detail=detail)
