"""What the results of a forge's checks say together."""

from datetime import timedelta

import pytest

from caseworker.core.evidence.check_verdict import (
    CheckFailure,
    CheckResult,
    CheckVerdict,
    Stand,
    check_feedback,
    judge_checks,
)
from caseworker.core.evidence.failure_lines import signature_of_log

SETTLE = timedelta(minutes=2)
EARLY, SETTLED, LATE = timedelta(), timedelta(minutes=2), timedelta(minutes=10)


def passed(name: str = "test", *, required: bool = False) -> CheckResult:
    return CheckResult(name=name, state="passed", required=required)


def failed(name: str = "test", *, required: bool = False, on_base: bool = False) -> CheckResult:
    return CheckResult(name=name, state="failed", required=required, red_on_base=on_base)


def pending(name: str = "test", *, required: bool = False) -> CheckResult:
    return CheckResult(name=name, state="pending", required=required)


MISSING = CheckResult(name="gate", state="missing", required=True)
ROWS: list[tuple[str, list[CheckResult], timedelta, Stand, tuple[str, ...]]] = [
    ("no check at first", [], EARLY, "pending", ()),
    ("no check after a while", [], SETTLED, "pending", ()),
    ("no check for long", [], LATE, "none", ()),
    ("all green, and others may begin", [passed()], EARLY, "pending", ()),
    ("all green and settled", [passed()], SETTLED, "green", ()),
    ("a required one is green at once", [passed(required=True)], EARLY, "green", ()),
    ("one pending", [passed(), pending("lint")], LATE, "pending", ("lint",)),
    ("one red", [passed("lint"), failed()], EARLY, "red", ("test",)),
    ("a red one waits for the others", [failed(), pending("lint")], EARLY, "pending", ("lint",)),
    ("a red one does not wait for ever", [failed(), pending("lint")], SETTLED, "red", ("test",)),
    ("a red one that is not required", [passed(required=True), failed("lint")], EARLY, "green", ()),
    ("a pending one that is not required", [passed(required=True), pending("lint")], EARLY, "green", ()),
    ("a required one is red", [failed(required=True), passed("lint")], EARLY, "red", ("test",)),
    ("a required one has not reported", [MISSING, passed()], SETTLED, "pending", ("gate",)),
    ("a required one never reports", [MISSING, passed()], LATE, "missing", ("gate",)),
    ("red as on the base", [failed(on_base=True)], EARLY, "red_on_base", ("test",)),
    ("one red as on the base, one by us", [failed(on_base=True), failed("lint")], EARLY, "red", ("lint",)),
]


@pytest.mark.parametrize(("results", "waited", "stands", "names"), [row[1:] for row in ROWS], ids=[r[0] for r in ROWS])
def test_results_together_have_one_verdict(
    results: list[CheckResult], waited: timedelta, stands: Stand, names: tuple[str, ...]
) -> None:
    assert judge_checks(results, waited=waited, settle=SETTLE) == CheckVerdict(stands=stands, names=names)


def test_the_same_failure_on_another_commit_has_the_same_signature() -> None:
    first = "2026-01-05T09:00:01.123Z ran 41 tests in 3.2s\n2026-01-05T09:00:02Z Error: price is 3 at 0x7f3a (a1b2c3d)"
    second = "2026-01-06T11:30:00.9Z ran 44 tests in 2.9s\n2026-01-06T11:30:01Z Error: price is 4 at 0x1122 (99ab01c)"
    assert signature_of_log("test", first) == signature_of_log("test", second)
    assert signature_of_log("test", first) != signature_of_log("lint", first)
    assert signature_of_log("test", first) != signature_of_log("test", "Error: no such file: shop.py")


def test_a_developer_is_told_the_name_and_the_end_of_the_output() -> None:
    told = check_feedback([CheckFailure(name="test", url="https://ci/1", output="x" * 20_000 + "\nthe price is wrong")])
    assert told.startswith(
        "The check `test` failed on the pull request (https://ci/1). The end of its output:\n[...]xx"
    )
    assert told.endswith("the price is wrong")
    assert len(told) < 12_200
    assert check_feedback([CheckFailure(name="lint")]).endswith("failed on the pull request. It has no output.")
