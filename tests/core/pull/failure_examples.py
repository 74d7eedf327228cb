"""Failed checks and logs for tests, written as real tools write them."""

from datetime import timedelta

from caseworker.core.base.ids import Sha
from caseworker.core.pull.failures import CheckResult, FailedCheck, ResultState, WithoutChange, WorkflowAttempt
from tests.core.pull.pull_examples import HEAD, NOW

PYTEST = """\
2026-03-02T11:58:01.1234567Z ##[group]Run actions/checkout@v4
2026-03-02T11:58:02.0000001Z error: this step passed all the same
2026-03-02T11:58:03.1234567Z ##[group]Run pytest -n 4 -p no:cacheprovider
2026-03-02T11:58:03.2234567Z ##[endgroup]
2026-03-02T11:58:04.3234567Z [gw1] \x1b[31mFAILED\x1b[0m tests/test_cart.py::test_total
2026-03-02T11:58:04.4234567Z E       AssertionError: assert 41 == 42
2026-03-02T11:58:04.5234567Z E        +  where 41 = <shop.Cart object at 0x7f3a2c1d9e50>.total
2026-03-02T11:58:04.6234567Z /home/runner/work/shop/shop/tests/test_cart.py:17: AssertionError
2026-03-02T11:58:04.7234567Z FAILED tests/test_cart.py::test_total - AssertionError: assert 41 == 42
2026-03-02T11:58:04.8234567Z ================== 1 failed, 120 passed in 4.21s ==================
2026-03-02T11:58:05.1234567Z ##[error]Process completed with exit code 1.
2026-03-02T11:58:05.2234567Z Post job cleanup.
2026-03-02T11:58:05.3234567Z [command]/usr/bin/git config --local --name-only --get-regexp error
"""
PYTEST_AGAIN = """\
2026-03-03T07:01:44.0000007Z ##[group]Run pytest -n 4 -p no:cacheprovider
2026-03-03T07:01:45.3234567Z [gw3] FAILED tests/test_cart.py::test_total
2026-03-03T07:01:45.6234567Z D:\\a\\shop\\shop\\tests\\test_cart.py:19: AssertionError
2026-03-03T07:01:45.4234567Z E       AssertionError: assert 39 == 40
2026-03-03T07:01:45.5234567Z E        +  where 39 = <shop.Cart object at 0x55d01b3f0aa0>.total
2026-03-03T07:01:45.7234567Z FAILED tests/test_cart.py::test_total - AssertionError: assert 39 == 40
2026-03-03T07:01:45.8234567Z ============= 1 failed, 121 passed, 2 warnings in 61.90s (0:01:01) =============
2026-03-03T07:01:46.1234567Z ##[error]Process completed with exit code 1.
"""
GO = """\
=== RUN   TestServe
    serve_test.go:31: Get "http://127.0.0.1:39021/health": dial tcp 127.0.0.1:39021: connect: connection refused
--- FAIL: TestServe (0.03s)
FAIL
FAIL    example.org/shop/serve  0.041s
"""
RUST = """\
thread 'cart::tests::total' (48121) panicked at src/cart.rs:88:9:
assertion `left == right` failed
test cart::tests::total ... FAILED
test result: FAILED. 11 passed; 1 failed; 0 ignored; 0 measured; finished in 0.52s
"""
JEST = """\
 FAIL  src/cart.test.ts (5.812 s)
  ● cart › adds up
      at Object.<anonymous> (/home/runner/work/shop/shop/src/cart.test.ts:14:23)
Tests:       1 failed, 8 passed, 9 total
"""
TSC = "src/cart.ts(12,7): error TS2322: Type 'string' is not assignable to type 'number'.\n"
TSC_OTHER = "src/cart.ts(12,7): error TS2304: Cannot find name 'price'.\n"
JAVA = """\
[ERROR] Tests run: 4, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.083 s <<< FAILURE! -- in shop.CartTest
[ERROR] shop.CartTest.total -- Time elapsed: 0.011 s <<< FAILURE!
org.opentest4j.AssertionFailedError: expected: <42> but was: <41>
"""


def attempt(run: int = 5, number: int = 1, *, event: str = "push") -> WorkflowAttempt:
    return WorkflowAttempt(run=run, attempt=number, workflow=".github/workflows/ci.yml", event=event)


def result(state: ResultState, of: WorkflowAttempt | None = None, *, word: str = "") -> CheckResult:
    words = {"passed": "success", "failed": "failure", "broken": "cancelled", "pending": "", "other": "skipped"}
    return CheckResult(state=state, result=word or words[state], of=of, at=NOW - timedelta(hours=1))


def failed(
    log: str = PYTEST,
    *,
    name: str = "Tests",
    app: str = "github-actions",
    head: Sha = HEAD,
    results: tuple[CheckResult, ...] = (),
    without: WithoutChange | None = None,
) -> FailedCheck:
    """`results`: oldest first; the last one is the newest."""
    every = results or (result("failed", attempt() if app == "github-actions" else None),)
    return FailedCheck(
        name=name,
        app=app,
        head=head,
        newest=every[-1],
        results=every,
        without_change=without or WithoutChange(),
        log_tail=log,
    )
