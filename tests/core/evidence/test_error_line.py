"""The line that is shown of a failed test says what went wrong, whatever its runner prints around it."""

import pytest

from caseworker.core.evidence.error_line import error_line
from caseworker.core.evidence.runner_output import read_output

PYTEST = """\
assert 3 == 4
 +  where 3 = total([1, 2])
def test_total():
>       assert total([1, 2]) == 4
E       assert 3 == 4
E        +  where 3 = total([1, 2])

tests/test_total.py:4: AssertionError"""
PYTEST_CAUSE = """\
E       KeyError: 'x'

test_a.py:3: KeyError

The above exception was the direct cause of the following exception:

>           raise ValueError("no `total`")
E           ValueError: no `total`

test_a.py:5: ValueError"""
UNITTEST = """\
Traceback (most recent call last):
  File "/w/test_a.py", line 15, in test_u
    self.assertEqual(1, 2)
AssertionError: 1 != 2"""
CARGO = """\

thread 'tests::eq' (13847) panicked at src/lib.rs:2:20:
assertion `left == right` failed: titles differ
  left: "We Don T"
 right: "We Don't"
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace"""
CARGO_OLD = """\
thread 'tests::eq' panicked at 'assertion failed: `(left == right)`
  left: `1`,
 right: `2`', src/lib.rs:2:20
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace"""
CARGO_UNWRAP = """\
thread 'tests::unwrap' panicked at src/lib.rs:5:53:
called `Option::unwrap()` on a `None` value
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace"""
MOCHA = """\
      AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

4 !== 5

      + expected - actual

      -4
      +5

      at Context.<anonymous> (test/a.test.js:2:53)
      at process.processImmediate (node:internal/timers:483:21)

  2) total
       throws:
     TypeError: Cannot read properties of null (reading 'foo')
      at Context.<anonymous> (test/a.test.js:2:106)"""
MOCHA_DEEP = """\
AssertionError [ERR_ASSERTION]: Expected values to be strictly deep-equal:
+ actual - expected

  {
    a: 1,
+   b: 2
-   b: 3
  }
      + expected - actual

      -  "b": 2
      +  "b": 3
      at Context.<anonymous> (test/a.test.js:2:138)"""
JEST = """\
Error: \x1b[2mexpect(\x1b[22m\x1b[31mreceived\x1b[39m\x1b[2m).\x1b[22mtoBe\x1b[2m(\x1b[22m\x1b[32mexpected\x1b[39m)

Expected: \x1b[32m5\x1b[39m
Received: \x1b[31m4\x1b[39m
    at Object.toBe (/w/a.test.js:3:17)"""
NODE_XML = """\
Expected values to be strictly equal:4 !== 5
Error [ERR_TEST_FAILURE]: Expected values to be strictly equal:

4 !== 5

    at AsyncResource.runInAsyncScope (node:async_hooks:206:9) {
  code: 'ERR_TEST_FAILURE',
  cause: AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

  4 !== 5

      at TestContext.<anonymous> (/w/node.test.js:2:29)"""
NODE_TAP = """\
  ---
  location: '/w/node.test.js:2:1'
  error: |-
    Expected values to be strictly equal:

    4 !== 5

  code: 'ERR_ASSERTION'
  stack: |-
    TestContext.<anonymous> (/w/node.test.js:2:29)
  ...
not ok 2 - throws
  ---
  error: "Cannot read properties of null (reading 'foo')"
  ..."""
AVA = """\
  test.js:2

   2: test('adds', t => { t.is('foo-bar'.toUpperCase(), 'fooBar'); });

  Difference (- actual, + expected):

  - 'FOO-BAR'
  + 'fooBar'

  › file://test.js:2:23

  ─

  1 test failed"""
AVA_TAP = """\
  ---
    name: AssertionError
    details:
      'Difference (- actual, + expected):': |-
        - 'FOO-BAR'
        + 'fooBar'
    message: ''
  ..."""
GO = "=== RUN   TestTotal\n    total_test.go:5: got 4, want 5\n--- FAIL: TestTotal (0.00s)"
JAVA = "expected: <5> but was: <4>\norg.opentest4j.AssertionFailedError: expected: <5> but was: <4>\n\tat T.t(T.java:3)"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (PYTEST, "assert 3 == 4"),
        (PYTEST_CAUSE, "ValueError: no 'total'"),
        (UNITTEST, "AssertionError: 1 != 2"),
        (CARGO, 'assertion \'left == right\' failed: titles differ, left: "We Don T", right: "We Don\'t"'),
        (CARGO_OLD, "assertion failed: '(left == right)', left: '1', right: '2'', src/lib.rs:2:20"),
        (CARGO_UNWRAP, "called 'Option::unwrap()' on a 'None' value"),
        (MOCHA, "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 4 !== 5"),
        (MOCHA_DEEP, "AssertionError [ERR_ASSERTION]: Expected values to be strictly deep-equal: + b: 2, - b: 3"),
        (JEST, "Error: expect(received).toBe(expected), Expected: 5, Received: 4"),
        (NODE_XML, "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 4 !== 5"),
        (NODE_TAP, "Expected values to be strictly equal: 4 !== 5"),
        (AVA, "Difference (- actual, + expected): - 'FOO-BAR', + 'fooBar'"),
        (AVA_TAP, "Difference (- actual, + expected): - 'FOO-BAR', + 'fooBar'"),
        (GO, "total_test.go:5: got 4, want 5"),
        (JAVA, "org.opentest4j.AssertionFailedError: expected: <5> but was: <4>"),
        ("the total is wrong\n", "the total is wrong"),
        ("test_a.py:4: AssertionError", "test_a.py:4: AssertionError"),
        ("", ""),
    ],
)
def test_the_shown_line_says_what_went_wrong(said: str, shown: str) -> None:
    assert error_line(said) == shown


def first_failure(output: str) -> str:
    report = read_output(output)
    assert report is not None
    return error_line(report.failed[0].detail)


def test_pytests_own_list_of_failures_says_why() -> None:
    output = "FAILED t.py::test_a - assert 3 == 4\nFAILED t.py::test_b - KeyError: 'x'\n2 failed in 0.19s\n"
    assert first_failure(output) == "assert 3 == 4"


def test_a_backtrace_of_rust_does_not_push_out_the_assertion() -> None:
    frames = "".join(f"   {number}: core::panicking::panic_fmt\n" for number in range(200))
    said = f"---- tests::eq stdout ----\n{CARGO.rpartition('note:')[0]}stack backtrace:\n{frames}\nfailures:\n"
    output = f"test tests::eq ... FAILED\n\nfailures:\n\n{said}test result: FAILED. 0 passed; 1 failed\n"
    assert first_failure(output).startswith("assertion 'left == right' failed: titles differ, left:")


def test_each_failed_test_of_ava_gets_its_own_difference() -> None:
    sections = "".join(f"  ─\n\n  {name}\n\n{AVA.partition('  ─')[0]}" for name in ("adds", "lacks"))
    output = f"\n  ✘ [fail]: adds\n  ✘ [fail]: lacks\n{sections.replace('FOO-BAR', 'X', 1)}  ─\n\n  2 tests failed\n"
    report = read_output(output)
    assert report is not None
    assert [error_line(test.detail) for test in report.failed] == [
        "Difference (- actual, + expected): - 'X', + 'fooBar'",
        "Difference (- actual, + expected): - 'FOO-BAR', + 'fooBar'",
    ]
