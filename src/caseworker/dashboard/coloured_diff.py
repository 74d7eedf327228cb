"""A unified diff as HTML: files, hunks, line numbers, and the colours of each file's own language."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from markupsafe import Markup, escape
from pygments import lex
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.token import Comment, Keyword, Name, Number, String, _TokenType, is_token_subtype
from pygments.util import ClassNotFound

from caseworker.dashboard.page_markup import plain_text

MOST_LINES: Final = 4_000
"""Of one diff. Longer ones are cut, and the page says so."""
_LONGEST: Final = 2_000
"""Characters of a line."""
_HUNK: Final = re.compile(r"^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$")
_NOTHING: Final = Markup("")
_COLOURS: Final = (
    (Comment, "c"),
    (String, "s"),
    (Keyword, "k"),
    (Number, "m"),
    (Name.Function, "f"),
    (Name.Class, "f"),
)


@dataclass
class DiffLine:
    kind: str
    """`add`, `del`, `same` or `hunk`."""
    old: int | None
    new: int | None
    text: str
    html: Markup = _NOTHING


@dataclass
class DiffFile:
    name: str
    lines: list[DiffLine] = field(default_factory=list)

    @property
    def added(self) -> int:
        return sum(line.kind == "add" for line in self.lines)

    @property
    def removed(self) -> int:
        return sum(line.kind == "del" for line in self.lines)


def diff_files(diff: str) -> tuple[list[DiffFile], bool]:
    """The files of a diff, and whether it was cut."""
    lines = plain_text(diff).split("\n")
    files = list(_parsed(lines[:MOST_LINES]))
    for file in files:
        _colour(file)
    return files, len(lines) > MOST_LINES


def _parsed(lines: list[str]) -> Iterator[DiffFile]:
    file: DiffFile | None = None
    old = new = 0
    in_header = True
    for raw in lines:
        line = raw if len(raw) <= _LONGEST else f"{raw[:_LONGEST]}…"
        if line.startswith("diff --git "):
            if file is not None:
                yield file
            file, in_header = DiffFile(line.rpartition(" b/")[2]), True
        elif file is None or (in_header and line.startswith(("index ", "--- ", "+++ "))):
            continue
        elif (hunk := _HUNK.match(line)) is not None:
            in_header = False
            old, new = int(hunk[1]), int(hunk[2])
            file.lines.append(DiffLine("hunk", None, None, hunk[3].strip()))
        elif line.startswith("+"):
            file.lines.append(DiffLine("add", None, new, line[1:]))
            new += 1
        elif line.startswith("-"):
            file.lines.append(DiffLine("del", old, None, line[1:]))
            old += 1
        elif line.startswith(" "):
            file.lines.append(DiffLine("same", old, new, line[1:]))
            old, new = old + 1, new + 1
        elif line:
            file.lines.append(DiffLine("hunk", None, None, line))
    if file is not None:
        yield file


def _colour(file: DiffFile) -> None:
    """Colours the old and the new side each as a whole, so that a string over several lines stays one."""
    for line in file.lines:
        line.html = escape(line.text)
    try:
        lexer = get_lexer_for_filename(file.name, stripnl=False, ensurenl=False)
    except ClassNotFound:
        lexer = TextLexer(stripnl=False, ensurenl=False)
    for side in (("same", "del"), ("same", "add")):
        chosen = [line for line in file.lines if line.kind in side]
        text = "\n".join(line.text for line in chosen)
        for line, html in zip(chosen, _rows(lex(text, lexer)), strict=False):
            line.html = html


def _rows(tokens: Iterator[tuple[_TokenType, str]]) -> Iterator[Markup]:
    row: list[Markup] = []
    for kind, text in tokens:
        name = next((short for token, short in _COLOURS if is_token_subtype(kind, token)), "")
        for place, part in enumerate(text.split("\n")):
            if place:
                yield Markup("").join(row)
                row = []
            if part:
                row.append(Markup('<span class="t-{}">{}</span>').format(name, part) if name else escape(part))
    yield Markup("").join(row)
