"""Finds the line of a key in TOML text, which `tomllib` does not tell, and the name that a misspelt one may mean."""

import difflib
import re
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Final

_NAME: Final = r"(?:\"[^\"]*\"|'[^']*'|[\w-]+)"
_PATH: Final = rf"\s*(?P<path>{_NAME}(?:\s*\.\s*{_NAME})*)\s*"
_HEADER: Final = re.compile(rf"\s*\[{{1,2}}{_PATH}\]")
_KEY: Final = re.compile(rf"{_PATH}=")


def line_of(text: str, path: Sequence[str]) -> int | None:
    """The line where this key stands, or the nearest table above it that is written out. Null: none of it is."""
    table: tuple[str, ...] = ()
    nearest, line_found = 0, None
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            found = table = _names(header["path"])
        elif key := _KEY.match(line):
            found = (*table, *_names(key["path"]))
        else:
            continue
        common = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(found, path, strict=False))))
        if common > nearest:
            nearest, line_found = common, number
    return line_found


def likely(name: str, known: Iterable[str]) -> str | None:
    """The known name that is nearest to a misspelt one. Null: none is near."""
    return next(iter(difflib.get_close_matches(name, list(known), n=1)), None)


def _names(path: str) -> tuple[str, ...]:
    return tuple(name.strip("\"'") for name in re.findall(_NAME, path))
