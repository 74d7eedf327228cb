"""Formats a conversation for the terminal: who speaks, to whom, and the text with its emphasis."""

import re
from collections.abc import Sequence
from typing import Final

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from caseworker.app.terminal.local_times import clock
from caseworker.core.base.text import printable
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.messages import Audience
from caseworker.core.record.bug_conversation import Delivery, Line

BOT: Final = "caseworker"
_COLOUR: Final = {"reporter": "yellow", "developer": "green", "owner": "green", "other": "dim", "bot": "cyan"}
_EMPHASIS: Final = re.compile(r"\*\*(?P<bold>\S|\S[^*\n]*\S)\*\*|`(?P<code>[^`\n]+)`")
_BOLD: Final = re.compile(r"\*\*(\S|\S[^*\n]*\S)\*\*")
_TIME_CELLS: Final = 9
_NAME_CELLS: Final = 23
_TEXT_CELLS: Final = 100
"""Longer lines are hard to read, however wide the terminal is."""


class Talk:
    def __init__(self, console: Console, voice: str = "developer") -> None:
        self.console = console
        self._voice = voice

    def line(self, line: Line) -> RenderableType:
        """In a terminal in columns; in a log as one paragraph, so that it can be searched."""
        if self.console.is_terminal:
            row = Table.grid(padding=(0, 1))
            row.add_column(no_wrap=True)
            row.add_column(width=_NAME_CELLS, overflow="ellipsis", no_wrap=True)
            row.add_column(max_width=_TEXT_CELLS, overflow="fold")
            who = Text(who_words(line, self._voice), style=f"bold {_COLOUR[line.speaker]}")
            row.add_row(Text(clock(line.at), style="dim"), who, styled(_said(line)))
            return row
        said = _BOLD.sub(r"\1", _said(line).strip())
        said = "\n".join(row and f"    {row}" for row in said.splitlines()).strip()
        return Text(f"{clock(line.at)} {who_words(line, self._voice)}: {said}")

    def show(self, line: Line) -> None:
        self.console.print(self.line(line), highlight=False)

    def aside(self, text: str, *, sign: str = "·") -> RenderableType:
        """A line that nobody said: a receipt, a move, a tool call."""
        return self.indented(Text(f"{sign} {printable(text)}".lstrip(" "), style="dim"))

    def indented(self, text: Text) -> RenderableType:
        """Below the text, right of the time."""
        return Padding(text, (0, 0, 0, _TIME_CELLS)) if self.console.is_terminal else Text(" " * _TIME_CELLS) + text


def seen_by(voice: str, lines: Sequence[Line]) -> list[Line]:
    """A reporter sees only what is said to them and by reporters; developers see everything."""
    if voice != "reporter":
        return list(lines)
    return [line for line in lines if line.speaker == "reporter" or line.audience is Audience.REPORTER]


def who_words(line: Line, voice: str = "developer") -> str:
    """`grace (developer)`, `caseworker → reporter`. Reporters see only names."""
    if voice == "reporter":
        return printable(line.author)
    if line.speaker == "bot":
        return f"{BOT} → {'reporter' if line.audience is Audience.REPORTER else 'developers'}"
    return f"{printable(line.author)} ({line.speaker})"


def _said(line: Line) -> str:
    if line.delivery is Delivery.PENDING:
        return f"[{line.delivery}: {line.about.replace('_', ' ')}]"
    if line.delivery is not Delivery.SAID:
        return printable(f"[{line.delivery}] {line.text}")
    if line.speaker == "bot" or line.about in (MessageKind.WORDS, MessageKind.ANSWER):
        return printable(line.text)
    kind = line.about.removesuffix("_incomplete").replace("_", " ")
    return printable(f"[{kind}] {line.text}".rstrip())


def styled(text: str) -> Text:
    """Style `**bold**` and code; show everything else literally, since people's text is no markup."""
    shown, after = Text(), 0
    for found in _EMPHASIS.finditer(text):
        shown.append(text[after : found.start()])
        if found["bold"] is not None:
            shown.append(found["bold"], style="bold")
        else:
            shown.append(found["code"], style="italic")
        after = found.end()
    shown.append(text[after:])
    return shown
