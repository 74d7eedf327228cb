"""Reports of test runners, read as hostile input: results per test, and what is refused."""

import json

import pytest

from caseworker.core.evidence.jest_json import read_jest
from caseworker.core.evidence.junit_xml import read_junit
from caseworker.core.evidence.report_options import reporting
from caseworker.core.evidence.runner_output import go_text, read_output
from caseworker.core.evidence.test_report import MAX_DETAIL, MAX_TESTS, TestReport, count_words

PYTEST = b"""<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest">
<testcase classname="tests.test_a" name="test_ok" file="tests/test_a.py" line="1" time="0.001" />
<testcase classname="tests.test_a.TestC" name="test_bad[1]" file="tests/test_a.py"><failure message="assert 1 == 2">
def test_bad(): assert 1 == 2
E       assert 1 == 2
tests/test_a.py:4: AssertionError</failure></testcase>
<testcase classname="tests.test_a" name="test_sk" file="tests/test_a.py"><skipped message="no">why</skipped></testcase>
<testcase classname="tests.test_a" name="test_err" file="tests/test_a.py"><error message="failed on setup with
&quot;fixture 'x' not found&quot;">no fixture</error></testcase>
<testcase classname="" name="tests.test_b" file="tests/test_b.py"><error message="collection failure">
E   ImportError: cannot import name 'nothing' from 'tests'</error></testcase>
</testsuite></testsuites>"""
SUREFIRE = b"""<testsuite name="CartTest" tests="2"><properties><property name="x" value="y"/></properties>
<testcase name="total" classname="shop.CartTest" time="0.01"><error message="x" type="java.lang.NullPointerException">
at shop.Cart.total(Cart.java:3)</error></testcase><testcase name="empty" classname="shop.CartTest"/></testsuite>"""
UNITTEST = """\
test_bad (test_u.T.test_bad)
A doc line. ... FAIL
test_err (test_u.T.test_err) ... ERROR
test_ok (test_u.T.test_ok) ... ok
test_sk (test_u.T.test_sk) ... skipped 'no'
test_v (unittest.loader._FailedTest.test_v) ... ERROR

======================================================================
ERROR: test_err (test_u.T.test_err)
----------------------------------------------------------------------
Traceback (most recent call last):
ValueError

======================================================================
ERROR: test_v (unittest.loader._FailedTest.test_v)
----------------------------------------------------------------------
ImportError: Failed to import test module: test_v
ModuleNotFoundError: No module named 'nothing_here'


======================================================================
FAIL: test_bad (test_u.T.test_bad)
A doc line.
----------------------------------------------------------------------
AssertionError: 1 != 2

----------------------------------------------------------------------
Ran 5 tests in 0.001s

FAILED (failures=1, errors=2, skipped=1)
"""
QUIET_UNITTEST = UNITTEST[UNITTEST.index("=====") :]
CARGO = """\
running 3 tests
test cart::adds ... ok
test cart::total ... FAILED
test cart::slow ... ignored

failures:

---- cart::total stdout ----
thread 'cart::total' panicked at src/lib.rs:5:9:
assertion `left == right` failed

failures:
    cart::total

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out
"""
CARGO_BROKEN = (
    "error[E0425]: cannot find function `total` in this scope\n\nerror: could not compile `shop` (lib test)\n"
)
TAP = "TAP version 13\nok 1 - adds\nnot ok 2 - total\n  ---\n  error: '1 == 2'\n  ...\nok 3 - later # SKIP no\n1..3\n"
GO = "\n".join(
    json.dumps(event)
    for event in (
        {"Action": "run", "Package": "shop", "Test": "TestTotal"},
        {"Action": "output", "Package": "shop", "Test": "TestTotal", "Output": "    cart_test.go:5: 3 != 4\n"},
        {"Action": "fail", "Package": "shop", "Test": "TestTotal"},
        {"Action": "pass", "Package": "shop", "Test": "TestAdds"},
        {"Action": "fail", "Package": "shop"},
        {"Action": "output", "Package": "tax", "Output": "FAIL\ttax [build failed]\n"},
        {"Action": "fail", "Package": "tax"},
    )
)
JEST = json.dumps(
    {
        "testResults": [
            {
                "name": "/w/tests/a.test.js",
                "status": "failed",
                "assertionResults": [
                    {"fullName": "cart adds", "status": "passed"},
                    {"fullName": "cart total", "status": "failed", "failureMessages": ["expected 4"]},
                    {"fullName": "cart later", "status": "pending"},
                ],
            },
            {"name": "/w/tests/b.test.js", "status": "failed", "message": "Cannot find module", "assertionResults": []},
        ]
    }
).encode()


def told(report: TestReport | None) -> dict[str, str]:
    assert report is not None
    return {test.name: test.outcome.value for test in report.tests} | {one.name: "not run" for one in report.broken}


def test_junit_xml_of_pytest() -> None:
    report = read_junit(PYTEST)
    assert told(report) == {
        "tests.test_a.test_ok": "passed",
        "tests.test_a.TestC.test_bad[1]": "failed",
        "tests.test_a.test_sk": "skipped",
        "tests.test_a.test_err": "not run",
        "tests.test_b": "not run",
    }
    assert report is not None
    assert report.failed[0].file == "tests/test_a.py"
    assert report.failed[0].detail.endswith("tests/test_a.py:4: AssertionError")
    assert count_words(report) == "1 passed, 1 failed, 1 skipped, 2 could not be run"


def test_junit_xml_of_maven_has_errors_in_the_body_of_tests() -> None:
    assert told(read_junit(SUREFIRE)) == {"shop.CartTest.total": "error", "shop.CartTest.empty": "passed"}


BOMB = b"""<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><testsuite>&b;</testsuite>"""
OUTSIDE = b"""<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><testsuite><testcase name="&a;"/></testsuite>"""
MANY = b"<testsuite>" + b'<testcase name="a"/>' * (MAX_TESTS + 1) + b"</testsuite>"


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"<html/>",
        b"<testsuite>",
        b"\x00\xff",
        b"<?xml version='1.0' encoding='nonsense'?><testsuite/>",
        BOMB,
        OUTSIDE,
        b"<testsuite>" * 100 + b"</testsuite>" * 100,
        MANY,
    ],
    ids=["empty", "html", "cut", "binary", "encoding", "entities", "outside", "deep", "many"],
)
def test_a_document_that_is_no_report_or_an_attack_is_refused(document: bytes) -> None:
    assert read_junit(document) is None


def test_names_and_details_are_clipped() -> None:
    long = b"x" * 100_000
    report = read_junit(
        b'<testsuite><testcase name="' + long + b'"><failure>' + long + b"</failure></testcase></testsuite>"
    )
    assert report is not None
    assert (len(report.tests[0].name), len(report.tests[0].detail)) == (300, MAX_DETAIL)


@pytest.mark.parametrize(
    ("output", "results"),
    [
        (
            UNITTEST,
            {
                "test_u.T.test_bad": "failed",
                "test_u.T.test_err": "error",
                "test_u.T.test_ok": "passed",
                "test_u.T.test_sk": "skipped",
                "unittest.loader._FailedTest.test_v": "not run",
            },
        ),
        (CARGO, {"cart::adds": "passed", "cart::total": "failed", "cart::slow": "skipped"}),
        (CARGO_BROKEN, {"shop": "not run"}),
        (TAP, {"adds": "passed", "total": "failed", "later": "skipped"}),
        (GO, {"shop.TestTotal": "failed", "shop.TestAdds": "passed", "tax": "not run"}),
        (
            "=== RUN   TestTotal\n--- FAIL: TestTotal (0.00s)\n--- PASS: TestAdds (0.00s)\nFAIL\tshop\t0.002s\n",
            {"TestTotal": "failed", "TestAdds": "passed"},
        ),
        ("Ran 0 tests in 0.000s\n\nOK\n", {}),
    ],
    ids=["unittest", "cargo", "cargo, not compiled", "tap", "go -json", "go -v", "no test"],
)
def test_results_are_read_from_what_a_runner_prints(output: str, results: dict[str, str]) -> None:
    assert told(read_output(output)) == results


def test_without_v_unittest_names_what_failed_and_counts_the_rest() -> None:
    report = read_output(QUIET_UNITTEST)
    assert report is not None
    assert (report.ran, report.passed, len(report.broken)) == (4, 2, 1)


def test_other_output_is_no_report() -> None:
    for output in ("", "all is well", "FAILED a\n", "not ok\n", "make: *** [test] Error 1\n"):
        assert read_output(output) is None


def test_the_output_of_go_is_told_as_it_would_be_without_json() -> None:
    assert go_text(GO) == "    cart_test.go:5: 3 != 4\nFAIL\ttax [build failed]\n"


def test_json_of_jest() -> None:
    assert told(read_jest(JEST, "/w")) == {
        "cart adds": "passed",
        "cart total": "failed",
        "cart later": "skipped",
        "tests/b.test.js": "not run",
    }
    for document in (b"", b"[]", b"{}", b'{"testResults": 3}', b"[" * 100_000, b'{"testResults": [1, {"name": 3}]}'):
        report = read_jest(document, "/w")
        assert report is None or report.tests == ()


@pytest.mark.parametrize("line", ["ok 1 - a", "test a ... ok\ntest result: ok. "])
def test_more_results_than_are_read_are_no_report(line: str) -> None:
    assert read_output(f"1..2\n{line}\n" * (MAX_TESTS + 1)) is None


# --- what runners are asked


PACKAGE = json.dumps({"scripts": {"test": "jest --ci", "test:unit": "vitest run", "test:all": "jest && mocha"}})


@pytest.mark.parametrize(
    ("command", "run"),
    [
        ("python3 -m unittest discover -s tests", "python3 -m unittest discover -v -s tests"),
        ("PYTHONPATH=src python3 -m unittest", "PYTHONPATH=src python3 -m unittest -v"),
        ("python3 -m unittest -v test_a", "python3 -m unittest -v test_a"),
        ("cd x && python -m unittest test_a", "cd x && python -m unittest -v test_a"),
        ("python3 -m pytest -q", "python3 -m pytest -q"),
        ("make test", "make test"),
        ("go test ./...", "go test -json ./..."),
        ("go vet ./... && go test ./...", "go vet ./... && go test ./..."),
        ("npm test", "npm test -- --json --outputFile=/r/jest.json"),
        ("npm test -- a.test.js", "npm test -- a.test.js --json --outputFile=/r/jest.json"),
        ("yarn test", "yarn test --json --outputFile=/r/jest.json"),
        (
            "npm run test:unit",
            "npm run test:unit -- --reporter=default --reporter=json --outputFile.json=/r/jest.json",
        ),
        ("npm run test:all", "npm run test:all"),
        ("npx jest a.test.js", "npx jest a.test.js --json --outputFile=/r/jest.json"),
        ("npx jest; true", "npx jest; true"),
    ],
)
def test_a_command_is_run_so_that_it_reports(command: str, run: str) -> None:
    how = reporting(command, folder="/r", package=PACKAGE)
    assert how.command == run
    assert how.environment["PYTEST_ADDOPTS"].startswith("--junitxml=/r/pytest.xml ")
