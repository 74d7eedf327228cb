"""A call of a function that checks counts as an assertion of the test: without it, or hidden, the test checks less."""

import pytest

from caseworker.core.evidence.weakened_tests import weakened

PYTHON = "def check(x):\n    assert x == 3\n\n\ndef test_a():\n    x = f()\n    check(x)\n"
SCRIPT = "function check(x) {\n  expect(x).toBe(3);\n}\n\nit('test_a', () => {\n  const x = f();\n  check(x);\n});\n"
GO = (
    "func check(t *testing.T, x int) {\n\tif x != 3 {\n\t\tt.Fatal(x)\n\t}\n}\n\n"
    "func TestA(t *testing.T) {\n\tx := F()\n\tcheck(t, x)\n}\n"
)
PY, JS, GL = "tests/test_a.py", "a.test.js", "a_test.go"


@pytest.mark.parametrize(
    ("path", "old", "part", "other"),
    [
        (PY, PYTHON, "    x = f()\n    check(x)", "    pass"),
        (PY, PYTHON, "    check(x)\n", ""),
        (JS, SCRIPT, "  check(x);\n", ""),
        (JS, SCRIPT, "  check(x);", "  if (x) check(x);"),
        (GL, GO, "\tcheck(t, x)\n", ""),
    ],
)
def test_a_test_without_its_call_checks_less(path: str, old: str, part: str, other: str) -> None:
    name = "TestA" if path == GL else "test_a"
    assert weakened({path: old}, {path: old.replace(part, other)}) == [
        f"`{name}` in `{path}` checks less: 0 assertions instead of 1."
    ]


@pytest.mark.parametrize(
    ("path", "old", "part", "other", "line"),
    [
        (PY, PYTHON, "    check(x)", "    return\n    check(x)", "return"),
        (
            *(PY, PYTHON, "    check(x)"),
            *("    try:\n        check(x)\n    except AssertionError:\n        pass", "except AssertionError:"),
        ),
        (PY, PYTHON, "    check(x)", "    if False:\n        check(x)", "if False:"),
        (GL, GO, "\tcheck(t, x)", "\treturn\n\tcheck(t, x)", "return"),
    ],
)
def test_a_line_that_hides_such_a_call_is_told(path: str, old: str, part: str, other: str, line: str) -> None:
    name = "TestA" if path == GL else "test_a"
    assert weakened({path: old}, {path: old.replace(part, other)}) == [
        f"`{line}` was added to `{name}` in `{path}`: its assertions may not count any more."
    ]


REFUSED = PYTHON.replace("    check(x)", "    with raises(No):\n        check(0)")
TWO = "def test_a():\n    x = f()\n    assert x == 3\n    assert x.y == 4\n"
HANDED_OVER = "def check(x):\n    assert x == 3\n    assert x.y == 4\n\n\ndef test_a():\n    x = f()\n    check(x)\n"
MADE = (
    "def make():\n    made = f()\n    assert made\n    return made\n\n\ndef test_a():\n    x = make()\n    assert x\n"
)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({PY: REFUSED}, {PY: REFUSED.replace("with raises(No):\n        check(0)", "assert ask(check(0)) == 1")}),
        ({PY: TWO}, {PY: HANDED_OVER}),
        ({PY: PYTHON}, {PY: PYTHON[PYTHON.index("def test") :], "tests/checks.py": PYTHON[: PYTHON.index("def test")]}),
        ({PY: PYTHON}, {PY: PYTHON.replace("check(x)", "check_three(x)")}),
        ({PY: MADE}, {PY: MADE.replace("x = make()", "x = f()")}),
        ({PY: PYTHON}, {PY: PYTHON.replace("    check(x)\n", "    check(x)\n    check(x)\n")}),
    ],
    ids=["a refusal", "handed over", "moved to another file", "renamed", "called for its value", "called once more"],
)
def test_a_test_that_checks_as_much_is_not(before: dict[str, str], after: dict[str, str]) -> None:
    assert weakened(before, after) == []


@pytest.mark.parametrize(
    ("path", "line", "other"),
    [
        ("test/a.js", "it('test_a', t => {\n  t.is(f(), 3);\n});\n", "t.pass();"),
        ("test/a.js", "it('test_a', t => {\n  t.equal(f(), 3);\n});\n", "t.pass();"),
        (
            "src/test/java/ATest.java",
            "class ATest {\n    @Test\n    void test_a() {\n        get().andExpect(status().isOk());\n    }\n}\n",
            "get();",
        ),
        (
            "src/test/java/ATest.kt",
            "class ATest {\n    @Test\n    fun test_a() {\n        f() shouldBe 3\n    }\n}\n",
            "f()",
        ),
        ("a_test.go", "func Test_a(t *testing.T) {\n\tc.Assert(F(), qt.Equals, 3)\n}\n", "F()"),
    ],
)
def test_an_assertion_of_a_library_is_known(path: str, line: str, other: str) -> None:
    check = next(one for one in line.splitlines() if "3" in one or "isOk" in one).strip()
    [found] = weakened({path: line}, {path: line.replace(check, other)})
    assert found.endswith("checks less: 0 assertions instead of 1.")


def test_a_name_that_begins_with_should_is_no_assertion() -> None:
    old = "class ATest {\n    @Test\n    void shouldAdd() {\n        assertEquals(3, f());\n    }\n}\n"
    path = "src/test/java/ATest.java"
    [found] = weakened({path: old}, {path: old.replace("assertEquals(3, f());", "f();")})
    assert found == f"`shouldAdd` in `{path}` checks less: 0 assertions instead of 1."
