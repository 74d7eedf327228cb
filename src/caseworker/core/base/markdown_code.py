"""Finds the code in a Markdown text. Careful: what it calls code is code for every reader of Markdown.

The opposite does not hold: code in lists and quotes is not recognised, because a text could be made so that we see
code where the forge sees prose."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

_FENCE: Final = re.compile(r"(?P<fence>`{3,}|~{3,})[^`\n]*+\n?")
"""The whole line. One with more backticks is a code span for some readers of Markdown, so it opens no block."""
_FENCE_ANYWHERE: Final = re.compile(r"(?:[>*+-]|\d{1,9}[.)]|[^\S\n])*+(?:`{3,}|~{3,})")
_SPAN: Final = re.compile(r"(?<!`)(?P<ticks>`++)(?P<code>[^`\n]++)(?P=ticks)(?!`)")
_TICKS: Final = re.compile(r"`+")
_UNSAFE_IN_SPANS: Final = re.compile(r"[\\<\[\]]|^[^\S\n]*(?:[>*+=|#-]|\d{1,9}[.)]| {4}|\t)", re.MULTILINE)
"""Characters that take part in other markup, and line starts that open another block."""


def code_parts(text: str) -> Iterator[tuple[bool, str]]:
    """(is code, part) for the whole text, in order."""
    lines = text.splitlines(keepends=True)
    blocks = _blocks(lines)
    at = 0
    for begin, end in blocks:
        yield from _spans("".join(lines[at:begin]))
        yield True, "".join(lines[begin:end])
        at = end
    yield from _spans("".join(lines[at:]))


def _blocks(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Fenced blocks at the left edge, each after an empty line. None, if any other line could be a fence."""
    found: list[tuple[int, int]] = []
    number = 0
    while number < len(lines):
        opening = _FENCE.fullmatch(lines[number])
        if opening is None:
            if _FENCE_ANYWHERE.match(lines[number]):
                return []
            number += 1
            continue
        if number > 0 and lines[number - 1].strip():
            return []
        end = _closing(lines, number, opening["fence"])
        if end is None:
            return found
        found.append((number, end))
        number = end
    return found


def _closing(lines: Sequence[str], opened: int, fence: str) -> int | None:
    """The number of the line after the block. Null: it is never closed."""
    closing = re.compile(rf" {{0,3}}{re.escape(fence[0])}{{{len(fence)},}}[ \t]*\r?\n?")
    for number in range(opened + 1, len(lines)):
        if closing.fullmatch(lines[number]):
            return number + 1
    return None


def _spans(text: str) -> Iterator[tuple[bool, str]]:
    for paragraph in re.split(r"(\n[^\S\n]*\n)", text):
        if not _is_simple(paragraph):
            yield False, paragraph
            continue
        at = 0
        for span in _SPAN.finditer(paragraph):
            yield False, paragraph[at : span.start()]
            yield True, span[0]
            at = span.end()
        yield False, paragraph[at:]


def _is_simple(paragraph: str) -> bool:
    """Whether every run of backticks on each line has its partner there, and nothing else could claim one of them."""
    if _UNSAFE_IN_SPANS.search(_SPAN.sub("", paragraph)):
        return False
    return all(_TICKS.search(_SPAN.sub("", line)) is None for line in paragraph.splitlines())
