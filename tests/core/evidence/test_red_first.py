"""Red first: a new test counts only if it ran and failed, and did not fail in the same way before."""

import pytest

from caseworker.core.evidence.builds import Build, CommandRun, Purpose, RedVerdict, Stage
from caseworker.core.evidence.missing_names import missing_name, provides
from caseworker.core.evidence.red_first import RedFacts, judge_red, still_red
from caseworker.core.evidence.test_report import TestOutcome, TestReport, TestResult, make_report, make_result
from tests.core.examples import BASE, a_build, a_run

NEW = "python -m unittest test_new"
FILES = ("tests/test_new.py",)
P, F, E, S = TestOutcome.PASSED, TestOutcome.FAILED, TestOutcome.ERROR, TestOutcome.SKIPPED
DETAIL = "AssertionError: 3 != 4"
UNEXPECTED = "got an unexpected keyword argument 'strict'"


def result(name: str, outcome: TestOutcome, detail: str = "", file: str = FILES[0]) -> TestResult:
    return make_result(name, outcome, detail=detail, file=file)


def report(*tests: TestResult, broken: tuple[TestResult, ...] = ()) -> TestReport | None:
    return make_report("JUnit XML", tests, broken)


def new_test(
    *tests: TestResult, exit_code: int = 1, output: str = "", broken: tuple[TestResult, ...] = (), reports: bool = True
) -> CommandRun:
    run = a_run(NEW, purpose=Purpose.NEW_TEST, exit_code=exit_code, output=output)
    return run.model_copy(update={"report": report(*tests, broken=broken)}) if reports else run


def silent(*, exit_code: int = 1, output: str = "", timed_out: bool = False) -> CommandRun:
    """A run of the new test with a runner that reports no single tests."""
    return a_run(NEW, purpose=Purpose.NEW_TEST, exit_code=exit_code, output=output, timed_out=timed_out)


def facts(
    *,
    files: tuple[str, ...] = FILES,
    before: CommandRun | None = None,
    base: Build | None = None,
    feature: bool = False,
) -> RedFacts:
    return RedFacts(test_files=files, before=before, base=base, may_lack_name=feature)


def on_base(*runs: CommandRun) -> Build:
    return a_build(*runs, stage=Stage.BASE, commit=BASE)


LACKS = "tests/test_new.py:1: in <module>\n    from shop import members\nE   ImportError: cannot import name 'members'"
NOT_COLLECTED = result("tests.test_new", E, f"collection failure\n{LACKS}")
SAME = new_test(result("test_new.test_a", F, DETAIL))

TABLE: list[tuple[str, CommandRun | None, RedFacts, str, str]] = [
    (
        "a test ran and failed",
        SAME,
        facts(),
        "red",
        "`test_new.test_a` failed without the fix: `AssertionError: 3 != 4`",
    ),
    ("no test file was changed", SAME, facts(files=()), "not_run", "no test file was added or changed"),
    ("another file's test failed", new_test(result("a", F, file="tests/old.py")), facts(), "green", "not by a new"),
    ("it failed in the same way before", SAME, facts(before=SAME), "green", "fails, and not by a new or changed test"),
    ("it failed in another way before", SAME, facts(before=new_test(result("test_new.test_a", F, "x"))), "red", ""),
    ("it fails on the base's suite as well", SAME, facts(base=on_base(SAME)), "green", "not by a new"),
    ("it passes", new_test(result("a", P), exit_code=0), facts(), "green", "passes without the fix: it proves nothing"),
    ("it is skipped", new_test(result("a", S), exit_code=0), facts(), "not_run", "all 1 of its tests are skipped"),
    ("no test ran", new_test(exit_code=5), facts(), "not_run", "tested nothing: no test ran"),
    ("nothing ran, and it ended well", new_test(exit_code=0), facts(), "not_run", "tested nothing: no test ran"),
    ("it can't be collected", new_test(exit_code=2, broken=(NOT_COLLECTED,)), facts(), "not_run", "lacks the name"),
    (
        "it can't be collected, for another reason",
        new_test(exit_code=2, broken=(result("tests.test_new", E, "SyntaxError: invalid syntax"),)),
        facts(feature=True),
        "not_run",
        "`tests.test_new` could not be run: `SyntaxError: invalid syntax`",
    ),
    (
        "a feature lacks a name",
        new_test(exit_code=2, broken=(NOT_COLLECTED,)),
        facts(feature=True),
        "red",
        "fails because `members` is not there yet",
    ),
    (
        "a bug's test lacks a name in its body",
        new_test(result("a", F, "tests/test_new.py:4: in test_a\nNameError: name 'members' is not defined")),
        facts(),
        "not_run",
        "lacks the name `members`: what it is to test was never run",
    ),
    (
        "the bug is an AttributeError in the code",
        new_test(result("a", E, "File \"shop/cart.py\", line 3, in total\nNameError: name 'price' is not defined")),
        facts(),
        "red",
        "NameError: name 'price' is not defined",
    ),
    (
        "the bug is a missing value",
        new_test(result("a", F, "tests/test_new.py:4: \nAttributeError: 'NoneType' object has no attribute 'name'")),
        facts(),
        "red",
        "",
    ),
    ("the exit code was swallowed", new_test(result("a", F, DETAIL), exit_code=0), facts(), "red", "`a` failed"),
    ("no report, and it failed", silent(output="3 != 4"), facts(), "red", "ended with exit code 1 without the fix"),
    ("no report, and it passed", silent(exit_code=0), facts(), "green", "it proves nothing"),
    ("no report, and it was stopped", silent(timed_out=True), facts(), "not_run", "it was stopped after 1 s"),
    ("no report, and no such command", silent(exit_code=127), facts(), "not_run", "there is no such command"),
    (
        "no report, and the file is not there",
        silent(exit_code=2, output="sh: 0: cannot open tests/new.sh: No such file"),
        facts(),
        "not_run",
        "it says `sh: 0: cannot open tests/new.sh: No such file`",
    ),
    (
        "no report, and no module",
        silent(output="/usr/bin/python3: No module named pytest"),
        facts(),
        "not_run",
        "No module named pytest",
    ),
    (
        "no report, and no tests",
        silent(exit_code=5, output="no tests ran in 0.01s"),
        facts(),
        "not_run",
        "no tests ran",
    ),
    (
        "no report, and the file of the test is not found",
        silent(exit_code=4, output="ERROR: file or directory not found: tests/test_new.py\n\nno tests ran in 0.00s"),
        facts(),
        "not_run",
        "file or directory not found",
    ),
    (
        "no report, and it failed in the same way before",
        silent(output="took 12 ms"),
        facts(before=silent(output="took 9 ms")),
        "green",
        "failed before the new test in the same way",
    ),
    (
        "no report, and the file was not there before",
        silent(),
        facts(before=silent(exit_code=2, output="sh: 0: cannot open tests/new.sh")),
        "red",
        "",
    ),
    ("no report, and a feature lacks a name", silent(output=LACKS), facts(feature=True), "red", "is not there yet"),
    ("no report, and a bug lacks a name", silent(output=LACKS), facts(), "not_run", "lacks the name `members`"),
    (
        "a bug's test calls with a parameter that is not there",
        new_test(result("a", F, f"E   TypeError: total() {UNEXPECTED}\n\ntests/test_shop.py:4: TypeError")),
        facts(),
        "not_run",
        "lacks the name `strict`: what it is to test was never run",
    ),
    (
        "a feature lacks a parameter",
        new_test(result("a", F, f"E   TypeError: total() {UNEXPECTED}\n\ntests/test_shop.py:4: TypeError")),
        facts(feature=True),
        "red",
        "fails because `strict` is not there yet",
    ),
    (
        "the bug is a call in the code with a parameter that is not there",
        new_test(
            result("a", F, f"tests/test_new.py:4: in test_a\nshop/a.py:3: in b\nE   TypeError: add() {UNEXPECTED}")
        ),
        facts(),
        "red",
        "unexpected keyword argument",
    ),
    ("no command", None, facts(), "nothing_to_run", "no test command was found"),
]


@pytest.mark.parametrize(("run", "known", "kind", "reason"), [r[1:] for r in TABLE], ids=[r[0] for r in TABLE])
def test_the_verdict_of_a_run_that_must_fail(run: CommandRun | None, known: RedFacts, kind: str, reason: str) -> None:
    build = a_build(run) if run is not None else a_build(a_run("lint", purpose=Purpose.LINT))
    verdict = judge_red(build, known)
    assert (verdict.kind, reason in verdict.reason) == (kind, True), verdict.reason


SUITES: list[tuple[str, CommandRun, Build | None, str]] = [
    ("fails where it passed", a_run(exit_code=1, output="bad"), on_base(a_run()), "red"),
    ("passes", a_run(), on_base(a_run()), "green"),
    ("failed before", a_run(exit_code=1), on_base(a_run(exit_code=1)), "green"),
    ("was stopped", a_run(timed_out=True), on_base(a_run()), "not_run"),
]


@pytest.mark.parametrize(("run", "base", "kind"), [r[1:] for r in SUITES], ids=[r[0] for r in SUITES])
def test_without_a_command_of_its_own_the_suite_is_judged(run: CommandRun, base: Build, kind: str) -> None:
    assert judge_red(a_build(run), facts(base=base)).kind == kind


def test_a_failed_set_up_tests_nothing() -> None:
    verdict = judge_red(a_build(a_run("npm ci", purpose=Purpose.SETUP, exit_code=1)), facts())
    assert (verdict.kind, verdict.reason) == (
        "nothing_to_run",
        "nothing could be tested: `npm ci` ended with exit code 1",
    )


def test_a_red_verdict_names_its_tests_or_says_that_only_the_exit_code_was_judged() -> None:
    named = judge_red(a_build(SAME), facts())
    assert (named.tests, named.by_exit_code) == (("test_new.test_a",), False)
    counted = judge_red(a_build(silent()), facts())
    assert (counted.tests, counted.by_exit_code) == ((), True)


NOT_COMPILED = [
    "[ERROR] COMPILATION ERROR : \n[ERROR] A.java:[5,9] method total in class Shop cannot be applied to given types;",
    "ATest.java:5: error: incompatible types: String cannot be converted to int\n"
    "> Compilation failed; see the compiler error output for details.",
    "a.test.ts(3,20): error TS2554: Expected 1 arguments, but got 2.",
    "a.test.ts:3:20 - error TS2554: Expected 1 arguments, but got 2.",
    "error TS2554: Expected 1 arguments, but got 2.",
    "TSError: \u2a2f Unable to compile TypeScript:\na.test.ts(3,20): error TS2554: Expected 1\n# fail 1",
    "test.c:3:5: error: too many arguments to function 'total'",
    "test.c:3:5: error: too few arguments to function call, expected 2, have 1",
    "0 examples, 0 failures, 1 error occurred outside of examples",
]


@pytest.mark.parametrize("output", NOT_COMPILED)
def test_a_test_that_does_not_compile_was_not_run(output: str) -> None:
    assert judge_red(a_build(silent(output=output)), facts()).kind == "not_run"


@pytest.mark.parametrize("output", ["said 'error TS2554: Expected 1'", "+ error: too many arguments", "3 examples"])
def test_a_failure_that_only_names_an_error_of_a_compiler_is_red(output: str) -> None:
    assert judge_red(a_build(silent(output=output)), facts()).kind == "red"


RED = RedVerdict(kind="red", reason="it failed")


@pytest.mark.parametrize(
    ("tests", "kind", "reason"),
    [
        ((result("a", F), result("b", F)), "red", "it failed"),
        ((result("a", F), result("b", P)), "green", "`b` was changed after it was seen to fail, and no longer fails"),
        ((result("a", F), result("b", S)), "green", "`b` was changed"),
        ((result("a", F),), "not_run", "`b` was seen to fail, and is not run any more"),
    ],
)
def test_each_test_that_was_red_has_to_fail_again(tests: tuple[TestResult, ...], kind: str, reason: str) -> None:
    verdict = still_red(RED, [new_test(*tests)], ("a", "b"))
    assert (verdict.kind, reason in verdict.reason) == (kind, True)


# --- missing names

RUBY_CODE, RUBY_TEST = "lib/shop.rb:3:in `total'\n", "spec/shop_spec.rb:5:in `block in <main>'\n"


@pytest.mark.parametrize(
    ("detail", "name"),
    [
        ("ImportError: cannot import name 'total' from 'shop'", "total"),
        ("ModuleNotFoundError: No module named 'shop.members'", "shop.members"),
        ("AttributeError: module 'shop' has no attribute 'total'", "total"),
        ("AttributeError: 'Cart' object has no attribute 'total'", "total"),
        ("ReferenceError: total is not defined\n  at Object.<anonymous> (/w/tests/a.test.js:3:1)", "total"),
        ("TypeError: (0 , _cart.total) is not a function\n  at Object.<anonymous> (/w/tests/a.test.js:3:1)", "total"),
        ("./cart_test.go:5:2: undefined: Total", "Total"),
        ("error[E0425]: cannot find function `total` in this scope", "total"),
        (f"TypeError: total() {UNEXPECTED}\n\ntests/test_shop.py:4: TypeError", "strict"),
        (
            "TypeError: Cart.total() takes 1 positional argument but 2 were given\n\ntests/test_a.py:4: TypeError",
            "total",
        ),
        ("TypeError: total() takes from 1 to 2 positional arguments but 3 were given", "total"),
        (f"ArgumentError: unknown keyword: :strict\n{RUBY_CODE}{RUBY_TEST}", "strict"),
        (
            f"     # ArgumentError:\n       unknown keywords: :strict, :b\n     # ./{RUBY_CODE}     # ./{RUBY_TEST}",
            "strict",
        ),
        (f"NoMethodError: undefined method `total' for #<Cart:0x01>\n{RUBY_TEST}", "total"),
        (f"NoMethodError: undefined method 'total' for an instance of Cart\n{RUBY_TEST}", "total"),
        ("./cart_test.go:5:2: unknown field Strict in struct literal of type Options", "Strict"),
        ("./cart_test.go:5:2: too many arguments in call to shop.Total\n\thave (int, bool)", "Total"),
        ("[ERROR] /w/ATest.java:[5,9] method total in class Shop cannot be applied to given types;", "total"),
        ("test.c:3:5: error: too many arguments to function 'total'", "total"),
        ("test.c:3:5: error: too many arguments to function \u2018total\u2019", "total"),
        ("test.cpp:3:5: error: too few arguments to function 'int total(int, int)'", "total"),
        ("a.test.ts:3:1 - error TS2339: Property 'total' does not exist on type 'Cart'.", "total"),
        ("a.test.ts:3:1 - error TS2305: Module '\"./cart\"' has no exported member 'total'.", "total"),
        ("AssertionError: 3 != 4", ""),
        ("AttributeError: 'NoneType' object has no attribute 'total'", ""),
        ("ReferenceError: total is not defined\n  at sum (/w/src/cart.js:3:1)", ""),
        (f"tests/test_shop.py:4: in test_a\nshop/cart.py:4: in total\nE   TypeError: add() {UNEXPECTED}", ""),
        ('File "shop/cart.py", line 3, in total\nTypeError: add() takes 1 positional argument but 2 were given', ""),
        (f"ArgumentError: unknown keyword: :strict\n{RUBY_CODE}{RUBY_CODE}{RUBY_TEST}", ""),
        (f"NoMethodError: undefined method `price' for #<Item:0x01>\n{RUBY_CODE}{RUBY_TEST}", ""),
        (f"{RUBY_CODE[:-1]}: undefined method `price' for #<Item:0x01> (NoMethodError)\n\tfrom {RUBY_TEST}", ""),
        (f"NoMethodError: undefined method `price' for nil:NilClass\n{RUBY_TEST}", ""),
        (f"NoMethodError: undefined method 'price' for an instance of Integer\n{RUBY_TEST}", ""),
    ],
)
def test_the_name_that_a_test_lacked(detail: str, name: str) -> None:
    assert missing_name(detail) == name


@pytest.mark.parametrize(
    ("added", "is_there"),
    [
        ({"shop/cart.py": "def members():"}, True),
        ({"shop/members.py": "x = 1"}, True),
        ({"shop/members/__init__.py": ""}, True),
        ({"shop/cart.py": "def total(items, members=None):"}, True),
        ({"shop/cart.py": "def membership():"}, False),
        ({"tests/test_new.py": "def members():"}, False),
        ({}, False),
    ],
)
def test_a_change_provides_a_name_outside_of_tests_or_not(added: dict[str, str], is_there: bool) -> None:
    assert provides("members", added) is is_there
