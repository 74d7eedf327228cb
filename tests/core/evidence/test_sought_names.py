"""Tests of a bug that ask whether a name of the change is there."""

import pytest

from caseworker.core.evidence.sought_names import seeking_names
from caseworker.core.evidence.unified_diff import read_diff
from tests.core.evidence.test_read_sources import changed


def told(test: str, source: str, path: str, place: str) -> list[str]:
    old = "TAX = 1"
    diff = changed(place, f"TAX = 2\n{source}", was=old) + changed(path, test, new=True)
    return seeking_names(read_diff(diff)).get(path, [])


@pytest.mark.parametrize(
    ("path", "place", "source", "test"),
    [
        ("tests/test_till.py", "till.py", "ROUNDED = True", 'assert hasattr(till, "ROUNDED")'),
        ("tests/test_till.py", "till.py", "ROUNDED = True", 'assert vars(till).get("ROUNDED", False)'),
        ("tests/test_till.py", "till.py", "ROUNDED: bool = True", 'assert getattr(till, "ROUNDED", False)'),
        ("tests/test_till.py", "till.py", "def rounded(): ...", 'assert "rounded" in dir(till)'),
        ("tests/test_till.py", "till.py", "        self.rounded = True", 'assert hasattr(Till(), "rounded")'),
        ("till.test.js", "till.js", "export const rounded = true", "expect(till.rounded).toBeDefined();"),
        ("till.test.js", "till.js", "exports.rounded = true", "expect(till).toHaveProperty('rounded');"),
        ("till.test.js", "till.js", "export function rounded() {}", "if (typeof till.rounded !== 'function') fail();"),
        ("spec/till_spec.rb", "till.rb", "def rounded; end", "expect(till).to respond_to(:rounded)"),
    ],
)
def test_a_test_that_asks_for_a_name_of_the_change_is_told(path: str, place: str, source: str, test: str) -> None:
    assert told(test, source, path, place) == [
        f"`{path}`, line 1, asks for a name that the change adds, instead of using it: `{test}`."
    ]


@pytest.mark.parametrize(
    "test",
    [
        'assert hasattr(till, "TAX")',
        'assert hasattr(till, "other")',
        "assert till.rounded([1.005]) == 1.01",
        'assert getattr(till, name) == "rounded"',
        'assert "rounded" in text',
    ],
)
def test_a_test_that_uses_a_name_or_asks_for_another_is_not(test: str) -> None:
    assert told(test, "def rounded(): ...", "tests/test_till.py", "till.py") == []
