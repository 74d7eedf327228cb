"""Edits the input line of a chat: what each key does to it. It touches no terminal."""

import codecs
import re
from dataclasses import dataclass, field
from typing import Final

from rich.cells import cell_len

_SEQUENCE: Final = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O.|[^\[O])", re.DOTALL)
_PASTE: Final = ("\x1b[200~", "\x1b[201~")
_LONGEST_SEQUENCE: Final = 32
LEAVE: Final = None
"""Ctrl-C, or Ctrl-D on an empty line."""


@dataclass
class LineEditor:
    text: str = ""
    cursor: int = 0
    _history: list[str] = field(default_factory=list)
    _place: int = 0
    _pasting: bool = False
    _pending: str = ""
    """The beginning of an escape sequence whose end has not come yet."""
    _decoder: codecs.IncrementalDecoder = field(
        default_factory=lambda: codecs.getincrementaldecoder("utf-8")(errors="replace")
    )

    def feed(self, data: bytes) -> list[str | None]:
        """The lines that these bytes finished; `LEAVE` where the person wants to leave."""
        keys, self._pending = self._pending + self._decoder.decode(data), ""
        finished: list[str | None] = []
        place = 0
        while place < len(keys):
            if keys[place] == "\x1b":
                found = _SEQUENCE.match(keys, place)
                if found is None:
                    if len(keys) - place < _LONGEST_SEQUENCE:
                        self._pending = keys[place:]
                        break
                    place += 1  # no terminal sends such a long sequence: it was the Escape key
                    continue
                self._sequence(found[0])
                place = found.end()
                continue
            finished.extend(self._key(keys[place]))
            place += 1
        return finished

    def _key(self, key: str) -> list[str | None]:
        match key:
            case "\r" | "\n" if self._pasting:
                self._insert("\n")  # pasted text is one message, however many lines it has
            case "\r" | "\n":
                return [self._take()]
            case "\x03":
                return [LEAVE]
            case "\x04":
                if not self.text:
                    return [LEAVE]
                self._delete(self.cursor, self.cursor + 1)
            case "\x7f" | "\b":
                self._delete(self.cursor - 1, self.cursor)
            case "\x15":
                self._delete(0, self.cursor)
            case "\x0b":
                self._delete(self.cursor, len(self.text))
            case "\x17":
                self._delete(self._word_before(), self.cursor)
            case "\x01":
                self.cursor = 0
            case "\x05":
                self.cursor = len(self.text)
            case "\t":
                self._insert(" ")
            case _ if key.isprintable():
                self._insert(key)
        return []

    def _sequence(self, sequence: str) -> None:
        match sequence:
            case "\x1b[200~" | "\x1b[201~":
                self._pasting = sequence == _PASTE[0]
            case "\x1b[D" | "\x1bOD":
                self.cursor = max(0, self.cursor - 1)
            case "\x1b[C" | "\x1bOC":
                self.cursor = min(len(self.text), self.cursor + 1)
            case "\x1b[H" | "\x1bOH" | "\x1b[1~":
                self.cursor = 0
            case "\x1b[F" | "\x1bOF" | "\x1b[4~":
                self.cursor = len(self.text)
            case "\x1b[3~":
                self._delete(self.cursor, self.cursor + 1)
            case "\x1b[A" | "\x1bOA":
                self._recall(-1)
            case "\x1b[B" | "\x1bOB":
                self._recall(1)

    def _insert(self, text: str) -> None:
        self.text = self.text[: self.cursor] + text + self.text[self.cursor :]
        self.cursor += len(text)

    def _delete(self, start: int, end: int) -> None:
        start = max(0, start)
        self.text = self.text[:start] + self.text[end:]
        self.cursor = min(start, len(self.text))

    def _word_before(self) -> int:
        before = self.text[: self.cursor].rstrip()
        return before.rfind(" ") + 1

    def _take(self) -> str:
        line = self.text
        if line.strip() and (not self._history or self._history[-1] != line):
            self._history.append(line)
        self.text, self.cursor, self._place = "", 0, len(self._history)
        return line

    def _recall(self, step: int) -> None:
        """Step through earlier lines; past the newest one comes an empty line."""
        if not self._history:
            return
        self._place = min(max(0, self._place + step), len(self._history))
        self.text = self._history[self._place] if self._place < len(self._history) else ""
        self.cursor = len(self.text)


def window(text: str, cursor: int, cells: int) -> tuple[str, int]:
    """The part of the line that fits into one row and holds the cursor, and the cursor's cell in it."""
    shown = text.replace("\n", "⏎")
    start = 0
    while cell_len(shown[start:cursor]) >= cells and start < cursor:
        start += 1
    end = cursor
    while end < len(shown) and cell_len(shown[start : end + 1]) < cells:
        end += 1
    return shown[start:end], cell_len(shown[start:cursor])
