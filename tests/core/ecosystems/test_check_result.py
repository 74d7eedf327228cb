"""How a check ends, and what it tells people to do."""

import pytest

from caseworker.core.ecosystems.check_result import result_of
from caseworker.core.evidence.builds import CommandRun, Purpose
from caseworker.core.evidence.test_report import TestOutcome, TestReport, TestResult


def set_up(output: str, *, refused: tuple[str, ...] = ()) -> CommandRun:
    return CommandRun(purpose=Purpose.SETUP, command="npm ci", exit_code=1, seconds=900, output=output, refused=refused)


def ran(output: str, *, code: int = 0, report: TestReport | None = None) -> CommandRun:
    return CommandRun(
        purpose=Purpose.TEST, command="make test", exit_code=code, seconds=1, output=output, report=report
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
        (
            [ran("Ran 2 tests in 0.1s\n\nOK\n", code=3, report=reported(2, 0))],
            "its tests pass, but the command `make test` ends with 3. No change would be seen to pass with it: correct "
            "what ends it so (a coverage limit, a hook at exit), or name another `test` under `[commands]` in "
            "`.caseworker.toml`.",
        ),
        (
            [ran("7 passed\n", code=137).model_copy(update={"over_limit": "it used more memory than it may"})],
            "could not run: `make test` was stopped: it used more memory than it may. Raise that limit in "
            "caseworker.toml, or name a lighter `setup` or `test` in `.caseworker.toml`.",
        ),
        ([ran("3 passed\nFAIL: adds\n", code=1)], "works, 1 of 3 tests already fail"),
        ([ran("All is well.\n")], "works: its tests pass (they are not counted)"),
        ([ran("FAIL: adds\n", code=1)], "works, its tests already fail (they are not counted)"),
        (
            [ran("index.js:3:1\n  ✖  3:1  Missing semicolon.  semi\n\n  1 error\n", code=1)],
            "could not run: `make test` ended with exit code 1, and no test was counted: it says `1 error`. Run `make "
            "test` in a fresh clone. If it passes there, add a command that does what is missing as `setup` under "
            "`[commands]` in `.caseworker.toml`, on the base branch; if not, correct it first, or name another `test`.",
        ),
        (
            [ran("", code=1)],
            "could not run: `make test` ended with exit code 1, and no test was counted. Run `make test` in a fresh "
            "clone. If it passes there, add a command that does what is missing as `setup` under `[commands]` in "
            "`.caseworker.toml`, on the base branch; if not, correct it first, or name another `test`.",
        ),
        ([ran("Tests  17 failed | 460 passed (477)\n", code=1)], "works, 17 of 477 tests already fail"),
        ([ran("3 failed in 0.1s\n", code=1)], "works, 3 of 3 tests already fail"),
        (
            [ran("make: Nothing to be done for 'test'.\n")],
            "could not run: `make test` ran no test. "
            "Name the command that runs the tests: `test` under `[commands]` in `.caseworker.toml`.",
        ),
        (
            [ran("make: entering\ncc: oops\n", code=2)],
            "could not run: `make test` ended with exit code 2, and no test was counted: it "
            "says `cc: oops`. Run `make test` in a fresh clone. If it passes there, add a command that does what is "
            "missing as `setup` under `[commands]` in `.caseworker.toml`, on the base branch; if not, correct it "
            "first, or name another `test`.",
        ),
        (
            [set_up("", refused=("cdn.example",))],
            "could not run: `npm ci` failed, because set-up may not reach `cdn.example`. "
            'If set-up may reach it, add `"cdn.example"` to `setup_hosts` in caseworker.toml.',
        ),
    ],
)
def test_a_check_ends_in_a_sentence(runs: list[CommandRun], sentence: str) -> None:
    assert result_of(runs, has_tests=True).sentence == sentence


def test_a_repository_without_tests_could_not_run() -> None:
    by_settings = result_of([], has_tests=False, by_settings=True)
    assert by_settings.why == "`[commands]` in `.caseworker.toml` names no command that runs tests"
    result = result_of([], has_tests=False)
    assert result.why == "this repository has no file named like a test, and names no command that runs tests"
    assert result.todo.startswith("If it has tests, name the command that runs them")


def test_a_submodule_that_is_not_there_is_the_first_cure_that_is_told() -> None:
    broken = ran("make: *** No rule to make target 'vendor/all'.  Stop.\n", code=2)
    plain = result_of([broken], has_tests=True).todo
    first = "`vendor` is not there: first run `git submodule update --init --recursive` in your checkout. Otherwise: "
    assert result_of([broken], has_tests=True, absent=["vendor"]).todo == f"{first}{plain}"
    assert result_of([ran("3 passed\n")], has_tests=True, absent=["vendor"]).todo == ""
