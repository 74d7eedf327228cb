"""An assertion that became one which checks nothing is told: no matcher, or nobody waits for it."""

import pytest

from tests.core.evidence.test_loosened_checks import JAVA, SCRIPT, told

NO_MATCHER = "has no matcher: it checks nothing."
NOT_AWAITED = "is not awaited: the test ends before it is checked."


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("expect(total()).toBe(5);", "expect(total());", NO_MATCHER),
        ("expect(total(a, b(1))).toBe(5);", "expect(total(a, b(1)));", NO_MATCHER),
        ("await expect(total()).toBe(5)", "await expect(total())", NO_MATCHER),
        ("expect(total()).toBe(5);", "expect(total()).toBe;", NO_MATCHER),
        ("expect(\n    total(),\n  ).toBe(5);", "expect(\n    total(),\n  );", NO_MATCHER),
        ("await expect(total()).resolves.toBe(5);", "expect(total()).resolves.toBe(5);", NOT_AWAITED),
        ("return expect(total()).rejects.toThrow('a');", "expect(total()).rejects.toThrow('a');", NOT_AWAITED),
        ("await expect(page).toHaveTitle('a');", "expect(page).toHaveTitle('a');", NOT_AWAITED),
        ("expect(await total()).toBe(5);", "expect(total()).resolves.toBe(5);", NOT_AWAITED),
    ],
)
def test_an_assertion_that_checks_nothing_any_more_is_told(old: str, new: str, why: str) -> None:
    shown = " ".join(new.split())
    assert told(SCRIPT, old, new) == [f"`{shown}` in `test_total` in `{SCRIPT}` {why}"]
    assert told(SCRIPT, new, old) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("expect(total()).toBe(5);", "expect(total())\n    .toBe(5);"),
        ("expect(total()).toBe(5);", "await expect(total()).resolves.toBe(5);"),
        ("expect(total()).toBe(5);", "return expect(total()).resolves.toBe(5);"),
        ("expect(await total()).toBe(5);", "await Promise.all([\n    expect(total()).resolves.toBe(5),\n  ]);"),
        ("expect(total()).toBe(true);", "expect(total()).to.be.true;"),
        ("expect(a).toBe(1);", "expect(a).toBe(1);\n  expect(b);"),
    ],
)
def test_an_assertion_that_somebody_waits_for_is_not(old: str, new: str) -> None:
    assert told(SCRIPT, old, new) == []


def test_a_statement_of_a_value_without_what_it_must_be_is_told() -> None:
    old = "assertThat(shop.total()).isEqualTo(3);"
    for new in ("assertThat(shop.total());", "Assertions.assertThat(shop.total());"):
        assert told(JAVA, old, new) == [f"`{new}` in `test_total` in `{JAVA}` {NO_MATCHER}"]


def test_a_statement_of_a_value_that_is_given_what_it_must_be_is_not() -> None:
    assert told(JAVA, "assertEquals(3, shop.total());", "assertThat(shop.total(), is(3));") == []
