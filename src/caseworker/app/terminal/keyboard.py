"""Reads typed lines, from a terminal whose input line stays usable while output arrives above it, or from a pipe."""

import asyncio
import os
import signal
import sys
import termios
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final, Protocol

from rich.cells import cell_len
from rich.console import Console, RenderableType

from caseworker.app.terminal.line_editor import LEAVE, LineEditor, window

Lines = asyncio.Queue[str | None]
"""Typed lines; None at the end."""
_PASTE_ON: Final = "\x1b[?2004h"
_PASTE_OFF: Final = "\x1b[?2004l"


class Screen(Protocol):
    def show(self, what: RenderableType) -> None: ...

    def prompt(self, words: str) -> None:
        """Set the text before the input line."""


class PlainScreen:
    """For pipes and logs: prints lines, and has no input line."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def show(self, what: RenderableType) -> None:
        self._console.print(what, highlight=False)

    def prompt(self, words: str) -> None:
        """Does nothing: nobody types here."""


class LiveScreen:
    """Keeps the input line in the lowest row: it is cleared before output, and drawn again after it."""

    def __init__(self, console: Console, editor: LineEditor) -> None:
        self._console = console
        self._editor = editor
        self._prompt = "> "

    def show(self, what: RenderableType) -> None:
        self._write("\r\x1b[2K")
        self._console.print(what, highlight=False)
        self.draw()

    def prompt(self, words: str) -> None:
        if words != self._prompt:
            self._prompt = words
            self.draw()

    def draw(self) -> None:
        width = self._console.size.width
        prompt = self._prompt if cell_len(self._prompt) < width // 2 else "> "
        text, at = window(self._editor.text, self._editor.cursor, max(2, width - cell_len(prompt) - 1))
        column = cell_len(prompt) + at + 1
        self._write(f"\r\x1b[2K\x1b[2m{prompt}\x1b[0m{text}\x1b[{column}G")

    def clear(self) -> None:
        self._write("\r\x1b[2K")

    def _write(self, text: str) -> None:
        self._console.file.write(text)
        self._console.file.flush()


@asynccontextmanager
async def typing_on(console: Console) -> AsyncIterator[tuple[Lines, Screen]]:
    """The typed lines, and the screen to show output on."""
    lines: Lines = asyncio.Queue()
    if not (sys.stdin.isatty() and console.is_terminal):
        _read_pipe(lines)
        yield lines, PlainScreen(console)
        return
    editor = LineEditor()
    screen = LiveScreen(console, editor)
    file, loop = sys.stdin.fileno(), asyncio.get_running_loop()
    before = termios.tcgetattr(file)
    try:
        _read_single_keys(file, before)
        screen._write(_PASTE_ON)
        loop.add_reader(file, _key_reader(file, editor, screen, lines))
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, lines.put_nowait, LEAVE)
        loop.add_signal_handler(signal.SIGWINCH, screen.draw)
        yield lines, screen
    finally:
        loop.remove_reader(file)
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGWINCH):
            loop.remove_signal_handler(number)
        screen.clear()
        screen._write(_PASTE_OFF)
        termios.tcsetattr(file, termios.TCSADRAIN, before)


def _read_single_keys(file: int, before: "list[int | list[bytes | int]]") -> None:
    """Read key by key and without echo. Ctrl-C also comes as a key, so that leaving always restores the terminal."""
    mode = list(before)
    local = mode[3]
    assert isinstance(local, int)
    mode[3] = local & ~(termios.ECHO | termios.ICANON | termios.ISIG | termios.IEXTEN)
    termios.tcsetattr(file, termios.TCSADRAIN, mode)


def _key_reader(file: int, editor: LineEditor, screen: LiveScreen, lines: Lines) -> Callable[[], None]:
    def read() -> None:
        try:
            data = os.read(file, 4096)
        except OSError:  # the terminal is gone
            data = b""
        for line in editor.feed(data) if data else [LEAVE]:
            lines.put_nowait(line)
        screen.draw()

    return read


def _read_pipe(lines: Lines) -> None:
    """Read in a daemon thread, bypassing Python's buffers: their locks would block the program's exit."""
    loop, file = asyncio.get_running_loop(), sys.stdin.fileno()

    def pass_on(line: str | None) -> None:
        try:
            loop.call_soon_threadsafe(lines.put_nowait, line)
        except RuntimeError:  # the program is ending
            return

    def read() -> None:
        rest = b""
        while data := os.read(file, 65_536):
            *whole, rest = (rest + data).split(b"\n")
            for line in whole:
                pass_on(line.decode("utf-8", "replace"))
        if rest:
            pass_on(rest.decode("utf-8", "replace"))
        pass_on(LEAVE)

    threading.Thread(target=read, daemon=True, name="standard input").start()
