"""Cleans the output of a command, and collects the names of failures from it while it runs, in bounded memory."""

import re
from collections import Counter

from caseworker.core.evidence.failure_names import MAX_FAILURES, failures_named

_LINE_BYTES = 1 << 16
"""Only the beginning of a longer line is read: a name is not that long."""
_CONTROLS = bytes({*range(0x20)} - {*b"\t\n\r"})
_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])|[\x00-\x08\x0b\x0c\x0e-\x1f]"
)


def readable(output: bytes) -> str:
    text = output.decode(errors="replace").replace("\r\n", "\n")
    # Most output has no control characters, and checking that is much faster than the expression.
    return _ESCAPES.sub("", text) if len(output.translate(None, _CONTROLS)) < len(output) else text


class FailureNames:
    """Like `failures_named`, for output of any length that comes in chunks."""

    def __init__(self) -> None:
        self._names: Counter[str] = Counter()
        self._line = b""
        """The beginning of a line whose end has not come yet."""

    def add(self, chunk: bytes) -> None:
        line, ended, more = chunk.partition(b"\n")
        self._line = (self._line + line)[:_LINE_BYTES]
        if ended:
            lines, _, begun = more.rpartition(b"\n")
            self._count(self._line + b"\n" + lines)
            self._line = begun

    def all(self) -> tuple[str, ...]:
        """All names, once the output has ended; none if there were too many to keep, so that no failure is excused.

        Never None: then the caller would look for names in the tail of the output, and miss all before it.
        """
        self._count(self._line)
        self._line = b""
        return tuple(self._names.elements()) if self._names.total() <= MAX_FAILURES else ()

    def _count(self, lines: bytes) -> None:
        if self._names.total() <= MAX_FAILURES:
            self._names += failures_named(readable(lines))
