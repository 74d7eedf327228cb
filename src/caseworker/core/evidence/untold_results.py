"""Finds runs of unittest and pytest that ended with 0 and told no result: a test may end the whole process."""

import re
from typing import Final

from caseworker.core.evidence.builds import CommandRun, Purpose

_BEFORE: Final = r"(?:\w{1,80}=\S{0,400} )*(?:(?:uv|poetry|pdm|pipenv|hatch) run )?(?:\S{1,400}/)?"
_MODULE: Final = r"(?:(?:python[\d.]{0,6}|coverage run) (?:-\S{1,80} ){0,4}?-m )"
_UNITTEST: Final = re.compile(rf"{_BEFORE}{_MODULE}unittest(?=\s|$)")
_PYTEST: Final = re.compile(rf"{_BEFORE}{_MODULE}?pytest(?=\s|$)")
_COMPOUND: Final = re.compile(r"[;&|<>`\n]|\$\(")
_SILENT: Final = re.compile(
    r"(?:^|\s)(?:-\w*qq\w*|-h|--help|--version|--collect-only|--co|--junit-?xml\S*"
    r"|-p ?no:(?:terminal|junitxml))(?=\s|=|$)"
)
"""Options with which the runner may tell no result to us, although it came to its end."""
_RAN: Final = re.compile(r"^(?:Ran \d{1,9} tests? in |NO TESTS RAN)", re.MULTILINE)
_COLOUR: Final = r"(?:\x1b\[[\d;]{0,20}m)*"
_SUMMED_UP: Final = re.compile(
    rf"^{_COLOUR}=* ?{_COLOUR}"
    r"(?:\d{1,9} (?:passed|failed|skipped|errors?|deselected|xfailed|xpassed|warnings?)\b|no tests ran)",
    re.MULTILINE,
)


def ended_untold(run: CommandRun) -> bool:
    """Whether a command that calls unittest or pytest itself ended with 0 before it told its results."""
    if run.exit_code != 0 or run.cut_short or run.report is not None:
        return False
    if run.purpose not in (Purpose.TEST, Purpose.NEW_TEST):
        return False
    *before, last = run.command.strip().split("&&")  # with exit code 0 each part ended with 0
    if any(_COMPOUND.search(part) for part in (*before, last)) or _SILENT.search(last):
        return False
    if _UNITTEST.match(last.strip()):
        return _RAN.search(run.output) is None
    return _PYTEST.match(last.strip()) is not None and _SUMMED_UP.search(run.output) is None
