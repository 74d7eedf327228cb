"""Tests that passed before the change and are not run on it; and new tests that the suite leaves out."""

import pytest

from caseworker.core.base.ids import Sha
from caseworker.core.evidence.builds import Build, CommandRun, Purpose, Stage
from caseworker.core.evidence.test_report import MAX_NAMED, TestOutcome, make_report, make_result
from caseworker.core.evidence.vanished_tests import outside_of_suite, vanished

PASSED, FAILED, SKIPPED = TestOutcome.PASSED, TestOutcome.FAILED, TestOutcome.SKIPPED
Ends = dict[str, TestOutcome]


def run(ends: Ends, purpose: Purpose = Purpose.TEST) -> CommandRun:
    report = make_report("JUnit XML", [make_result(name, end) for name, end in ends.items()])
    return CommandRun(purpose=purpose, command=f"make {purpose}", exit_code=0, seconds=1, output="", report=report)


def build(stage: Stage, *runs: CommandRun) -> Build:
    return Build(number=1, stage=stage, commit=Sha("a" * 40), runs=runs)


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        ({"t.test_a": PASSED, "t.test_b": PASSED}, {"t.test_a": PASSED}, "`test_b`"),
        ({"t.test_a": PASSED}, {"t.test_a": SKIPPED, "t.test_new": PASSED}, "`test_a`"),
        ({"t.test_a[1]": PASSED, "t.test_a[2]": PASSED}, {"t.test_a[1]": PASSED}, "`test_a`"),
        ({"cart adds": PASSED, "cart removes": PASSED}, {"cart adds": PASSED}, "`cart removes`"),
        ({"t.test_a[1]": PASSED}, {"t.test_a[one]": PASSED}, ""),
        ({"t.test_a": PASSED}, {"unit.t.test_a": PASSED}, ""),
        ({"t.test_a": FAILED, "t.test_b": PASSED}, {"t.test_b": PASSED}, ""),
        ({"t.test_a": PASSED}, {"t.test_a": FAILED}, ""),
    ],
)
def test_what_passed_before_has_to_run_on_the_change(before: Ends, after: Ends, lost: str) -> None:
    base, head = build(Stage.BASE, run(before)).brief(), build(Stage.HEAD, run(after))
    assert vanished(base, head, (), ()) == ([f"`make test` does not run {lost} any more."] if lost else [])


def test_a_test_whose_text_is_gone_is_told_elsewhere() -> None:
    base = build(Stage.BASE, run({"t.test_a": PASSED})).brief()
    assert vanished(base, build(Stage.HEAD, run({"t.test_b": PASSED})), {"test_a"}, {"test_b"}) == []


def test_a_base_with_too_many_tests_is_stored_without_their_names_and_not_compared() -> None:
    many = {f"test_{n}": PASSED for n in range(MAX_NAMED + 1)}
    base = build(Stage.BASE, run(many)).brief()
    assert base.runs[0].report is not None
    assert base.runs[0].report.tests == ()
    assert vanished(base, build(Stage.HEAD, run({"test_1": PASSED})), (), ()) == []


@pytest.mark.parametrize(("suite", "told"), [({"t.test_old": PASSED}, True), ({"t.test_new": PASSED}, False)])
def test_a_new_test_that_the_suite_does_not_run_is_told(suite: Ends, told: bool) -> None:
    head = build(Stage.HEAD, run(suite), run({"t.test_new": PASSED}, Purpose.NEW_TEST))
    words = "`test_new` is run by its own command alone: `make test` leaves it out."
    assert outside_of_suite(head, ["t.test_new"]) == ([words] if told else [])
