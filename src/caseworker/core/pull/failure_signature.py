"""The signature of a failed check: from the log, or else the annotations, or else the check's own words."""

import re
from collections.abc import Iterable

from caseworker.core.evidence.failure_lines import (
    GENERAL,
    Signature,
    digest,
    failed_step,
    last_lines,
    log_lines,
    stable_lines,
    strong_lines,
)
from caseworker.core.pull.failures import Annotation, FailedCheck


def signature_of(check: FailedCheck) -> Signature:
    """Equal over attempts, machines and legs of a matrix."""
    name = re.sub(r" ?\([^()]*\)$", "", check.name)
    return digest(name, check.app, *signature_lines(check))


def signature_lines(check: FailedCheck) -> tuple[str, ...]:
    """What the signature is made of, sorted: from the log, or else the annotations, or else the check's own words."""
    log, summary = failed_step(log_lines(check.log_tail)), log_lines(check.summary)
    ways = (strong_lines(log), _remarks(check.annotations), strong_lines(summary), last_lines(log), last_lines(summary))
    return next((found for lines in ways if (found := stable_lines(lines))), (check.newest.result,))


def _remarks(annotations: Iterable[Annotation]) -> Iterable[str]:
    for one in annotations:
        if one.level == "failure":
            lines = log_lines(one.message)
            yield from (f"{one.path}: {line}" for line in lines if not GENERAL.search(line))
