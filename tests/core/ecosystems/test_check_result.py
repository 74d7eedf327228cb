"""How a check ends, and what it tells people to do."""

import pytest

from caseworker.core.ecosystems.check_result import result_of
from caseworker.core.evidence.builds import CommandRun, Purpose
from caseworker.core.evidence.test_report import TestOutcome, TestReport, TestResult


def set_up(output: str, *, code: int = 1, timed_out: bool = False) -> CommandRun:
    return CommandRun(
        purpose=Purpose.SETUP, command="npm ci", exit_code=code, seconds=900, output=output, timed_out=timed_out
    )


def ran(
    output: str, *, code: int = 0, report: TestReport | None = None, named: tuple[str, ...] | None = None
) -> CommandRun:
    return CommandRun(
        purpose=Purpose.TEST,
        command="make test",
        exit_code=code,
        seconds=1,
        output=output,
        report=report,
        failures=named,
    )


def reported(passed: int, failed: int) -> TestReport:
    bad = tuple(TestResult(name=f"t{number}", outcome=TestOutcome.FAILED) for number in range(failed))
    return TestReport(source="JUnit XML", tests=bad, passed=passed)


@pytest.mark.parametrize(
    ("runs", "sentence"),
    [
        ([ran("", report=reported(7, 0))], "works: 7 tests pass"),
        ([ran("", code=1, report=reported(7, 2))], "works, 2 of 9 tests already fail"),
        ([ran("== 12 passed in 1s ==\n")], "works: 12 tests pass"),
        ([ran("All is well.\n")], "works: its tests pass"),
        ([ran("Tests  17 failed | 460 passed (477)\n", code=1)], "works, 17 of 477 tests already fail"),
        ([ran("3 failed in 0.1s\n", code=1)], "works, 3 of 3 tests already fail"),
        (
            [
                ran(
                    "=== 53 skipped in 7s ===\nERROR: bad option\nmake: *** [test] Error 4\n",
                    code=2,
                    named=("bad option",),
                )
            ],
            "could not run: `make test` ended before a test ran: make: *** [test] Error 4. "
            "Write the commands into its recipe, or into .caseworker.toml.",
        ),
        (
            [ran("make: Nothing to be done for 'test'.\n")],
            "could not run: no test was run. Write the commands into its recipe, or into .caseworker.toml.",
        ),
        (
            [set_up("Caseworker refused this set-up a connection to cdn.example:443. It reaches only\n")],
            "could not run: the set-up `npm ci` failed: it was refused a connection to cdn.example. "
            'If that is right, write setup_hosts = ["registries", "cdn.example"] into caseworker.toml.',
        ),
        (
            [set_up("", timed_out=True, code=124)],
            "could not run: `npm ci` took longer than 900 s. "
            "Raise `command_minutes` in caseworker.toml, or write a shorter test command into its recipe.",
        ),
        (
            [ran("/bin/sh: 1: meson: not found\nmake: *** [test] Error 127\n", code=2)],
            "could not run: `make test` ended before a test ran: the program meson is not there. "
            "Install meson, so that it is on PATH; or name its folder in `expose` in caseworker.toml.",
        ),
        (
            [set_up("npm error notarget No matching version found for @corp/lint@^22.2.5.\nnpm error In most cases\n")],
            "could not run: the set-up `npm ci` failed: the registry has no @corp/lint@^22.2.5. "
            "Ask for a version that your registry has, or set your package manager up for a registry that has it.",
        ),
        (
            [set_up("host.example is allowed but its name can't be looked up: Name or service not known\n")],
            "could not run: the set-up `npm ci` failed: host.example can't be reached. "
            "Look at the network of this machine, and at the registries that were found.",
        ),
        (
            [set_up("src/x.c:3:10: fatal error: libpq-fe.h: No such file or directory\n")],
            "could not run: the set-up `npm ci` failed: the header libpq-fe.h of a library in C is missing. "
            "Install the development package that has libpq-fe.h (on Debian: apt-file search libpq-fe.h).",
        ),
    ],
)
def test_a_check_ends_in_a_sentence(runs: list[CommandRun], sentence: str) -> None:
    assert result_of(runs, has_tests=True).sentence == sentence


def test_a_repository_without_tests_could_not_run() -> None:
    assert result_of([], has_tests=False).why == "no file named like a test and no command that runs tests was found"
