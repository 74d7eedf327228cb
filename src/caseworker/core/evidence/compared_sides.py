"""Splits an assertion of equality into its two sides."""

import re
from collections.abc import Iterator
from typing import Final

from caseworker.core.evidence.call_arguments import arguments

_EQUAL: Final = re.compile(
    r"\bassert(?:Equals?|ListEqual|DictEqual|SetEqual|TupleEqual|MultiLineEqual|_eq!)\("
    r"|\bassert\.(?:equal|strictEqual|deepEqual|deepStrictEqual)\("
    r"|\b(?:assert|require)\.(?:Equal|EqualValues|Exactly|JSONEq|EqualError|ErrorIs)\("
    r"|\bt\.(?:is|equals?|deepEquals?|same|strictSame)\("
    r"|^assert (?:reflect\.Deep|cmp\.|slices\.|maps\.)Equal\("
)
_STATES: Final = re.compile(r"\b(?:expect|assertThat)\(")
_IS_EXACTLY: Final = re.compile(
    r"\)\.(?:resolves\.)?(?:toBe|toEqual|toStrictEqual|to\.(?:deep\.)?(?:equal|eql)|isEqualTo|isSameAs|containsExactly)\("
)


def compared_sides(text: str) -> Iterator[tuple[str, str]]:
    """What the assertion may be about, and what that has to be equal to. Both ways, where the order tells nothing."""
    if text.startswith("assert ") and " == " in text:
        left, _, right = text.removeprefix("assert ").partition(" == ")
        yield left, right
    elif (found := _EQUAL.search(text)) is not None:
        given = [one for one in arguments(text, found.end())[0] if one != "t"]
        if len(given) > 1:
            yield given[0], given[1]
            yield given[1], given[0]
    elif (found := _STATES.search(text)) is not None:
        given, end = arguments(text, found.end())
        exactly = _IS_EXACTLY.match(text, end)
        if given and exactly is not None:
            yield ", ".join(given), ", ".join(arguments(text, exactly.end())[0])
