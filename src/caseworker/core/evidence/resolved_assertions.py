"""Reads assertions with the values of the names in them: `want = 3` above `assert total() == want` says the same as
`assert total() == 3`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from caseworker.core.evidence.asked_values import Asked, as_said, asked, without_tolerance
from caseworker.core.evidence.assertions import Assertion, replaced
from caseworker.core.evidence.assigned_values import STRING, assigned_values
from caseworker.core.evidence.compared_sides import compared_sides
from caseworker.core.evidence.test_files import ReadTest

_MOST: Final = 100
"""Most assertions of a test that are compared with each other."""
_LENGTH: Final = 1_000
_ROUNDS: Final = 3
"""How many names may stand for each other."""
_NAME: Final = re.compile(
    r"(?P<text>\"(?:[^\"\\]|\\.){0,400}\"|'(?:[^'\\]|\\.){0,400}'|`[^`]{0,400}`)"
    r"|(?<![\w.$])(?P<name>[A-Za-z_]\w{0,60}+)(?!\w|\s{0,2}:?=(?!=)|[(.\[:])"
)
_AWAITED: Final = re.compile(r"\bawait\s{1,4}|\.resolves(?=\.)")
_GO_OPENING: Final = re.compile(
    r"^(?P<asserts>assert (?:not \()?)(?P<name>[A-Za-z_]\w{0,60}) := (?P<value>[^;\n]{1,300}); (?P<rest>[^\n]{1,600})"
)
"""Go's `if got := total(); got != 3 {`."""
_CHAIN: Final = re.compile(r"(?:[A-Za-z_]\w{0,60}\s=\s){1,4}")
"""The further names in `one = other = value`."""
_SEVERAL_LINES: Final = ('"""', "'''")
_CHANGES: Final = (
    r"(?<![\w.$]){}(?:\s{{0,4}}(?:[-+*/%&|^@:]|//|\*\*|<<|>>)?=(?!=)|\+\+|--|\.\w{{1,60}}\("
    r"|\[[^\]\n]{{0,80}}\]\s{{0,4}}[-+*/%&|^]{{0,2}}=(?!=)|\s{{0,4}}:\s[^=\n]{{1,60}}=(?!=)"
    r"|(?:\s{{0,4}},\s{{0,4}}[\w*]{{1,60}}){{0,6}}\)?\s{{1,4}}(?:in|of|=)\s)|\bas\s{{1,4}}{}\b"
)
"""A line that may give a name another value."""


@dataclass(frozen=True)
class Resolved:
    assertion: Assertion
    key: str
    """Its key, with the values of names in their places."""

    @cached_property
    def asked(self) -> Asked:
        return asked(self.key)

    @cached_property
    def said_sides(self) -> frozenset[tuple[str, str]]:
        return frozenset((as_said(one), as_said(other)) for one, other in self.sides)

    @cached_property
    def sides(self) -> list[tuple[str, str]]:
        """Both orders of each comparison, without the message after it."""
        found = [(one, without_message(other)) for one, other in compared_sides(self.key)]
        return [*found, *((other, one) for one, other in found)]


def replaced_in_meaning(before: ReadTest, after: ReadTest) -> tuple[list[Resolved], list[Resolved]]:
    """The assertions that are gone and those that are new, but for those that say the same in another way."""
    lost, gained = replaced(before, after)
    was, now = _resolved(lost, before), _resolved(gained, after)
    for old in [*was]:
        same = next((new for new in now if _says_the_same(old, new)), None)
        if same is not None:
            was.remove(old)
            now.remove(same)
    return was, now


def _resolved(several: Sequence[Assertion], test: ReadTest) -> list[Resolved]:
    several = several[:_MOST]
    values = _known_values(test) if several else {}
    keys = (_AWAITED.sub("", without_tolerance(_with_values(one.key, values))) for one in several)
    return [*map(Resolved, several, keys)]


def _says_the_same(old: Resolved, new: Resolved) -> bool:
    return as_said(old.key) == as_said(new.key) or not old.said_sides.isdisjoint(new.said_sides)


def _known_values(test: ReadTest) -> dict[str, str]:
    """The values of names that no other line changes."""
    own = assigned_values(test.body)
    lines = [line.text for line in test.lines if not line.checks]
    values = {}
    for name, value in {**test.constants, **own}.items():
        pattern = _CHANGES.format(re.escape(name), re.escape(name))
        changes = sum(re.search(pattern, line) is not None for line in lines if name in line)
        if changes <= (name in own) and _is_whole(value):
            values[name] = _CHAIN.sub("", value)
    return values


def _is_whole(value: str) -> bool:
    """Whether all that it begins ends in it. A text of several lines is only read in part."""
    said = STRING.sub("", value)
    return not any(quote in value for quote in _SEVERAL_LINES) and all(
        said.count(one) == said.count(other) for one, other in ("()", "[]", "{}")
    )


def _with_values(key: str, values: Mapping[str, str]) -> str:
    if (opened := _GO_OPENING.match(key)) is not None:
        key = opened["asserts"] + opened["rest"]
        values = {**values, opened["name"]: opened["value"]}
    for _ in range(_ROUNDS):
        filled = _NAME.sub(lambda found: found["text"] or values.get(found["name"], found["name"]), key)
        if filled == key or len(filled) > _LENGTH:
            break
        key = filled
    return key


def without_message(value: str) -> str:
    """The value up to a comma outside of brackets and texts."""
    said = _NAME.sub(lambda found: "_" * len(found[0]), value)
    depth = 0
    for at, letter in enumerate(said):
        if letter == "," and not depth:
            return value[:at].strip()
        depth += (letter in "([{") - (letter in ")]}")
    return value.strip()
