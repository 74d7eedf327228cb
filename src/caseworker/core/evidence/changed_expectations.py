"""Finds assertions of a test that expect another value, or the opposite, of the same subject as before.

An honest change of behaviour does that, and so does an agent that can't repair the code. Code can't tell which it is,
so the review has to say why. `add(1, 2)` that becomes `add(1, 3)` is another case: `changed_cases` tells of it.
"""

from collections.abc import Iterator
from typing import Final

from caseworker.core.evidence.asked_values import Asked, asked
from caseworker.core.evidence.assertions import Assertion, is_unchanged
from caseworker.core.evidence.loosened_checks import accepts_more
from caseworker.core.evidence.resolved_assertions import replaced_in_meaning
from caseworker.core.evidence.test_files import ReadTest

_OPPOSITES: Final = (
    *((" not in ", " in "), (" is not ", " is "), (" != ", " == "), ("assert not ", "assert "), (".not.", ".")),
    *(("assert!(!", "assert!("), ("assertFalse(", "assertTrue("), ("False(t, ", "True(t, "), ("NotIn(", "In(")),
    *(("IsNotNone(", "IsNone("), ("assertNotNull(", "assertNull("), ("NotNil(t, ", "Nil(t, ")),
    *((".isFalse(", ".isTrue("), (".toBeFalsy(", ".toBeTruthy("), ("NotContains(", "Contains(")),
)
"""How assertions say no, and how they say yes."""


def expected_otherwise(before: ReadTest, after: ReadTest) -> list[tuple[str, str]]:
    """Each assertion that expects something else than before, and is not just stricter: as it was, and as it is."""
    if is_unchanged(before, after):
        return []
    lost, gained = replaced_in_meaning(before, after)
    pairs = _pairs([one.assertion for one in lost], [one.assertion for one in gained])
    return [(old.text, new.text) for old, new in pairs]


def _pairs(lost: list[Assertion], gained: list[Assertion]) -> Iterator[tuple[Assertion, Assertion]]:
    left = [(new, asked(new.key)) for new in gained]
    for old in lost:
        was = asked(old.key)
        found = next((one for one in left if _asks_otherwise(old, was, *one)), None)
        if found is not None:
            left.remove(found)
            yield old, found[0]


def _asks_otherwise(old: Assertion, was: Asked, new: Assertion, now: Asked) -> bool:
    if _positive(old.key) == _positive(new.key):
        return True
    return was.differs_in_values_from(now) and not accepts_more(new.key, old.key)


def _positive(key: str) -> str:
    for no, yes in _OPPOSITES:
        key = key.replace(no, yes)
    return key
