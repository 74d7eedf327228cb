"""Output to a terminal in which all text is only text: no escape sequence and no markup in it has an effect."""

import json
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any, Final

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from caseworker.core.base.text import printable

_UNSEEN: Final = re.compile("[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
"""Characters that JSON allows in a string, but that control a terminal or are invisible."""


class TextConsole(Console):
    """Titles, agents' words and output of builds are printed with this. Styles are given by arguments, not in text."""

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, emoji=False, markup=False, **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)


def print_commands(commands: Sequence[tuple[str, str]], console: Console) -> None:
    """Print what a person can type, each on a line that is never wrapped and stands in no box: it is to be copied."""
    room = max((len(name) for name, _ in commands), default=0)
    said = ""
    for name, command in commands:
        line = Text.assemble((f"  {'' if name == said else name:<{room}}  ", "bold"), command)
        console.print(line, soft_wrap=True)
        said = name


def json_text(value: object, *, indent: int | None = None) -> str:
    """JSON that is safe to look at: the same value, with escapes for what a terminal would act on."""
    return escaped_json(json.dumps(value, indent=indent, ensure_ascii=False, default=str))


def escaped_json(text: str) -> str:
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def write_document(text: str, *, flush: bool = False) -> None:
    """Writes to standard output: unchanged into a file or a pipe, as plain text into a terminal."""
    sys.stdout.write(printable(text) if sys.stdout.isatty() else text)
    if flush:
        sys.stdout.flush()
