"""What a command said, made readable, and the failures it named, heard while it speaks. None of it is kept whole."""

import re
from collections import Counter

from caseworker.core.evidence.builds import MAX_FAILURES, failures_named

_LINE_BYTES = 1 << 16
"""Of a longer line only the beginning is read: a name is not that long."""
_CONTROLS = bytes({*range(0x20)} - {*b"\t\n\r"})
_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])|[\x00-\x08\x0b\x0c\x0e-\x1f]"
)


def readable(output: bytes) -> str:
    text = output.decode(errors="replace").replace("\r\n", "\n")
    # Looking for what most output has not is much faster than the expression.
    return _ESCAPES.sub("", text) if len(output.translate(None, _CONTROLS)) < len(output) else text


class FailureNames:
    """`failures_named` of output of any length, in bounded memory."""

    def __init__(self) -> None:
        self._names: Counter[str] = Counter()
        self._line = b""
        """The beginning of the line that is still being said."""

    def hear(self, chunk: bytes) -> None:
        line, ended, more = chunk.partition(b"\n")
        self._line = (self._line + line)[:_LINE_BYTES]
        if ended:
            lines, _, begun = more.rpartition(b"\n")
            self._count(self._line + b"\n" + lines)
            self._line = begun

    def all(self) -> tuple[str, ...]:
        """At the end. Too many to keep are like none at all, which excuses nothing. Not None: then the tail of the
        output would be read instead, as if nothing had been said before it."""
        self._count(self._line)
        self._line = b""
        return tuple(self._names.elements()) if self._names.total() <= MAX_FAILURES else ()

    def _count(self, lines: bytes) -> None:
        if self._names.total() <= MAX_FAILURES:
            self._names += failures_named(readable(lines))
