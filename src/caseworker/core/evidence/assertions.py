"""The assertions of a test as whole statements: lines that belong together are joined, and layout is left out."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from caseworker.core.evidence.call_arguments import arguments
from caseworker.core.evidence.test_files import BodyLine, ReadTest

_LENGTH: Final = 1_000
_MOST_LINES: Final = 60
"""Most lines of one assertion."""
_STRING: Final = re.compile(r"\"(?:[^\"\\]|\\.){0,300}\"|'(?:[^'\\]|\\.){0,300}'|`[^`]{0,300}`")
_BLOCK: Final = re.compile(r"(?:=>|->|\)|\|)\s{0,4}\{$|=>$")
"""The end of a line below which there are statements, and not a part of this one."""
_AFTER_OPENING: Final = re.compile(r"(?<=[(\[{])\s{1,4}")
_BEFORE_CLOSING: Final = re.compile(r",?\s{0,4}(?=[)\]}])")
_CHAINED: Final = re.compile(r"\s{1,4}(?=\.\w)")
_IN_BRACKETS: Final = re.compile(r"^assert \((?P<stated>[^()]{1,400}(?:\([^()]{0,400}\)[^()]{0,400}){0,20})\)$")
_TUPLE: Final = "assert ("
GO_FAILURE: Final = re.compile(r"^t\.(?:Error|Fatal|Fail)")
_GO_CONDITION: Final = re.compile(r"^if (?P<left>[^\n&|]{1,300}) (?P<compares>==|!=) (?P<right>[^\n&|]{1,300}) \{$")
_GO_OTHERWISE: Final = re.compile(
    r"^if (?![^\n]{0,300}\bfalse\b)(?:!(?P<stated>\w[^\n&|<>=]{1,300})|(?P<condition>[^\n]{1,300})) \{$"
)
"""Other conditions of Go. One that is never true is left to `shields`."""


@dataclass(frozen=True)
class Assertion:
    key: str
    """The same for two that differ in their layout alone."""
    text: str = field(compare=False)
    """As people read it."""


def assertions(test: ReadTest) -> list[Assertion]:
    lines = (test.opening, *test.lines) if test.opening is not None else test.lines
    return [_assertion(text) for text in _statements(lines)]


def is_unchanged(before: ReadTest, after: ReadTest) -> bool:
    return before.body == after.body and before.opening == after.opening


def replaced(before: ReadTest, after: ReadTest) -> tuple[list[Assertion], list[Assertion]]:
    """The assertions that are gone, and those that are new."""
    was, now = Counter(assertions(before)), Counter(assertions(after))
    return [*(was - now).elements()], [*(now - was).elements()]


def _statements(lines: Sequence[BodyLine]) -> Iterator[str]:
    at = 0
    while at < len(lines):
        end = _end(lines, at) if lines[at].checks else at + 1
        if lines[at].checks:
            yield _go_assertion(lines, at) or " ".join(line.text for line in lines[at:end])[:_LENGTH]
        at = end


def _end(lines: Sequence[BodyLine], at: int) -> int:
    """Where an assertion ends: its brackets are closed, or the indentation of its first line is reached again."""
    depth = 0
    for number in range(at, min(at + _MOST_LINES, len(lines))):
        line = lines[number]
        continues = line.text.startswith(".") or (depth > 0 and line.text.startswith((")", "]", "}")))
        if number > at and not continues and (depth <= 0 or line.indent <= lines[at].indent):
            return number
        said = _STRING.sub('""', line.text)
        depth += sum(map(said.count, "([{")) - sum(map(said.count, ")]}"))
        if _BLOCK.search(said):
            return number + 1
    return min(at + _MOST_LINES, len(lines))


def _go_assertion(lines: Sequence[BodyLine], at: int) -> str | None:
    """What Go's `if got != 3 {` above a failure asserts."""
    if not at or not GO_FAILURE.match(lines[at].text):
        return None
    above = lines[at - 1].text
    if (found := _GO_CONDITION.match(above)) is not None:
        return f"assert {found['left']} {'==' if found['compares'] == '!=' else '!='} {found['right']}"
    if (found := _GO_OTHERWISE.match(above)) is not None:
        return f"assert {found['stated']}" if found["stated"] else f"assert not ({found['condition']})"
    return None


def without_layout(text: str) -> str:
    """The same for one statement, however it was broken into lines."""
    return _CHAINED.sub("", _BEFORE_CLOSING.sub("", _AFTER_OPENING.sub("", text)))


def _assertion(text: str) -> Assertion:
    key = without_layout(text)
    bracketed = None if states_a_tuple(key) else _IN_BRACKETS.match(key)
    return Assertion(f"assert {bracketed['stated']}" if bracketed else key, text)


def states_a_tuple(key: str) -> bool:
    """`assert (total() == 3, "total")` is always true."""
    given, end = arguments(key, len(_TUPLE)) if key.startswith(_TUPLE) else ([], 0)
    return len(given) > 1 and end == len(key) - 1
