"""An existing assertion that expects something computed in place of a literal is told; a name for it is not."""

import pytest

from caseworker.core.evidence.renamed_subjects import RenamedSubjects
from caseworker.core.evidence.weakened_tests import weakened
from tests.core.evidence.test_loosened_checks import GO, JAVA, PYTHON, RUST, SCRIPT, SHAPES, told

_STATED = "assert total([1, 2]) == 3"
_EXPECTED = "expect(total([1, 2])).toBe(3);"


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (PYTHON, _STATED, "want = total([1, 2])\n    assert total([1, 2]) == want"),
        (PYTHON, _STATED, "want = 4\n    assert total([1, 2]) == want"),
        (PYTHON, _STATED, "want = 3\n    want += 1\n    assert total([1, 2]) == want"),
        (PYTHON, _STATED, "want = 3\n    for want in (4,):\n        save()\n    assert total([1, 2]) == want"),
        (PYTHON, "assert total() == [3]", "want = [3]\n    want.append(4)\n    assert total() == want"),
        (PYTHON, _STATED, "got = want = total([1, 2])\n    assert got == want"),
        (PYTHON, _STATED, "assert total([1, 2]) == wanted"),
        (PYTHON, _STATED, "assert total([1, 2]) == 3 + 1"),
        (PYTHON, _STATED, "assert total([1, 2]) == expected_total([1, 2])"),
        (PYTHON, _STATED, 'assert total([1, 2]) == int(os.environ.get("WANT", 4))'),
        (PYTHON, _STATED, "assert total([1, 2]) + 1 == 3"),
        (PYTHON, _STATED, "assert max(total([1, 2]), 3) == 3"),
        (PYTHON, _STATED, "assert min(3, total([1, 2])) == 3"),
        (PYTHON, _STATED, "assert int(total([1, 2]) / 2) == 3 // 2"),
        (PYTHON, _STATED, "assert (got := total([1, 2])) == got"),
        (PYTHON, _STATED, "self.assertEqual(total([1, 2]), 4)"),
        (PYTHON, "self.assertEqual(total(), 3)", "self.assertEqual(total(), total(2))"),
        (PYTHON, 'assert "paid" in page()', "assert word in page()"),
        (PYTHON, 'with pytest.raises(ValueError, match="row"):', "with pytest.raises(ValueError, match=said):"),
        (PYTHON, 'assert total() == {"a": 3}', 'assert total() == {"a": total()["a"]}'),
        (SCRIPT, _EXPECTED, "const want = total([1, 2]);\n  expect(total([1, 2])).toBe(want);"),
        (SCRIPT, _EXPECTED, "const want = 4;\n  expect(total([1, 2])).toBe(want);"),
        (SCRIPT, _EXPECTED, "expect(Math.max(total([1, 2]), 3)).toBe(3);"),
        (SCRIPT, "t.is(total(1), 1);", "const want = total(1);\n  t.is(total(1), want);"),
        (GO, "assert.Equal(t, 3, Total(2))", "want := Total(2)\n\tassert.Equal(t, want, Total(2))"),
        (RUST, "assert_eq!(total(2), 3);", "let want = total(2);\n    assert_eq!(total(2), want);"),
        (JAVA, "assertEquals(3, total(2));", "var want = total(2);\n        assertEquals(want, total(2));"),
    ],
)
def test_a_computed_value_in_place_of_a_literal_is_told(path: str, old: str, new: str) -> None:
    [found] = told(path, old, new)
    assert "expects another value than before: " in found


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (PYTHON, _STATED, "want = 3\n    assert total([1, 2]) == want"),
        (PYTHON, _STATED, "got = total([1, 2])\n    assert got == 3"),
        (PYTHON, _STATED, "prices, want = [1, 2], 3\n    assert total(prices) == want"),
        (PYTHON, _STATED, "prices = [1, 2]\n    want = 3\n    assert total(prices) == want"),
        (PYTHON, "want = 3\n    assert total() == want", "assert total() == 3"),
        (PYTHON, "assert total() == [3]", "assert list(total()) == [3]"),
        (PYTHON, "assert total() == 3", "assert await total() == 3"),
        (PYTHON, "assert total() == 3", "assert (got := total()) == 3"),
        (PYTHON, "assert total() == 3", "assert total() == 3 and not empty()"),
        (PYTHON, "assert total() == 3", "assert 3 == total()"),
        (PYTHON, "assert Cart([1]).total() == 3", "cart = Cart([1])\n    assert cart.total() == 3"),
        (PYTHON, "assert a == 3", "assert b == 3"),
        (PYTHON, "assert cart.total() == 3", "assert (cart.total(), cart.size()) == (3, 1)"),
        (PYTHON, "assert sorted(rows()) == [1, 2]", "assert rows() == [1, 2]"),
        (SCRIPT, _EXPECTED, "const want = 3;\n  expect(total([1, 2])).toBe(want);"),
        (SCRIPT, _EXPECTED, "const got = total([1, 2]);\n  expect(got).toBe(3);"),
        (SCRIPT, "t.is(total(1), 1);", "const want = 1;\n  t.is(total(1), want);"),
        (GO, "assert.Equal(t, 3, Total(2))", "want := 3\n\tassert.Equal(t, want, Total(2))"),
        (RUST, "assert_eq!(total(2), 3);", "let want = 3;\n    assert_eq!(total(2), want);"),
        (JAVA, "assertEquals(3, total(2));", "int want = 3;\n        assertEquals(want, total(2));"),
    ],
)
def test_the_same_value_by_a_name_is_not_told(path: str, old: str, new: str) -> None:
    assert told(path, old, new) == []


def test_a_constant_with_the_same_value_is_not_told() -> None:
    before = SHAPES[PYTHON].format("assert total() == 3")
    after = "WANTED = 3\n\n\n" + before.replace("== 3", "== WANTED")
    assert weakened({PYTHON: before}, {PYTHON: after}) == []
    [found] = weakened({PYTHON: before}, {PYTHON: after.replace("WANTED = 3", "WANTED = 4")})
    assert "expects another value than before" in found


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (PYTHON, _STATED, "assert sum([1, 2]) == 3"),
        (PYTHON, "self.assertEqual(total(), 3)", "self.assertEqual(count(), 3)"),
        (SCRIPT, _EXPECTED, "expect(sum([1, 2])).toBe(3);"),
        (GO, "assert.Equal(t, 3, Total(2))", "assert.Equal(t, 3, Sum(2))"),
        (RUST, "assert_eq!(total(2), 3);", "assert_eq!(sum(2), 3);"),
    ],
)
def test_another_function_with_the_same_value_is_told(path: str, old: str, new: str) -> None:
    [found] = told(path, old, new)
    assert "asks about another case than before: " in found


def test_a_function_that_the_change_renamed_is_not_another_one() -> None:
    before, after = (SHAPES[PYTHON].format(f"assert {name}([1, 2]) == 3") for name in ("total", "sum_of"))
    renamed = RenamedSubjects(gone=frozenset({"total"}), added=frozenset({"sum_of"}))
    assert weakened({PYTHON: before}, {PYTHON: after}, renamed) == []
