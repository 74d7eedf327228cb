"""A function that tests call counts like a test: what it accepts, expects and skips over."""

import pytest

from caseworker.core.evidence.weakened_tests import weakened

PYTHON = (
    "def check_total(cart):\n    rows = cart.rows\n    assert cart.total() == 5\n\n\n"
    "def test_a():\n    check_total(Cart())\n"
)
SCRIPT = "function checkTotal(cart) {\n  const rows = cart.rows;\n  expect(cart.total()).toBe(5);\n}\n"
ARROW = "const checkTotal = async (cart) => {\n  const rows = cart.rows;\n  expect(cart.total()).toBe(5);\n};\n"
GO = "func checkTotal(t *testing.T, cart *Cart) {\n\trows := cart.rows\n\trequire.Equal(t, 5, cart.total())\n}\n"
SUITE = GO.replace("func checkTotal(t *testing.T, cart *Cart)", "func (s *Suite) checkTotal()")
RUST = "fn check_total(cart: &Cart) {\n    let rows = cart.rows;\n    assert_eq!(cart.total(), 5);\n}\n"
JAVA = (
    "class Checks {\n    private static void checkTotal(Cart cart) {\n        int rows = cart.rows;\n"
    "        assertEquals(5, cart.total());\n    }\n}\n"
)


@pytest.mark.parametrize(
    ("path", "text", "old", "new"),
    [
        ("tests/checks.py", PYTHON, "assert cart.total() == 5", "assert cart.total()"),
        ("tests/checks.ts", SCRIPT, "expect(cart.total()).toBe(5);", "expect(cart.total()).toBeDefined();"),
        ("tests/checks.ts", ARROW, "expect(cart.total()).toBe(5);", "expect(cart.total()).toBeDefined();"),
        ("a_test.go", GO, "require.Equal(t, 5, cart.total())", "require.NotNil(t, cart.total())"),
        ("a_test.go", SUITE, "require.Equal(t, 5, cart.total())", "require.NotNil(t, cart.total())"),
        ("tests/checks.rs", RUST, "assert_eq!(cart.total(), 5);", "assert!(cart.total() >= 0);"),
        ("src/test/java/Checks.java", JAVA, "assertEquals(5, cart.total());", "assertNotNull(cart.total());"),
    ],
)
def test_a_helper_that_accepts_more_is_told(path: str, text: str, old: str, new: str) -> None:
    name = "check_total" if "check_total" in text else "checkTotal"
    assert weakened({path: text}, {path: text.replace(old, new)}) == [
        f"`{new}` in `{name}` in `{path}` accepts more than `{old}`, which it replaces."
    ]


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (
            "== 5",
            "== 6",
            "`check_total` in `tests/checks.py` expects another value than before: `assert cart.total() == 6` instead "
            "of `assert cart.total() == 5`.",
        ),
        (
            "    assert",
            "    if not rows:\n        return\n    assert",
            "`return` was added to `check_total` in `tests/checks.py`: its assertions may not count any more.",
        ),
        (
            "    assert cart.total() == 5\n",
            "",
            "`tests/checks.py` checks less outside of its tests: 0 assertions instead of 1.",
        ),
    ],
)
def test_a_helper_that_checks_otherwise_or_less_is_told(old: str, new: str, found: str) -> None:
    assert weakened({"tests/checks.py": PYTHON}, {"tests/checks.py": PYTHON.replace(old, new)}) == [found]


@pytest.mark.parametrize(
    "after",
    [
        PYTHON.replace("cart.rows", "cart.rows()"),
        PYTHON.replace("check_total", "verify_total"),
        PYTHON + "\n\ndef check_rows(cart):\n    assert cart.rows\n",
        PYTHON.replace("    assert cart", "    check_sum(cart)\n\n\ndef check_sum(cart):\n    assert cart"),
    ],
)
def test_an_honest_change_of_a_helper_is_not(after: str) -> None:
    assert weakened({"tests/checks.py": PYTHON}, {"tests/checks.py": after}) == []


def test_functions_outside_of_tests_are_not_read() -> None:
    assert weakened({"src/cart.rs": RUST}, {"src/cart.rs": RUST.replace("5", "6")}) == []


def test_several_of_one_name_are_not_compared() -> None:
    two = "class A:\n    def check(self):\n        assert a() == 1\n\n\n"
    before = two + two.replace("class A", "class B").replace("1", "2")
    assert weakened({"tests/a.py": before}, {"tests/a.py": before.replace("a() == 1", "a() == 3")}) == []
