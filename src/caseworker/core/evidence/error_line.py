"""Finds the line that says why a test failed, in what its runner printed. The text is hostile input.

Each pattern is matched at the start of one line of limited length. Backquotes become quotation marks: the line is shown
as code.
"""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise, takewhile
from typing import Final

_MOST_LINES: Final = 400
_LONGEST_LINE: Final = 400
_SHOWN: Final = 200
_MOST_AFTER: Final = 14
"""Lines after an error in which its values are looked for."""
_MOST_DIFFERENCES: Final = 4

_COLOUR: Final = re.compile(r"\x1b\[[\d;]{0,20}m")
_ERROR: Final = re.compile(
    r"(?:Uncaught )?[\w.$]{0,80}(?:Error|Exception|Failure)(?: \[(?!ERR_TEST_FAILURE)\w{1,40}\])?(?::|$)"
)
"""Node's report has its own error first, and the test's as the cause of it."""
_WARNING: Final = re.compile(r"[\w.]{1,80}Warning:")
_PYTEST: Final = re.compile(r"E {2,80}(?=\S)")
_PANIC: Final = re.compile(r"thread '.{1,200}' (?:\(\d{1,9}\) )?panicked at (?:'(?P<old>.{1,300}))?")
_SIDES: Final = re.compile(r"(?:left|right): ")
_LEGEND: Final = re.compile(r"[+-] (?:actual|expected) [+-] (?:actual|expected)")
_MARKS: Final = "':"
_DIFFERENCE: Final = re.compile(r"'?Difference \(|Value is not |Rejected promise |Test finished without ")
_VALUE: Final = re.compile(r"(?:expected|received|actual)\s{0,4}:", re.IGNORECASE)
_TAP_SAID: Final = re.compile(r"(?:error|message): {0,4}(?P<said>.{0,400})")
_NOISE: Final = re.compile(
    r"at |note: |--- FAIL|=== |\(Use `node |error: test failed, to rerun|File \"|› |"
    r"[^\s:]{1,300}:\d{1,7}(?::\d{1,7})?(?:: \w{1,80})?$|\d{1,9} tests? failed$|[^\w\s]{1,200}$"
)
"""A place, a frame of a stack, a count or advice. It does not say what went wrong."""


def error_line(said: str) -> str:
    """The error with the values that differ. Empty: nothing was said."""
    cut = (_COLOUR.sub("", line[:_LONGEST_LINE]) for line in said.splitlines()[-_MOST_LINES:])
    lines = [line.strip().removeprefix("cause: ") for line in cut]
    found = next((line for find in _FINDERS if (line := find(lines))), "")
    return " ".join((found or _last(lines)).split()).replace("`", "'")[:_SHOWN]


def is_noise(line: str) -> bool:
    return _NOISE.match(line) is not None


def _in_tap(lines: Sequence[str]) -> str:
    """In the block below a test of the Test Anything Protocol. The next tests come after it."""
    if not lines or lines[0] != "---":
        return ""
    block = lines[: lines.index("...")] if "..." in lines else lines
    if difference := _of_difference(block):
        return difference
    for at, line in enumerate(block):
        if (found := _TAP_SAID.match(line)) and (said := found["said"].strip("\"'")):
            return _with_values(block, at + 1) if said.startswith(("|", ">")) else said
    return ""


def _of_pytest(lines: Sequence[str]) -> str:
    """The first line of the last error: what follows it explains it, what comes before is its cause."""
    told = [at for at, line in enumerate(lines) if _PYTEST.match(line)]
    starts = [at for at in told if at == 0 or lines[at - 1][:2] not in ("E", "E ")]
    return _PYTEST.sub("", lines[starts[-1]], count=1) if starts else ""


def _of_panic(lines: Sequence[str]) -> str:
    for at, line in enumerate(lines):
        if found := _PANIC.match(line):
            after = list(lines[at + 1 : at + 4])
            said = found["old"] or (after[0] if after else "")
            sides = [one.rstrip(",") for one in after if _SIDES.match(one)]
            return ", ".join([said, *sides])
    return ""


def _of_error(lines: Sequence[str]) -> str:
    """Python prints the cause of an error above it; what others print below it may be of the next test."""
    is_python = any(line.startswith("Traceback (") for line in lines)
    raised = [at for at, line in enumerate(lines) if _ERROR.match(line) or (is_python and _WARNING.match(line))]
    return _with_values(lines, raised[-1 if is_python else 0]) if raised else ""


def _of_difference(lines: Sequence[str]) -> str:
    at = next((at for at, line in enumerate(lines) if _DIFFERENCE.match(line)), None)
    return _with_values(lines, at) if at is not None else ""


def _of_values(lines: Sequence[str]) -> str:
    found = ((one, two) for one, two in pairwise(lines) if _VALUE.match(one) and _VALUE.match(two))
    return ", ".join(one.rstrip(",") for one in next(found, ()))


def _last(lines: Sequence[str]) -> str:
    told = [line for line in lines if line]
    return next((line for line in reversed(told) if not is_noise(line)), told[-1] if told else "")


def _with_values(lines: Sequence[str], at: int) -> str:
    line = lines[at] if at < len(lines) else ""
    after = _until_frame([one for one in lines[at + 1 : at + 1 + _MOST_AFTER] if one])
    if "expect(" in line:
        return ", ".join([line, *(one for one in after if _VALUE.match(one))])
    if not after or not line.endswith((":", ": |-")):
        return line
    head = f"{line.removesuffix(' |-').strip(_MARKS)}:"
    if not (_LEGEND.match(after[0]) or after[0][0] in "+-"):
        return f"{head} {after[0]}"
    differ = [one for one in takewhile(lambda one: not _LEGEND.match(one), after[1:]) if one[0] in "+-"]
    first = [after[0]] if not _LEGEND.match(after[0]) else []
    return f"{head} {', '.join([*first, *differ][:_MOST_DIFFERENCES])}"


def _until_frame(lines: Sequence[str]) -> Sequence[str]:
    """What stands before the first frame of the stack."""
    return list(takewhile(lambda line: not line.startswith(("at ", "› ")), lines))


_FINDERS: Final[tuple[Callable[[Sequence[str]], str], ...]] = (
    _in_tap,
    _of_pytest,
    _of_panic,
    _of_error,
    _of_difference,
    _of_values,
)
