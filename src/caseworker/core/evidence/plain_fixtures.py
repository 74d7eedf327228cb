"""Tells a `conftest.py` that only gets more fixtures from one that decides how tests are run. Reads lines.

A fixture that a test asks for by name decides as little as a function in the test's own file. One that is used without
being asked for, a hook, a changed or removed line, or code that runs at import does.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

_LINE: Final = 400
_IMPORT: Final = re.compile(r"(?:import|from)\s[^;\n]{1,390}$")
_FIXTURE: Final = re.compile(r"@(?:pytest\.|pytest_asyncio\.)?fixture\b")
_FUNCTION: Final = re.compile(r"(?:async\s{1,4})?def\s{1,4}(?!pytest_)\w")
_RISKY: Final = re.compile(
    r"autouse|\bpytest_\w|\bcollect_ignore|\bsetattr\s{0,4}\(|\b(?:unittest|pytest|builtins|sys)\.\w{1,60}(?:\.\w{1,60})?\s{0,4}=[^=]"
    r"|(?:\bmock(?:er)?\.|(?<![\w.]))patch(?:\.object|\.multiple)?\s{0,4}\("
    r"|\bexec\s{0,4}\(|\beval\s{0,4}\(|\b__\w{1,40}__\b|\brequest\.(?:node|config|session)\b"
)
_CLOSING: Final = re.compile(r"[)\]}]\s{0,4}(?:->\s{0,4}[\w\[\]., |\"']{1,200})?:?,?$")


def only_adds_fixtures(old: str, new: str) -> bool:
    """Whether all statements of the old text are in the new one, and the others are imports and plain fixtures."""
    before, after = Counter(_statements(old)), Counter(_statements(new))
    lost = [one for one in before - after if not _is_import(one)]
    return not lost and all(_is_import(one) or _is_fixture(one) for one in after - before)


def _statements(text: str) -> Iterator[tuple[str, ...]]:
    """Lines that begin at the margin, each with the indented ones below it; decorators belong to what follows."""
    current: list[str] = []
    for whole in text.split("\n"):
        line = whole.rstrip()
        if not line or line.startswith("#"):
            continue
        inside = line[0] in " \t" or _CLOSING.match(line[:_LINE]) is not None
        decorated = (
            bool(current) and all(one.startswith(("@", " ", "\t", ")")) for one in current) and current[0][0] == "@"
        )
        if current and not inside and not decorated:
            yield tuple(current)
            current = []
        current.append(line)
    if current:
        yield tuple(current)


def _is_import(lines: tuple[str, ...]) -> bool:
    return _IMPORT.match(lines[0][:_LINE]) is not None and not any(";" in line for line in lines)


def _is_fixture(lines: tuple[str, ...]) -> bool:
    first = next((line for line in lines if not line.startswith(("@", " ", "\t", ")"))), "")
    marks = [line for line in lines if line.startswith("@")]
    is_plain = len(marks) == 1 and _FIXTURE.match(marks[0]) is not None and _FUNCTION.match(first) is not None
    return is_plain and not any(_RISKY.search(line[:_LINE]) or len(line) > _LINE for line in lines)
