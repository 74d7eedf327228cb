"""What stops a build from being run, and what people are told to do about it."""

import pytest

from caseworker.core.evidence.builds import CommandRun, Purpose
from caseworker.core.evidence.head_verdict import judge_base
from caseworker.core.evidence.obstacle_words import remedy_words, stopped_words
from caseworker.core.evidence.obstacles import Obstacle, obstacle_of, what_stopped
from caseworker.core.evidence.test_report import TestOutcome, TestReport, make_report, make_result
from tests.core.examples import a_build, a_run

P, F, E, S = TestOutcome.PASSED, TestOutcome.FAILED, TestOutcome.ERROR, TestOutcome.SKIPPED
SETUP = ", or add a command that installs it as `setup` under `[commands]` in `.caseworker.toml`, on the base branch."


def report(*tests: TestOutcome, broken: str = "") -> TestReport | None:
    results = [make_result(f"test_{number}", outcome) for number, outcome in enumerate(tests)]
    return make_report("JUnit XML", results, [make_result("test_x", E, detail=broken)] if broken else [])


def set_up(*, output: str = "", refused: tuple[str, ...] = ()) -> CommandRun:
    run = a_run("npm ci", purpose=Purpose.SETUP, exit_code=1, output=output)
    return run.model_copy(update={"refused": refused})


def reported(found: TestReport | None, exit_code: int = 1) -> CommandRun:
    return a_run(exit_code=exit_code).model_copy(update={"report": found})


PIP_OFFLINE = (
    "  × pip subprocess to install build dependencies did not run successfully.\n"
    "      ERROR: Could not find a version that satisfies the requirement setuptools>=77 (from versions: none)\n"
    "      ERROR: No matching distribution found for setuptools>=77\n"
    "make: *** [Makefile:11: .install-deps] Error 1\n"
)
NO_SPACE = "OSError: [Errno 28] No space left on device"
OBSTACLES: list[tuple[str, CommandRun, str, str]] = [
    (
        "no such command",
        a_run("pytest -q", exit_code=127, output="bash: line 1: pytest: command not found\n"),
        "`pytest -q` could not be run: there is no `pytest`",
        "Install `pytest` where Caseworker runs (a tool outside of the system's folders is shown to builds with "
        f"`expose` in caseworker.toml){SETUP}",
    ),
    (
        "no such command below make",
        a_run(exit_code=2, output="make: pytest: No such file or directory\nmake: *** [Makefile:2: test] Error 127\n"),
        "`make test` could not be run: there is no `pytest`",
        "",
    ),
    (
        "no such command below npm",
        a_run("npm test", exit_code=127, output="> jest\n\nsh: 1: jest: not found\n"),
        "`npm test` could not be run: there is no `jest`",
        "",
    ),
    (
        "no such module to run",
        a_run("python3 -m pytest -q", exit_code=1, output="/usr/bin/python3: No module named pytest\n"),
        "`python3 -m pytest -q` could not be run: there is no `pytest`",
        "",
    ),
    (
        "a script that may not be executed",
        a_run("./gradlew test", exit_code=126, output="bash: line 1: ./gradlew: Permission denied\n"),
        "`./gradlew test` could not be run: a program is missing",
        "Install it where Caseworker runs (a tool outside of the system's folders is shown to builds with "
        f"`expose` in caseworker.toml){SETUP}",
    ),
    (
        "a set-up that failed",
        set_up(output="npm error code EUSAGE\nnpm error The lock file is out of date\n"),
        "`npm ci` failed, so no test was run: it says `npm error The lock file is out of date`",
        "Run `npm ci` in a fresh clone and correct it, or name another `setup` under `[commands]` in "
        "`.caseworker.toml`, on the base branch.",
    ),
    (
        "a host that was refused",
        set_up(refused=("registry.example", "files.example:8443")),
        "`npm ci` failed, because set-up may not reach `registry.example`, `files.example:8443`",
        'If set-up may reach it, add `"registry.example", "files.example:8443"` to `setup_hosts` in caseworker.toml.',
    ),
    (
        "dependencies that were not fetched",
        a_run("cargo test", exit_code=101, output="error: failed to get `serde` as a dependency\n"),
        "`cargo test` lacks what it depends on: it says ``error: failed to get `serde` as a dependency``",
        "Tests have no network: add a command that fetches the dependencies as `setup` under `[commands]` in "
        "`.caseworker.toml`, on the base branch.",
    ),
    (
        "a test command that would have fetched by itself, without a network",
        a_run(exit_code=2, output=PIP_OFFLINE),
        "`make test` lacks what it depends on: it says `ERROR: Could not find a version that satisfies the requirement "
        "setuptools>=77 (from versions: none)`",
        "",
    ),
    (
        "npm without a network",
        a_run("npm test", exit_code=1, output="npm error request to https://npm.example/ms failed, reason: gone\n"),
        "`npm test` lacks what it depends on: it says `npm error request to https://npm.example/ms failed, reason: "
        "gone`",
        "",
    ),
    (
        "tests that could not be loaded",
        reported(report(broken="collection failure\nE   ModuleNotFoundError: No module named 'requests'"), 2),
        "`make test` could not load its tests: there is no module `requests`",
        "Correct it on the base branch, or add a command that provides `requests` as `setup` under `[commands]` in "
        "`.caseworker.toml`, on the base branch.",
    ),
    (
        "a script that lacks a module",
        a_run(exit_code=1, output="Traceback:\nModuleNotFoundError: No module named 'yaml'\n"),
        "`make test` could not load its tests: there is no module `yaml`",
        "",
    ),
    (
        "no test",
        reported(report(), 5),
        "`make test` ran no test",
        "Name the command that runs the tests: `test` under `[commands]` in `.caseworker.toml`.",
    ),
    ("skipped tests only", reported(report(S, S), 0), "`make test` ran no test: all 2 tests are skipped", ""),
    (
        "a make target that does nothing",
        a_run(output="make: Nothing to be done for 'test'.\n"),
        "`make test` ran no test",
        "",
    ),
    (
        "a failure of which nobody knows whether it tested anything",
        a_run(exit_code=2, output="cc: oops\n"),
        "`make test` ended with exit code 2, and no test was counted: it says `cc: oops`",
        "Run `make test` in a fresh clone. If it passes there, add a command that does what is missing as `setup` "
        "under `[commands]` in `.caseworker.toml`, on the base branch; if not, correct it first, or name another "
        "`test`.",
    ),
    (
        "a test that ends the process of unittest",
        a_run("python3 -m unittest discover", output="test_a (test_x.T.test_a) ... "),
        "`python3 -m unittest discover` ended with exit code 0 before it told its results",
        "A test may end the whole process, as `os._exit(0)` does: correct it on the base branch.",
    ),
    (
        "a test that ends the process of pytest, which a project manager started",
        a_run("uv run pytest -q", output="."),
        "`uv run pytest -q` ended with exit code 0 before it told its results",
        "",
    ),
    (
        "a test that ends the process of pytest",
        a_run("cd api && PYTHONPATH=src /env/bin/python -m pytest -q", output=""),
        "`cd api && PYTHONPATH=src /env/bin/python -m pytest -q` ended with exit code 0 before it told its results",
        "",
    ),
    (
        "a limit of the sandbox that a test has met",
        reported(make_report("unittest's output", [make_result("a", F, detail=f"Traceback:\n{NO_SPACE}")])),
        "`make test` failed, and has probably met a limit of the sandbox: it says "
        "`OSError: [Errno 28] No space left on device`",
        "Raise `sandbox_memory_gb` (memory, the home folder and `/tmp`) or `sandbox_disk_gb` (all other files) in "
        "caseworker.toml, or look whether this machine's disk is full.",
    ),
    (
        "a limit of the sandbox without a report",
        a_run(exit_code=1, output="FAIL: grows\nOSError: [Errno 27] File too large\n1 failed\n"),
        "`make test` failed, and has probably met a limit of the sandbox: it says `OSError: [Errno 27] File too large`",
        "",
    ),
    (
        "a header that is missing",
        set_up(output="src/x.c:3:10: fatal error: libpq-fe.h: No such file or directory\nerror: gcc failed\n"),
        "`npm ci` failed: the header `libpq-fe.h` of a library in C is missing",
        "Install the development package that has it (on Debian, `apt-file search libpq-fe.h` names it).",
    ),
    (
        "an interpreter that is missing",
        set_up(output="error: No interpreter found for Python >=3.14 in managed installations\n"),
        "`npm ci` failed: there is no Python >=3.14",
        "Install Python >=3.14 where Caseworker runs, so that it is on `PATH`.",
    ),
    (
        "a registry that can't be reached",
        set_up(output="host.example is allowed but its name can't be looked up: Name or service not known\n"),
        "`npm ci` failed: `host.example` can't be reached",
        "Look at the network of this machine, and at the registries that your package manager is set up for.",
    ),
    (
        "a version that the registry does not have",
        set_up(output="npm error notarget No matching version found for @corp/lint@^22.2.5.\nnpm error In most\n"),
        "`npm ci` failed: the registry has no `@corp/lint@^22.2.5`",
        "Ask for a version that your registry has, or set your package manager up for one that has this.",
    ),
    (
        "a runner that refuses the repository's settings after skipped tests",
        a_run(
            exit_code=2, output="53 skipped in 7s\nERROR: pyproject.toml: config option 'x' expects int\n"
        ).model_copy(update={"report": report(S, S)}),
        "`make test` ended early, because this version of pytest refuses the repository's settings: it says "
        "`ERROR: pyproject.toml: config option 'x' expects int`",
        "Correct the setting on the base branch, or pin another version of pytest in its recipe's `setup`.",
    ),
    (
        "a time-out before any test had ended",
        a_run(timed_out=True, exit_code=124, output="collecting ...\n"),
        "`make test` was stopped after 1 s, and no test had ended",
        "Raise `command_minutes` in caseworker.toml, or name a faster `setup` or `test` under `[commands]` in "
        "`.caseworker.toml`, on the base branch.",
    ),
]


@pytest.mark.parametrize(("run", "told", "todo"), [row[1:] for row in OBSTACLES], ids=[row[0] for row in OBSTACLES])
def test_each_obstacle_is_told_with_what_to_do(run: CommandRun, told: str, todo: str) -> None:
    obstacle = obstacle_of(a_build(run))
    assert obstacle is not None
    assert stopped_words(obstacle) == told
    assert not todo or remedy_words(obstacle) == todo
    verdict = judge_base(a_build(run))
    assert (verdict.kind, verdict.reason) == ("could_not_run", told)


@pytest.mark.parametrize(
    "run",
    [
        a_run(),
        reported(report(P, F)).model_copy(update={"output": NO_SPACE}),
        a_run("pytest -q", output="1 passed in 0.1s\n"),
        a_run("pytest", output="==== 1 passed, 1 warning in 0.1s ====\n"),
        a_run("pytest --color=yes", output="\x1b[32m===== \x1b[32m\x1b[1m1 passed\x1b[0m in 0.1s\n"),
        a_run("pytest -qq --junitxml=out.xml", output="."),
        a_run("python -m unittest", output="Ran 1 test in 0.1s\n\nOK\n"),
        a_run("python -m unittest | tee log", output=""),
        a_run("sh run_pytest", output="well\n"),
        a_run(exit_code=1, output="FAILED test_a\n"),
        a_run(exit_code=1, output="sh: 1: convert: not found\n3 passed, 1 failed\n"),
        a_run(timed_out=True, exit_code=124, output="7 passed\n"),
        a_run(timed_out=True, exit_code=124, output="not ok 3 reads\n"),
        reported(report(P, F, broken="No module named 'x'")),
        reported(report(F)),
        reported(report(P), 127),
    ],
)
def test_a_command_that_tested_something_was_not_stopped(run: CommandRun) -> None:
    assert what_stopped(run) is None
    assert obstacle_of(a_build(run)) is None


def test_a_repository_without_test_files_has_none_to_collect() -> None:
    empty = a_build(reported(report(), 5))
    assert obstacle_of(empty, has_tests=False) is None
    assert judge_base(empty, has_tests=False).kind == "red"


def test_an_empty_suite_does_not_count_beside_one_with_tests() -> None:
    assert obstacle_of(a_build(reported(report(), 0), reported(report(P), 0))) is None


def test_one_command_that_can_not_run_is_enough() -> None:
    stopped = obstacle_of(a_build(a_run(), a_run("npm test", exit_code=127)))
    assert stopped == Obstacle(why="missing_command", command="npm test")
