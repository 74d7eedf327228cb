"""The lines of a source file that are code, and not comments or parts of texts. Reads lines; does not parse."""

from collections.abc import Iterator
from typing import Final

_MOST_LINES: Final = 50_000
_LINE_LIMIT: Final = 400
"""Characters of a line that are read, so that no pattern takes long."""
_FOR_COMPILER: Final = ("//go:build ", "// +build ")
"""Comments of Go that leave a file out."""


def code_lines(text: str, language: str) -> Iterator[tuple[int, str, bool]]:
    """Each line with its number, and whether it is code: not a comment or part of a multi-line string."""
    comment = "#" if language == "python" else "//"
    until = ""
    for number, whole in enumerate(text.split("\n", _MOST_LINES)[:_MOST_LINES]):
        line = whole[:_LINE_LIMIT].expandtabs(4).rstrip()
        said = line.strip()
        if until:
            if until in whole:
                until = ""
            yield number, line, False
        elif not said or (said.startswith(comment) and not said.startswith(_FOR_COMPILER)):
            yield number, line, False
        else:
            until = _unclosed(whole, said, language)
            # A block comment or docstring that begins here is not code; a line on which another string begins may be.
            yield number, line, not said.startswith(("/*", '"""', "'''"))


def _unclosed(whole: str, said: str, language: str) -> str:
    """What ends the comment or string that is still open after this line. Empty: none is open."""
    if language != "python":
        return "*/" if said.startswith("/*") and "*/" not in whole else ""
    for quotes in ('"""', "'''"):
        if whole.count(quotes) % 2:
            return quotes
    return ""
