"""Writes the backtraces at one line of a Python program, or its calls and exceptions in their order.

It runs as `sitecustomize` in the repository's own Python, which may be as old as 3.7.
"""

import atexit
import collections
import os
import sys
import threading
from types import FrameType
from typing import Any

_MOST_HITS = 5
_MOST_CALLS = 120
_MOST_LOCALS = 12
_TEXT = 160


def start() -> None:
    out = os.path.join(os.environ["CASEWORKER_OUT"], f"{os.getpid()}.python")
    path, _, line = os.environ.get("CASEWORKER_AT", "").rpartition(":")
    tracer = _backtraces(out, path, int(line)) if path else _calls(out)
    threading.settrace(tracer)
    sys.settrace(tracer)


def _backtraces(out: str, path: str, line: int) -> Any:
    hits: list = []  # type: ignore[type-arg]  # subscripts are newer than 3.7

    def in_file(frame: FrameType, event: str, _: object) -> Any:
        if event == "line" and frame.f_lineno == line and len(hits) < _MOST_HITS:
            hits.append(line)
            with open(out, "a") as file:
                file.write(_backtrace(frame, len(hits)))
        return in_file

    def tracer(frame: FrameType, _event: str, _: object) -> Any:
        name = frame.f_code.co_filename
        return in_file if name == path or name.endswith("/" + path) else None

    return tracer


def _backtrace(frame: FrameType, number: int) -> str:
    lines = []
    at: Any = frame
    while at is not None:
        lines.append(f"  {_short(at.f_code.co_filename)}:{at.f_lineno} {at.f_code.co_name}")
        at = at.f_back
    known = list(frame.f_locals.items())[:_MOST_LOCALS]
    values = [f"    {name} = {_text(value)}" for name, value in known if not name.startswith("__")]
    head = f"hit {number}, process {os.getpid()}, {threading.current_thread().name}, innermost first:"
    return "\n".join([head, lines[0], *values, *lines[1:]]) + "\n"


def _calls(out: str) -> Any:
    root = os.getcwd() + os.sep
    seen: Any = collections.deque(maxlen=_MOST_CALLS)

    def tracer(frame: FrameType, event: str, detail: Any) -> Any:
        name = os.path.abspath(frame.f_code.co_filename)
        if not name.startswith(root) or event not in ("call", "exception"):
            return tracer if name.startswith(root) else None
        what = f"raised {detail[0].__name__}: {_text(detail[1])}" if event == "exception" else "called"
        place = f"{_short(name)}:{frame.f_lineno} {frame.f_code.co_name}"
        text = f"{threading.current_thread().name}  {place}  {what}"
        if seen and seen[-1][0] == text:  # a loop, or a generator that is resumed
            seen[-1][1] += 1
        else:
            seen.append([text, 1])
        return tracer

    def write() -> None:
        sys.settrace(None)
        with open(out, "w") as file:
            file.writelines(f"{text}, {times} times\n" if times > 1 else f"{text}\n" for text, times in seen)

    atexit.register(write)
    return tracer


def _short(path: str) -> str:
    root = os.getcwd() + os.sep
    return path[len(root) :] if path.startswith(root) else path


def _text(value: object) -> str:
    try:
        return repr(value)[:_TEXT]
    except Exception as error:  # noqa: BLE001  # a broken __repr__ of the repository's code must not end the trace
        return f"<{type(error).__name__} in its __repr__>"
