"""Finds assertions that ask about another case than before: `total([2, 1]) == 3` that becomes `total([]) == 0`.

An agent that can't repair the code could ask it something easier. A case added beside the old one is not reported.
"""

import re
from typing import Final

from caseworker.core.evidence.asked_values import as_said, asked
from caseworker.core.evidence.assertions import Assertion, is_unchanged, replaced
from caseworker.core.evidence.test_files import ReadTest

_MOST: Final = 100
"""Most assertions of a test that are compared with each other."""
_ROUNDS: Final = 4
"""How deep lists may lie in each other."""
_LITERAL: Final = re.compile(
    r"[rbfuRBFU]{0,2}(?:\"(?:[^\"\\]|\\.){0,400}\"|'(?:[^'\\]|\\.){0,400}'|`[^`]{0,400}`)|(?<![\w.])-?\d[\w.]{0,60}"
    r"|\b(?:True|False|None|true|false|null|nil)\b"
)
_COLLECTION: Final = re.compile(r"[\[{]\s{0,4}(?:(?:[A-Za-z_]\w{0,40}\s?:\s{0,4})?0\s{0,4}[,:]?\s{0,4}){0,200}+[\]}]")


def other_cases(before: ReadTest, after: ReadTest) -> list[tuple[str, str]]:
    """The assertions that ask about another case, each as it was and as it is."""
    if is_unchanged(before, after):
        return []
    lost, gained = replaced(before, after)
    left = [(new.text, *_case(new)) for new in gained[:_MOST]]
    found = []
    for old in lost[:_MOST]:
        shape, given = _case(old)
        other = next((one for one in left if one[1] == shape and one[2] != given), None)
        if other is not None:
            left.remove(other)
            found.append((old.text, other[0]))
    return found


def _case(assertion: Assertion) -> tuple[str, str]:
    """What the assertion asks: without and with the values that are given to it."""
    read = asked(assertion.key)
    given = as_said(" ".join((read.about, *(() if read.names_subject else read.values))))
    shape = _LITERAL.sub("0", given)
    for _ in range(_ROUNDS):
        shape = _COLLECTION.sub("0", shape)
    return shape, given
