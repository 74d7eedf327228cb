"""Makes a model's text safe inside our Markdown: it can't add headings or bold labels, or leave a block open."""

import re
from typing import Final

_CONTAINERS: Final = r"[ \t]{0,3}(?:(?:[-+*]|\d{1,9}[.)]|>)[ \t]{0,4}){0,40}"
"""List and quotation marks at the start of a line."""
_FENCE: Final = re.compile(rf"(?P<before>{_CONTAINERS})(?P<mark>`{{3,}}|~{{3,}})")
_LABEL: Final = re.compile(rf"(?P<before>{_CONTAINERS})(?P<mark>#{{1,6}}(?=[ \t]|$)|\*\*|__)")
_UNDERLINE: Final = re.compile(r"\A(?P<before>[ \t>]{0,9})(?P<mark>=++|-++)[ \t]*+\Z")
"""A row of `=` or `-`, which turns the line above into a heading."""
_FOLD: Final = re.compile(r"<(?=/?\s*(?:details|summary)\b)", re.IGNORECASE)


def contained(text: str) -> str:
    """Paragraphs. Plain prose, lists and code in a line stay as they are. Blocks of code lose their fences: one that is
    not closed would swallow what follows."""
    return "\n".join(_contained_line(line) for line in text.strip().splitlines())


def contained_line(text: str) -> str:
    """The text as one line, for an item of a list or the rest of a sentence."""
    return _contained_line(" ".join(text.split()))


def quoted(text: str) -> str:
    """What somebody said, in a sentence of ours: one line, in quotation marks."""
    return f"“{contained_line(text).replace('“', '‘').replace('”', '’')}”"


def _contained_line(line: str) -> str:
    line = _FOLD.sub("&lt;", _FENCE.sub(r"\g<before>'''", line, count=1))
    for pattern in (_LABEL, _UNDERLINE):
        if found := pattern.match(line):
            line = f"{found['before']}\\{line[found.start('mark') :]}"
    return line
