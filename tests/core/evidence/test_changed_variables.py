"""A variable that an assertion expects may not hold another value without a reason; another input may."""

import pytest

from caseworker.core.evidence.weakened_tests import weakened

PYTHON = """\
WANTED = 3
ROWS = [
    ("a", 1),
    ("b", 2),
]
SIZE = 10
LAST = "Z"
LIMIT = find_limit()


class TestCart:
    def test_a(self):
        cart = 1
        expected = {"total": 3}
        why = "it is the sum"
        assert total(cart) == expected, why
        assert count() == WANTED
        self.assertEqual(rows(SIZE), ROWS)
        name = "shop"
        write(name)
        assert read() == name
        basket = Cart(1)
        assert basket.total() == 1
        assert all_of() == (
            LAST
        )
        assert limit() <= LIMIT
"""
SCRIPT = (
    "const wanted: number = 3;\nit('test_a', () => {\n  const size = 3;\n  expect(total(size)).toBe(wanted);\n});\n"
)
GO = """\
func TestA(t *testing.T) {
\tgot := add(1, 2)
\twant := 3
\tif got != want {
\t\tt.Errorf("got %d, want %d", got, want)
\t}
}
"""
JAVA = """\
class CartTest {
    @Test
    void test_a() {
        final int expected = 3;
        assertEquals(expected, total());
    }
}
"""
RUST = "#[test]\nfn test_a() {\n    let expected: u32 = 3;\n    assert_eq!(total(), expected);\n}\n"
FILES = {"tests/test_a.py": PYTHON, "a.test.ts": SCRIPT, "a_test.go": GO, "CartTest.java": JAVA, "src/a.rs": RUST}
PY, TS, GL, JV, RS = FILES


def told(path: str, old: str, new: str) -> list[str]:
    assert FILES[path].count(old) == 1
    return weakened({path: FILES[path]}, {path: FILES[path].replace(old, new)})


@pytest.mark.parametrize(
    ("path", "old", "new", "said"),
    [
        (PY, "WANTED = 3", "WANTED = 4", "`WANTED = 4` instead of `WANTED = 3`"),
        (PY, "WANTED = 3", "WANTED = count()", "`WANTED = count()` instead of `WANTED = 3`"),
        (PY, '"total": 3', '"total": 4', '`expected = {"total": 4}` instead of `expected = {"total": 3}`'),
        (PY, '("b", 2)', '("b", 5)', '`ROWS = [("a", 1), ("b", 5)]` instead of `ROWS = [("a", 1), ("b", 2)]`'),
        (PY, 'LAST = "Z"', 'LAST = "z"', '`LAST = "z"` instead of `LAST = "Z"`'),
        (TS, "wanted: number = 3", "wanted: number = 4", "`wanted = 4` instead of `wanted = 3`"),
        (GL, "want := 3", "want := 4", "`want = 4` instead of `want = 3`"),
        (JV, "expected = 3", "expected = 4", "`expected = 4` instead of `expected = 3`"),
        (RS, "u32 = 3", "u32 = 4", "`expected = 4` instead of `expected = 3`"),
    ],
)
def test_an_expected_variable_with_another_value_is_told(path: str, old: str, new: str, said: str) -> None:
    name = "TestA" if path == GL else "test_a"
    assert told(path, old, new) == [f"`{name}` in `{path}` expects another value than before: {said}."]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (PY, "cart = 1", "cart = 2"),
        (PY, "SIZE = 10", "SIZE = 11"),
        (PY, 'name = "shop"', 'name = "store"'),
        (PY, "Cart(1)", "Basket(1)"),
        (PY, 'LAST = "Z"', 'LAST = ("Z" "")'),
        (PY, '"it is the sum"', '"it is the total"'),
        (PY, "LIMIT = find_limit()", "LIMIT = find_limits()"),
        (PY, "WANTED = 3\n", "WANTED: Final = 3\nOTHER = 5\n"),
        (PY, '[\n    ("a", 1),\n    ("b", 2),\n]', '[("a", 1), ("b", 2)]'),
        (TS, "const size = 3", "const size = 4"),
        (GL, "want := 3", "want  := 3"),
    ],
)
def test_another_input_or_layout_is_not(path: str, old: str, new: str) -> None:
    assert told(path, old, new) == []
