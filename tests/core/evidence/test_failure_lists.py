"""Failures are named for every runner we know. Samples in `runner_samples` are real output of this runner, shortened by
nothing; those below are written by hand from the runner's documentation, and say so."""

from pathlib import Path

import pytest

from caseworker.core.evidence.runner_output import read_output
from caseworker.core.evidence.test_report import TestReport

SAMPLES = Path(__file__).with_name("runner_samples")

BY_HAND = {
    "jest": """\
 FAIL  ./sum.test.js
  sum
    ✓ adds (1 ms)
    ✕ breaks (2 ms)

  ● sum › breaks

    expect(received).toBe(expected) // Object.is equality

Test Suites: 1 failed, 1 total
Tests:       1 failed, 1 passed, 2 total
""",
    "vitest": """\
 ❯ sum.test.ts (2 tests | 1 failed) 5ms

 FAIL  sum.test.ts > sum > breaks
AssertionError: expected 1 to be 2 // Object.is equality

 Test Files  1 failed (1)
      Tests  1 failed | 1 passed (2)
""",
    "rspec": """\
.F

Failures:

  1) Sum breaks
     Failure/Error: expect(1).to eq(2)

Finished in 0.01 seconds (files took 0.1 seconds to load)
2 examples, 1 failure

Failed examples:

rspec ./spec/sum_spec.rb:7 # Sum breaks
""",
    "minitest": """\
Run options: --seed 1234

# Running:

.F

  1) Failure:
TestSum#test_breaks [test/sum_test.rb:9]:
Expected: 2
  Actual: 1

2 runs, 2 assertions, 1 failures, 0 errors, 0 skips
""",
    "phpunit": """\
.F                                                                  2 / 2 (100%)

There was 1 failure:

1) Tests\\SumTest::testBreaks
Failed asserting that 1 matches expected 2.

FAILURES!
Tests: 2, Assertions: 2, Failures: 1.
""",
}


def read(runner: str) -> TestReport:
    text = BY_HAND[runner] if runner in BY_HAND else (SAMPLES / f"{runner}.txt").read_text()
    report = read_output(text)
    assert report is not None
    return report


@pytest.mark.parametrize(
    ("runner", "failed", "passed"),
    [
        ("pytest", ["test_a.py::test_breaks"], 1),
        ("node_tap", ["breaks"], 1),
        ("node_spec", ["breaks"], 1),
        ("mocha", ["sum breaks", "sum deep breaks too"], 1),
        ("ava", ["breaks"], 1),
        ("ctest", ["breaks"], 1),
        ("meson", ["fails"], 1),
        ("automake", ["f"], 1),
        ("exunit", ["test bad (C2Test)"], 2),
        ("jest", ["sum › breaks"], 1),
        ("vitest", ["sum.test.ts > sum > breaks"], 1),
        ("rspec", ["./spec/sum_spec.rb # Sum breaks"], 1),
        ("minitest", ["TestSum#test_breaks"], 1),
        ("phpunit", ["Tests\\SumTest::testBreaks"], 1),
    ],
)
def test_failures_are_named_and_passes_counted(runner: str, failed: list[str], passed: int) -> None:
    report = read(runner)
    assert [test.name for test in report.failed] == failed
    assert report.passed == passed


def test_a_file_that_could_not_be_loaded_is_not_a_failed_test() -> None:
    assert [one.name for one in read("pytest").broken] == ["test_b.py"]


@pytest.mark.parametrize("runner", ["pytest", "mocha", "ctest", "meson", "automake", "exunit", *BY_HAND])
def test_a_list_that_leaves_failures_out_is_not_used(runner: str) -> None:
    text = BY_HAND[runner] if runner in BY_HAND else (SAMPLES / f"{runner}.txt").read_text()
    more = (
        text.replace("1 failed", "5 failed")
        .replace("2 failing", "5 failing")
        .replace("1 tests failed", "5 tests failed")
    )
    more = (
        more.replace("1 failure", "5 failures").replace("Failures: 1", "Failures: 5").replace("failuress", "failures")
    )
    more = more.replace("Fail:               1", "Fail:               5").replace("# FAIL:  1", "# FAIL:  5")
    assert read_output(more) is None
