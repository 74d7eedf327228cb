"""An existing assertion that expects another value, or asks about another case, is told; another message is not."""

import pytest

from caseworker.core.evidence.weakened_tests import weakened
from tests.core.evidence.test_loosened_checks import GO, JAVA, PYTHON, RUST, SCRIPT, SHAPES, told

IF = "if got := total(2); got != {} {{\n\t\tt.Errorf(`no`)\n\t}}"

OTHERWISE = [
    (PYTHON, "assert total() == 3", "assert total() == 4"),
    (PYTHON, "assert total == 3", "assert total == 4, 'four'"),
    (PYTHON, "assert 3 == total(2)", "assert 4 == total(2)"),
    (PYTHON, "assert total(2) == [1, 2]", "assert total(2) == [1]"),
    (PYTHON, 'assert row["a"] == {"b": 3}', 'assert row["a"] == {"b": 4, "c": []}'),
    (PYTHON, 'assert total() == Decimal("3")', 'assert total() == Decimal("4")'),
    (PYTHON, "assert total() == pytest.approx(5, rel=0.5)", "assert total() == pytest.approx(6, rel=0.5)"),
    (PYTHON, "assert cart.state is State.PAID", "assert cart.state is State.OPEN"),
    (PYTHON, 'assert "paid" in page', 'assert "open" in page'),
    (PYTHON, 'assert text.endswith("a")', 'assert text.endswith("b")'),
    (PYTHON, "self.assertEqual(total(2), 3)", "self.assertEqual(total(2), 4)"),
    (PYTHON, "self.assertEqual(3, total(2), 'a')", "self.assertEqual(4, total(2), 'b')"),
    (PYTHON, "with pytest.raises(ValueError):", "with pytest.raises(KeyError):"),
    (PYTHON, 'with pytest.raises(ValueError, match="a"):', 'with pytest.raises(ValueError, match="b"):'),
    (PYTHON, "send.assert_called_once_with(5)", "send.assert_called_once_with(6)"),
    (PYTHON, "assert not empty()", "assert empty()"),
    (PYTHON, "self.assertTrue(empty())", "self.assertFalse(empty())"),
    (PYTHON, 'assert "a" in page', 'assert "a" not in page'),
    (SCRIPT, "expect(total(2)).toBe(3);", "expect(total(2)).toBe(4);"),
    (SCRIPT, "t.is(total(2), 3);", "t.is(total(2), 4);"),
    (SCRIPT, "t.deepEqual(total(2), {a: 3});", "t.deepEqual(total(2), {a: 4});"),
    (SCRIPT, "expect(total(2)).toEqual({ a: 3 });", "expect(total(2)).toEqual({ a: 4 });"),
    (SCRIPT, "expect(total).toThrow(/row/);", "expect(total).toThrow(/line/);"),
    (SCRIPT, "expect(empty()).toBe(true);", "expect(empty()).toBe(false);"),
    (SCRIPT, "expect(list).toContain(1);", "expect(list).not.toContain(1);"),
    (SCRIPT, "expect(total(2)).to.equal(3);", "expect(total(2)).to.equal(4);"),
    (SCRIPT, "await expect(total(2)).resolves.toBe(3);", "await expect(total(2)).resolves.toBe(4);"),
    (SCRIPT, "expect(total()).toMatchInlineSnapshot(`3`);", "expect(total()).toMatchInlineSnapshot(`4`);"),
    (GO, "assert.Equal(t, 3, total(2))", "assert.Equal(t, 4, total(2))"),
    (GO, "assert.Equal(t, 3, cart.Total)", "assert.Equal(t, 4, cart.Total)"),
    (GO, "require.Len(t, rows, 3)", "require.Len(t, rows, 4)"),
    (RUST, "assert_eq!(total(2), Some(3));", "assert_eq!(total(2), Some(4));"),
    (RUST, "assert!(empty());", "assert!(!empty());"),
    (JAVA, "assertEquals(3, total(2));", "assertEquals(4, total(2));"),
    (JAVA, "assertThat(total(2)).isEqualTo(3);", "assertThat(total(2)).isEqualTo(4);"),
    (JAVA, "assertThrows(BadRow.class, () -> total());", "assertThrows(BadLine.class, () -> total());"),
]

OTHER_CASE = [
    (PYTHON, "assert total(1) == 3", "assert total(2) == 4"),
    (PYTHON, "assert row[1] == 3", "assert row[2] == 3"),
    (PYTHON, "assert Cart(1).total == 3", "assert Cart(2).total == 3"),
    (PYTHON, "assert f(1) == g(2)", "assert f(1) == g(3)"),
    (SCRIPT, "expect(total(1, 2)).toBe(5);", "expect(total(1, 3)).toBe(6);"),
    (RUST, 'assert_snapshot!("a");', 'assert_snapshot!("b");'),
    (JAVA, "assertEquals(5, total(2, 3));", "assertEquals(5, total(2, 4));"),
    (PYTHON, "assert total([1, 2]) == 3", "assert total([]) == 0"),
    (PYTHON, 'assert total({"a": [1, 2]}, deep=True) == 3', "assert total({}, deep=False) == 0"),
    (SCRIPT, "expect(total([{ a: 1 }])).toBe(1);", "expect(total([])).toBe(0);"),
    (GO, "assert.Equal(t, 3, Total(2))", "assert.Equal(t, 4, Total(3))"),
]

NOT_OTHERWISE = [
    (PYTHON, "assert total(1) == 3", "assert total(1) == 3\n    assert total(2) == 4"),
    (PYTHON, "assert total(1) == 3", "assert total(1, 'a') == 3"),
    (PYTHON, "assert total('a') == 3", 'assert total("a") == 3'),
    (PYTHON, "assert total() == 3", "assert (\n        total()\n        == 3\n    )"),
    (PYTHON, "assert total() == 3", "assert total() == 3, 'why'"),
    (PYTHON, "assert total() == 3, 'a'", "assert total() == 3, 'b'"),
    (PYTHON, "self.assertEqual(total(), 3, 'a')", "self.assertEqual(total(), 3, 'b')"),
    (PYTHON, "assert total() == 'a'", 'assert total() == "a"'),
    (PYTHON, "assert total() == 0.3", "assert total() == pytest.approx(0.3)"),
    (PYTHON, "assert total() == mock.ANY", "assert total() == 3"),
    (PYTHON, "assert total() == 3", "assert total() == 3\n    assert total() != 4"),
    (SCRIPT, "expect(total()).toEqual({ a: 3 });", "expect(total()).toEqual({\n    a: 3,\n  });"),
    (SCRIPT, "expect(total()).toBe(3);", "expect(total())\n    .toBe(3);"),
    (GO, "assert.Equal(t, 3, cart.Total)", "assert.Equal(t, 3, cart.Sum)"),
    (GO, "assert.Equal(t, 3, total(2), `a`)", "assert.Equal(t, 3, total(2), `b`)"),
    (GO, IF.format("3"), IF.format("3").replace("no", "yes")),
    (RUST, 'assert!(empty(), "a");', 'assert!(empty(), "b");'),
    (RUST, 'assert_eq!(total(), r#"a"#);', 'assert_eq!(total(), "a");'),
]


@pytest.mark.parametrize(("path", "old", "new"), OTHERWISE)
def test_another_expected_value_is_told(path: str, old: str, new: str) -> None:
    name = "TestTotal" if path == GO else "test_total"
    assert told(path, old, new) == [
        f"`{name}` in `{path}` expects another value than before: {_code(new)} instead of {_code(old)}."
    ]


def _code(text: str) -> str:
    return f"``{text}``" if "`" in text else f"`{text}`"


@pytest.mark.parametrize(("path", "old", "new"), OTHER_CASE)
def test_another_case_in_place_of_the_old_one_is_told(path: str, old: str, new: str) -> None:
    name = "TestTotal" if path == GO else "test_total"
    assert told(path, old, new) == [
        f"`{name}` in `{path}` asks about another case than before: {_code(new)} instead of {_code(old)}."
    ]


@pytest.mark.parametrize(("path", "old", "new"), NOT_OTHERWISE)
def test_another_message_argument_or_layout_is_not(path: str, old: str, new: str) -> None:
    assert told(path, old, new) == []


def test_a_condition_of_go_above_a_failure_is_an_assertion() -> None:
    assert told(GO, IF.format("3"), IF.format("4")) == [
        "`TestTotal` in `a_test.go` expects another value than before: `assert got := total(2); got == 4` instead of "
        "`assert got := total(2); got == 3`."
    ]


def test_tests_of_a_file_that_expect_other_values_are_told_in_one_sentence() -> None:
    before = "".join(f"def test_{name}():\n    assert total('{name}') == 3\n\n\n" for name in "abcdefg")
    assert weakened({PYTHON: before}, {PYTHON: before.replace("== 3", "== 4")}) == [
        "`test_a`, `test_b`, `test_c`, `test_d`, `test_e` and 2 more in `tests/test_a.py` expect other values than "
        "before, the first: `assert total('a') == 4` instead of `assert total('a') == 3`."
    ]


def test_of_long_assertions_the_part_that_differs_is_shown() -> None:
    values = ", ".join(f'"value {number}"' for number in range(30))
    before = SHAPES[PYTHON].format(f"assert total() == [{values}, 3]")
    [found] = weakened({PYTHON: before}, {PYTHON: before.replace(", 3]", ", 4]")})
    assert found.endswith('"value 28", "value 29", 3]`.')


def test_a_new_test_expects_nothing_other_than_before() -> None:
    before = SHAPES[PYTHON].format("assert total() == 3")
    assert weakened({PYTHON: before}, {PYTHON: before + before.replace("total", "sum").replace("3", "4")}) == []
