"""What Go's `if` above a failure asserts is compared, whatever its condition is."""

import pytest

from tests.core.evidence.test_loosened_checks import GO, told


def a_test(condition: str, message: str = "no") -> str:
    return f'got := Total(1, 2)\n\tif {condition} {{\n\t\tt.Errorf("{message}", got)\n\t}}'


@pytest.mark.parametrize(
    ("old", "new", "was", "now"),
    [
        ("got != 3", "got != 3 && got != 4", "got == 3", "not (got != 3 && got != 4)"),
        ("got != 3", "got < 0", "got == 3", "not (got < 0)"),
        ("got != 3", "got < 0 || got > 9", "got == 3", "not (got < 0 || got > 9)"),
        ("got != 3", "got > 100", "got == 3", "not (got > 100)"),
        ("got != 3", "!isOne(got) && !isTwo(got)", "got == 3", "not (!isOne(got) && !isTwo(got))"),
        (
            'got != "error: bad"',
            '!strings.Contains(got, "error")',
            'got == "error: bad"',
            'strings.Contains(got, "error")',
        ),
        (
            "!reflect.DeepEqual(got, want)",
            "len(got) != len(want)",
            "reflect.DeepEqual(got, want)",
            "len(got) == len(want)",
        ),
    ],
)
def test_a_condition_of_go_that_accepts_more_is_told(old: str, new: str, was: str, now: str) -> None:
    said = f"`assert {now}` in `TestTotal` in `{GO}` accepts more than `assert {was}`, which it replaces."
    assert told(GO, a_test(old), a_test(new)) == [said]
    assert told(GO, a_test(new), a_test(old)) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (a_test("got != 3"), a_test("got != 3", "got %d")),
        (a_test("got < 3"), a_test("got < 3", "got %d")),
        (a_test("err != nil || got != 3"), a_test("err != nil || got != 3", "got %d")),
        (a_test("got != want"), a_test("!reflect.DeepEqual(got, want)")),
        (a_test("got != 3"), a_test("err != nil || got != 3")),
        (a_test("!ok"), a_test("!found")),
    ],
)
def test_an_honest_change_of_a_condition_of_go_is_not(old: str, new: str) -> None:
    assert told(GO, old, new) == []
