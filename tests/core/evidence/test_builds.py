"""Verdicts of builds: green after, and failures that the base excuses."""

import pytest

from caseworker.core.evidence.builds import (
    OUTPUT_TAIL,
    Build,
    BuildVerdict,
    CommandRun,
    Purpose,
    Stage,
    how_it_ended,
)
from caseworker.core.evidence.failure_names import MAX_NAME, failures_named
from caseworker.core.evidence.head_verdict import base_fails_too, judge_head, reporting
from caseworker.core.evidence.test_report import TestOutcome, make_report, make_result
from tests.core.examples import BASE, a_build, a_run

NOTHING = BuildVerdict(kind="nothing_to_run", reason="no test command was found in this repository")
NEW = "python -m unittest test_new"


def new_test(*, exit_code: int = 0, timed_out: bool = False, output: str = "") -> CommandRun:
    return a_run(NEW, purpose=Purpose.NEW_TEST, exit_code=exit_code, timed_out=timed_out, output=output)


def on_base(*runs: CommandRun) -> Build:
    return a_build(*runs, stage=Stage.BASE, commit=BASE)


def failing(*names: str, exit_code: int = 1) -> CommandRun:
    return a_run(exit_code=exit_code, output="\n".join(f"FAILED tests.py::{name}" for name in names))


def heard(*names: str, output: str = "300 failed in 2.10s\n") -> CommandRun:
    """A run with long output: failures come from all of it, but only its end is kept."""
    return failing().model_copy(update={"failures": names, "output": output})


# --- green after


def red(reason: str) -> BuildVerdict:
    return BuildVerdict(kind="red", reason=reason)


MANY = [f"tests.py::test_{n}" for n in range(300)]
SHORT = "FAILED tests.py::a"
TAIL = "\n".join(["FAILED tests.py::a"] * 1000)[-OUTPUT_TAIL:]


def tail_of(output: str) -> CommandRun:
    """A run as stored before failures were recorded."""
    return a_run(exit_code=1, output=output)


EXCUSED = BuildVerdict(kind="green", reason="`make test` fails on the base as well; nothing else failed")
GUILTY = red("`make test` ended with exit code 1")


def could_not_run(reason: str) -> BuildVerdict:
    return BuildVerdict(kind="could_not_run", reason=reason)


HEAD_TABLE: list[tuple[str, Build, Build | None, BuildVerdict]] = [
    ("no command at all", a_build(), None, NOTHING),
    ("no test command", a_build(a_run("lint", purpose=Purpose.LINT)), None, NOTHING),
    ("the new test alone is not the suite", a_build(new_test()), None, NOTHING),
    (
        "all passed",
        a_build(a_run(), a_run("lint", purpose=Purpose.LINT), new_test(output="Ran 1 test in 0.1s\n\nOK\n")),
        None,
        BuildVerdict(kind="green", reason="3 of 3 commands passed"),
    ),
    (
        "a set-up is not counted",
        a_build(a_run("uv venv", purpose=Purpose.SETUP), a_run()),
        None,
        BuildVerdict(kind="green", reason="1 of 1 commands passed"),
    ),
    (
        "the new test ended its runner with 0",
        a_build(a_run(), new_test(output="")),
        None,
        BuildVerdict(kind="red", reason="`python -m unittest test_new` ended before it told its results"),
    ),
    ("failed, base unknown", a_build(failing("test_a")), None, GUILTY),
    ("failed, base passed", a_build(failing("test_a")), on_base(a_run()), GUILTY),
    ("failed, base failed alike", a_build(failing("test_a")), on_base(failing("test_a")), EXCUSED),
    ("one of the base's failures was repaired", a_build(failing("test_a")), on_base(failing("test_a", "b")), EXCUSED),
    (
        "failed alike with another exit code",
        a_build(failing("test_a")),
        on_base(failing("test_a", exit_code=2)),
        EXCUSED,
    ),
    ("one failure more than on the base", a_build(failing("test_a", "test_b")), on_base(failing("test_a")), GUILTY),
    ("another failure than on the base", a_build(failing("test_b")), on_base(failing("test_a")), GUILTY),
    ("a test whose name differs by a number", a_build(failing("test_2")), on_base(failing("test_1")), GUILTY),
    ("another case of the same test", a_build(failing("test[1-20]")), on_base(failing("test[1-2]")), GUILTY),
    (
        "the same failure named more often",
        a_build(a_run(exit_code=1, output="error: mismatched types\nerror: mismatched types")),
        on_base(a_run(exit_code=1, output="error: mismatched types")),
        GUILTY,
    ),
    ("the same exit code and no names", a_build(a_run(exit_code=1)), on_base(a_run(exit_code=1)), GUILTY),
    ("names on the base only", a_build(a_run(exit_code=1)), on_base(failing("test_a")), GUILTY),
    ("names on the head only", a_build(failing("test_a")), on_base(a_run(exit_code=1)), GUILTY),
    ("more failures than the tail shows, all of them known", a_build(heard(*MANY)), on_base(heard(*MANY)), EXCUSED),
    (
        "one more than on the base, named before the tail begins",
        a_build(heard("new", *MANY, output=TAIL)),
        on_base(heard(*MANY, output=TAIL)),
        GUILTY,
    ),
    ("named once more than on the base", a_build(heard("a", "a")), on_base(heard("a")), GUILTY),
    ("too many to keep on both", a_build(heard(output=SHORT)), on_base(heard(output=SHORT)), GUILTY),
    ("only a tail on both", a_build(tail_of(TAIL)), on_base(tail_of(TAIL)), GUILTY),
    ("only a tail on the base", a_build(heard("tests.py::a")), on_base(tail_of(TAIL)), GUILTY),
    ("a whole short output on the base", a_build(heard("tests.py::a")), on_base(tail_of(SHORT)), EXCUSED),
    (
        "a linter before the tests failed alike",
        a_build(a_run(exit_code=1, output="✖ 3:1 no semicolon")),
        on_base(a_run(exit_code=1, output="✖ 3:1 no semicolon")),
        GUILTY,
    ),
    (
        "tests with crosses failed alike",
        a_build(a_run(exit_code=1, output="✖ adds\n\n1 test failed")),
        on_base(a_run(exit_code=1, output="✖ adds\n\n1 test failed")),
        EXCUSED,
    ),
    (
        "another command failed alike",
        a_build(failing("test_a")),
        on_base(a_run("other", exit_code=1, output="FAILED tests.py::test_a")),
        GUILTY,
    ),
    (
        "the head was stopped",
        a_build(a_run(exit_code=1, output="FAILED a", timed_out=True)),
        on_base(a_run(exit_code=1, output="FAILED a")),
        red("`make test` was stopped after 1 s"),
    ),
    (
        "both were stopped",
        a_build(a_run(exit_code=1, output="FAILED a", timed_out=True)),
        on_base(a_run(exit_code=1, output="FAILED a", timed_out=True)),
        red("`make test` was stopped after 1 s"),
    ),
    (
        "the base was stopped",
        a_build(failing("test_a")),
        on_base(a_run(exit_code=1, output="FAILED tests.py::test_a", timed_out=True)),
        GUILTY,
    ),
    (
        "stopped, though it ended well",
        a_build(a_run(timed_out=True)),
        None,
        red("`make test` was stopped after 1 s"),
    ),
    (
        "the new test has no excuse",
        a_build(a_run(), new_test(exit_code=1, output="FAILED a")),
        on_base(a_run(), a_run(NEW, exit_code=1, output="FAILED a")),
        red(f"`{NEW}` ended with exit code 1"),
    ),
    (
        "an excused suite does not excuse the linter",
        a_build(failing("test_a"), a_run("lint", purpose=Purpose.LINT, exit_code=3)),
        on_base(failing("test_a"), a_run("lint", purpose=Purpose.LINT)),
        red("`lint` ended with exit code 3"),
    ),
    (
        "a set-up that failed",
        a_build(a_run("npm ci", purpose=Purpose.SETUP, exit_code=1), a_run()),
        on_base(a_run("npm ci", purpose=Purpose.SETUP), a_run()),
        red("`npm ci` ended with exit code 1"),
    ),
    (
        "a set-up that failed alike, so that nothing was tested",
        a_build(a_run("npm ci", purpose=Purpose.SETUP, exit_code=1, output="error: no such package")),
        on_base(a_run("npm ci", purpose=Purpose.SETUP, exit_code=1, output="error: no such package")),
        could_not_run("`npm ci` failed, so no test was run: it says `error: no such package`"),
    ),
    (
        "a tool that is missing on both",
        a_build(a_run(exit_code=127, output="sh: 1: pytest: not found")),
        on_base(a_run(exit_code=127, output="sh: 1: pytest: not found")),
        could_not_run("`make test` could not be run: there is no `pytest`"),
    ),
    (
        "a tool that is missing on the head only",
        a_build(a_run(exit_code=127, output="sh: 1: pytest: not found")),
        on_base(a_run()),
        red("`make test` ended with exit code 127"),
    ),
    (
        "failures that a base that could not run does not excuse",
        a_build(failing("test_a")),
        on_base(a_run(exit_code=127, output="sh: 1: pytest: not found\nFAILED tests.py::test_a")),
        GUILTY,
    ),
    (
        "a linter that is missing on both",
        a_build(a_run(), a_run("lint", purpose=Purpose.LINT, exit_code=127, output="sh: 1: ruff: not found")),
        on_base(a_run(), a_run("lint", purpose=Purpose.LINT, exit_code=127, output="sh: 1: ruff: not found")),
        BuildVerdict(kind="green", reason="1 of 2 commands passed; `lint` could not be run"),
    ),
]


@pytest.mark.parametrize(("head", "base", "verdict"), [r[1:] for r in HEAD_TABLE], ids=[r[0] for r in HEAD_TABLE])
def test_the_verdict_of_a_head_build(head: Build, base: Build | None, verdict: BuildVerdict) -> None:
    assert judge_head(head, base) == verdict


# --- results per test


def reported(run: CommandRun, *tests: tuple[str, TestOutcome]) -> CommandRun:
    report = make_report("JUnit XML", [make_result(name, outcome) for name, outcome in tests])
    return run.model_copy(update={"report": report})


PASSED, FAILED, SKIPPED = TestOutcome.PASSED, TestOutcome.FAILED, TestOutcome.SKIPPED


@pytest.mark.parametrize("tests", [(), (("b", PASSED),), (("a", SKIPPED), ("b", PASSED))])
def test_a_red_test_that_does_not_run_on_the_head_makes_it_red(tests: tuple[tuple[str, TestOutcome], ...]) -> None:
    verdict = judge_head(a_build(a_run(), reported(new_test(), *tests)), None, ["a"])
    assert verdict == red("`a` was seen to fail without the change, and was not run on it")


def test_a_red_test_is_missed_also_in_a_run_without_a_report() -> None:
    verdict = red("`a` was seen to fail without the change, and was not run on it")
    assert judge_head(a_build(a_run(), new_test()), None, ["a"]) == verdict
    assert judge_head(a_build(a_run()), None, ["a"]) == verdict


def test_a_command_that_stops_to_report_its_tests_is_red() -> None:
    before = on_base(reported(a_run(), ("a", PASSED)))
    verdict = judge_head(a_build(a_run()), None, reported=reporting([before]))
    assert verdict == red("`make test` reported tests before the change, and none on it")
    assert judge_head(a_build(a_run()), None, reported=reporting([on_base(a_run())])).kind == "green"


def test_a_red_test_that_passes_on_the_head_is_green() -> None:
    assert judge_head(a_build(a_run(), reported(new_test(), ("a", PASSED))), None, ["a"]).kind == "green"


def test_a_failed_test_is_red_though_the_exit_code_is_0() -> None:
    verdict = judge_head(a_build(reported(a_run(), ("a", FAILED))), on_base(a_run()))
    assert verdict == red("`make test` ended with exit code 0, although `a` failed")
    excused = judge_head(a_build(reported(a_run(), ("a", FAILED))), on_base(reported(a_run(), ("a", FAILED))))
    assert excused.kind == "green"


def test_a_suite_that_reports_no_test_proves_nothing() -> None:
    verdict = judge_head(a_build(reported(a_run(), ("a", SKIPPED))), None)
    assert verdict == BuildVerdict(kind="nothing_to_run", reason="`make test` ran no test")


def test_a_stored_report_names_no_test_that_passed() -> None:
    build = a_build(reported(a_run(), ("a", PASSED), ("b", FAILED))).brief()
    assert build.runs[0].report is not None
    assert ([test.name for test in build.runs[0].report.tests], build.runs[0].report.passed) == (["b"], 1)
    assert Build.model_validate_json(build.model_dump_json()) == build


# --- a red base


def stopped(*names: str) -> CommandRun:
    return failing(*names).model_copy(update={"timed_out": True})


UNNAMED = a_run(exit_code=1)
BROKEN_SET_UP = a_run("npm ci", purpose=Purpose.SETUP, exit_code=1)

FAILS_TOO_TABLE: list[tuple[str, Build, Build | None, bool]] = [
    ("no base was built", a_build(UNNAMED), None, False),
    ("the base passed", a_build(UNNAMED), on_base(a_run()), False),
    ("the base did not run that command", a_build(UNNAMED), on_base(a_run("other", exit_code=1)), False),
    ("neither names what failed", a_build(UNNAMED), on_base(UNNAMED), True),
    ("only the head names what failed", a_build(failing("test_a")), on_base(UNNAMED), True),
    ("only the base names what failed", a_build(UNNAMED), on_base(failing("test_a")), True),
    ("both name what failed, and one is new", a_build(failing("test_b")), on_base(failing("test_a")), False),
    ("both name what failed, and none is new", a_build(failing("test_a")), on_base(failing("test_a")), False),
    ("the output of both was clipped", a_build(tail_of(TAIL)), on_base(tail_of(TAIL)), True),
    ("the output of the base was clipped", a_build(failing("test_a")), on_base(tail_of(TAIL)), True),
    ("more failed on both than is kept", a_build(heard()), on_base(heard()), True),
    ("both were stopped", a_build(stopped()), on_base(stopped()), True),
    ("the base was stopped before it had named all", a_build(failing("test_a")), on_base(stopped("test_b")), True),
    ("the head was stopped where the base came to an end", a_build(stopped()), on_base(UNNAMED), False),
    ("the new test failed", a_build(new_test(exit_code=1)), on_base(a_run(NEW, exit_code=1)), False),
    ("the new test failed as well", a_build(UNNAMED, new_test(exit_code=1)), on_base(UNNAMED), False),
    (
        "one of two commands passed on the base",
        a_build(UNNAMED, a_run("lint", purpose=Purpose.LINT, exit_code=1)),
        on_base(UNNAMED, a_run("lint", purpose=Purpose.LINT)),
        False,
    ),
    (
        "one can be compared and is excused, the other can't",
        a_build(failing("test_a"), a_run("lint", purpose=Purpose.LINT, exit_code=1)),
        on_base(failing("test_a"), a_run("lint", purpose=Purpose.LINT, exit_code=1)),
        True,
    ),
    ("the set-up fails on both", a_build(BROKEN_SET_UP), on_base(BROKEN_SET_UP), True),
    ("the set-up fails on the head", a_build(BROKEN_SET_UP), on_base(a_run()), False),
    ("nothing failed", a_build(a_run()), on_base(UNNAMED), False),
]


@pytest.mark.parametrize(("head", "base", "too"), [r[1:] for r in FAILS_TOO_TABLE], ids=[r[0] for r in FAILS_TOO_TABLE])
def test_base_fails_too_only_if_failures_can_not_be_told_apart(head: Build, base: Build | None, too: bool) -> None:
    assert base_fails_too(head, base) is too


# --- the names of failures


@pytest.mark.parametrize(
    ("output", "named"),
    [
        ("", []),
        ("all is well\n3 passed", []),
        ("FAILED tests/test_cart.py::test_total - assert 3 == 4", ["tests/test_cart.py::test_total - assert 0 == 0"]),
        ("ERROR tests/test_cart.py", ["tests/test_cart.py"]),
        ("FAIL: test_total (test_cart.Cart)", ["test_total (test_cart.Cart)"]),
        ("--- FAIL: TestTotal (0.01s)", ["TestTotal (0.0s)"]),
        ("not ok 3 - takes the discount off", ["0 - takes the discount off"]),
        ("  ✖ takes the discount off (12ms)", ["takes the discount off (0ms)"]),
        ("error[E0308]: mismatched types", ["mismatched types"]),
        ("error: at 0x7ffE12", ["at 0"]),
        ("it FAILED and nobody named it", []),
        ("FAILED\nexit status 1\nFAIL   \nFAILURES!\nERRORS", []),
        ("FAILED test_1\nFAILED test_2\nFAILED test[3]", ["test_1", "test_2", "test[3]"]),
    ],
)
def test_names_of_failures_have_no_varying_parts(output: str, named: list[str]) -> None:
    assert sorted(failures_named(output)) == sorted(named)


def test_long_names_are_bounded_and_still_tell_tests_apart() -> None:
    first, second = f"test[{'x' * 10_000}a]", f"test[{'x' * 10_000}b]"
    assert [len(name) for name in failures_named(f"FAILED {first}\nFAILED {second}")] == [MAX_NAME, MAX_NAME]


# --- runs and builds


def test_a_build_stored_without_failures_can_be_read() -> None:
    stored = a_build(failing("test_a")).model_dump(mode="json", exclude={"runs": {"__all__": {"failures"}}})
    assert Build.model_validate(stored) == a_build(failing("test_a"))
    known = a_build(heard("test_a"))
    assert Build.model_validate_json(known.model_dump_json()) == known


def test_the_end_of_a_run_in_words() -> None:
    assert how_it_ended(a_run(exit_code=2)) == "ended with exit code 2"
    assert how_it_ended(a_run(timed_out=True)) == "was stopped after 1 s"


def test_a_run_passed_if_it_ended_with_0_and_was_not_stopped() -> None:
    assert a_run().passed
    assert not a_run(exit_code=1).passed
    assert not a_run(timed_out=True).passed


def test_a_purpose_passed_if_no_command_of_it_failed() -> None:
    build = a_build(a_run("a"), a_run("b", exit_code=1), a_run("c", purpose=Purpose.LINT))
    assert not build.passed(Purpose.TEST)
    assert build.passed(Purpose.LINT)
    assert build.passed(Purpose.TYPES)
    assert build.run_of(Purpose.TYPES) is None
