"""Reads which name is given which value, in lines of any language. A value may go over several lines."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

_LINE: Final = 400
_MOST_LINES: Final = 2_000
_MOST_JOINED: Final = 60
"""Most lines of one value."""
_ASSIGNED: Final = re.compile(
    r"(?:(?!assert\b|return\b|if\b)[A-Za-z_][\w<>\[\].&*]{0,40}\s{1,4}(?=[\w$])){0,5}+(?P<name>\$?[A-Za-z_]\w{0,60})"
    r"(?:\s{0,4}:\s{0,4}(?P<type>[\w<>\[\].&*, |]{1,60}?))?\s{0,4}:?=\s{0,4}(?P<value>[^=\s>][^\n]{0,400})"
)
STRING: Final = re.compile(r"\"(?:[^\"\\]|\\.){0,300}\"|'(?:[^'\\]|\\.){0,300}'|`[^`]{0,300}`")


def assigned_values(lines: Sequence[str]) -> dict[str, str]:
    """The assigned values by name. Left out: names assigned twice, since it can't be told which value counts."""
    found = [*_assignments([line[:_LINE] for line in lines[:_MOST_LINES]])]
    times = Counter(name for name, _ in found)
    return {name: value for name, value in found if times[name] == 1}


def _assignments(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(lines):
        assigned = _ASSIGNED.fullmatch(lines[at].strip()) if "=" in lines[at] else None
        end = _end(lines, at) if assigned else at + 1
        if assigned:
            value = " ".join([assigned["value"], *(line.strip() for line in lines[at + 1 : end])]).rstrip("; ")
            if not value.endswith(","):  # that is an argument of a call
                yield assigned["name"], value
        at = end


def _end(lines: Sequence[str], at: int) -> int:
    """Where a value ends: when its brackets are closed."""
    depth = 0
    for number in range(at, min(at + _MOST_JOINED, len(lines))):
        said = STRING.sub('""', lines[number])
        depth += sum(map(said.count, "([{")) - sum(map(said.count, ")]}"))
        if depth <= 0:
            return number + 1
    return at + 1
