"""Finds failures that a limit of the sandbox has probably caused: a file or a disk that may not grow any more.

The kernel refuses these before the watcher has to end the command, so only the failure itself tells of them."""

import re
from typing import Final

from caseworker.core.evidence.builds import CommandRun, Purpose

_LIMIT: Final = re.compile(
    r"\[Errno 2[78]\]|\bFile too large\b|\bNo space left on device\b|\bFile size limit exceeded\b"
)
_LINE: Final = 2_000


def said_limit(run: CommandRun) -> str | None:
    """The line in which a failed command says that it met a limit. With a report, only the words of failed tests
    count: a test of such an error prints the same words and passes."""
    if run.passed or run.cut_short or run.purpose is not Purpose.TEST:
        return None
    report = run.report
    bad = (*report.failed, *report.broken) if report is not None else ()
    texts = [one.detail for one in bad] if bad else [run.output]
    lines = (line[:_LINE] for text in texts for line in text.splitlines())
    return next((line.removeprefix("E ").strip() for line in lines if _LIMIT.search(line)), None)
