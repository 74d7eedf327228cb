"""Terminal output is text: an attacker's title, agent's words or build output have no effect in a terminal."""

import io
import json
import sys

import pytest
from rich.console import Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from caseworker.app.cli.shared_options import make_console
from caseworker.app.terminal.live_view import print_json
from caseworker.app.terminal.text_console import TextConsole, write_document

_ATTACKS = (
    "\x1b]0;owned\x07",  # sets the window's title
    "\x1b[2J\x1b[1;1H",  # clears the screen
    "\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\",  # a hidden link
    "\x9b31m",  # a colour, in one character
    "\x1bP+q544e\x1b\\",  # asks the terminal to type something
    "ok\r rm -rf",  # overwrites the line
    "a\u202eb",  # turns the order of the letters round
    "[/nope] [bold]fake[/bold] [link=https://evil.example]x[/link] :skull:",
)


@pytest.fixture
def console() -> TextConsole:
    return TextConsole(file=io.StringIO(), force_terminal=True, width=200, color_system=None)


def _written(console: TextConsole) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("attack", _ATTACKS)
def test_no_escape_sequence_and_no_markup_reaches_a_terminal(console: TextConsole, attack: str) -> None:
    table = Table.grid()
    table.add_row(attack, Text(attack))
    console.print(attack)
    console.print(Group(table, Panel(attack, title=Text(attack))), attack, style="bold")
    console.out(attack)
    written = _written(console)
    assert not any(sign in written for sign in ("\x1b]", "\x1bP", "\x1b[2J", "\x9b", "\r", "\u202e", "\x07"))
    assert "[/nope]" in written or "[/nope]" not in attack


def test_the_console_of_every_command_is_such_a_console() -> None:
    assert isinstance(make_console(), TextConsole)


def test_json_has_the_same_value_and_nothing_that_a_terminal_acts_on(capsys: pytest.CaptureFixture[str]) -> None:
    print_json(list(_ATTACKS))
    written = capsys.readouterr().out
    assert json.loads(written) == list(_ATTACKS)
    assert not any(sign in written for sign in ("\x1b", "\x9b", "\r", "\u202e", "\x07"))


def test_a_document_is_unchanged_in_a_pipe_and_plain_in_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe, terminal = io.StringIO(), io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True, raising=False)
    for stream in (pipe, terminal):
        monkeypatch.setattr(sys, "stdout", stream)
        write_document("+\x1b[2J")
    assert (pipe.getvalue(), terminal.getvalue()) == ("+\x1b[2J", "+�[2J")
