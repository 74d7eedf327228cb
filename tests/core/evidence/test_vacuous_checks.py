"""An assertion that became one which can't fail is told: it compares a value with itself, or states a tuple."""

import pytest

from caseworker.core.evidence.assertions import assertions
from caseworker.core.evidence.test_files import read_tests
from tests.core.evidence.test_loosened_checks import GO, JAVA, PYTHON, RUST, SCRIPT, SHAPES, told

FEWER = "checks less: 0 assertions instead of 1."
TUPLE = 'assert (\n        shop.total(items) == 3,\n        "total",\n    )'


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (PYTHON, "assert shop.total(items) == 3", "assert shop.total(items) == shop.total(items)"),
        (PYTHON, "assert shop.total(items) == 3", "assert shop.total(n=1) == shop.total(n=1), 'total'"),
        (PYTHON, "assert shop.total(items) == 3", 'assert (shop.total(items) == 3, "total")'),
        (PYTHON, "assert shop.total(items) == 3", "assert (shop.total(items) == 3, f'total of {add(items)}')"),
        (PYTHON, "assert shop.total(items) == 3", "assert (shop.total(add(items)) == 3,)"),
        (PYTHON, "self.assertEqual(total(1, 2), 3)", "self.assertEqual(total(1, 2), total(1, 2))"),
        (SCRIPT, "expect(msg()).toBe('a');", "expect(msg()).toBe(msg());"),
        (SCRIPT, "expect(msg()).toBe('a');", "expect(3).toBe(3);"),
        (SCRIPT, "assert.equal(add(1, 2), 3);", "assert.equal(add(1, 2), add(1, 2));"),
        (JAVA, "assertEquals(3, shop.total());", "assertEquals(shop.total(), shop.total());"),
        (JAVA, "assertThat(shop.total()).isEqualTo(3);", "assertThat(shop.total()).isEqualTo(shop.total());"),
        (GO, "assert.Equal(t, 3, total(1))", "assert.Equal(t, total(1), total(1))"),
        (RUST, "assert_eq!(total(1, 2), 3);", "assert_eq!(total(1, 2), total(1, 2));"),
    ],
)
def test_an_assertion_that_can_not_fail_does_not_count(path: str, old: str, new: str) -> None:
    name = "TestTotal" if path == GO else "test_total"
    assert told(path, old, new) == [f"`{name}` in `{path}` {FEWER}"]
    assert told(path, new, old) == []


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (PYTHON, "assert (a, b) == (c, 'd')"),
        (PYTHON, "assert (total(a, 'b') == 3)"),
        (PYTHON, "assert row == (1, 'b')"),
        (PYTHON, "assert Cart(1) == Cart(1)"),
        (PYTHON, "assert shop.Cart(1) == shop.Cart(1)"),
        (PYTHON, "assert hash(cart(1)) == hash(cart(1))"),
        (PYTHON, "assert total(1) == total(1) + 1"),
        (PYTHON, "assert total(1) == total(1.0)"),
        (PYTHON, "self.assertEqual(total(1), total(1, 2))"),
        (SCRIPT, "expect(new Cart(1)).toEqual(new Cart(1));"),
        (SCRIPT, "expect(msg()).not.toBe(msg());"),
        (SCRIPT, "expect(a.msg()).toBe(b.msg());"),
        (JAVA, "assertEquals(new Cart(1), new Cart(1));"),
        (RUST, "assert_eq!(Cart::new(1), Cart::new(1));"),
    ],
)
def test_an_assertion_that_can_fail_counts(path: str, line: str) -> None:
    assert [test.checks for test in read_tests(path, SHAPES[path].format(line)).tests] == [1]


def test_a_tuple_on_several_lines_accepts_more_than_its_first_part() -> None:
    old, new = "assert shop.total(items) == 3", " ".join(TUPLE.split())
    assert told(PYTHON, old, TUPLE) == [
        f"`{new}` in `test_total` in `{PYTHON}` accepts more than `{old}`, which it replaces."
    ]
    assert told(PYTHON, TUPLE, old) == []


def test_brackets_around_all_of_an_assertion_are_layout() -> None:
    text = SHAPES[PYTHON].format("assert (\n        total(1, 2)\n        == 3\n    )")
    assert [one.key for one in assertions(read_tests(PYTHON, text).tests[0])] == ["assert total(1, 2) == 3"]
