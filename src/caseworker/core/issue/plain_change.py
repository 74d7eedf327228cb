"""Tells a small plain change, whose first review needs no stronger model than the one that wrote it (decision 20).

Of a model only triage's size is believed; everything else was seen by code on the very commit that is reviewed.
"""

from typing import Final

from caseworker.core.evidence.unified_diff import FileDiff, read_diff
from caseworker.core.issue.case import IssueCase
from caseworker.core.outcomes.pm import TriageOutcome

_FILES: Final = 2
_LINES: Final = 60
"""Lines added and removed, the test's included."""


def is_plain_change(case: IssueCase, triage: TriageOutcome | None, diff: str) -> bool:
    """`triage`: null if there was none. `diff`: against the base."""
    if triage is None or triage.scope != "SMALL" or triage.complexity != "simple" or triage.topics:
        return False
    return _is_unremarkable(case) and _is_first_try(case) and _is_small(read_diff(diff))


def _is_unremarkable(case: IssueCase) -> bool:
    """Green, its test seen to fail without the change, and nothing in it that a person or a review has to explain."""
    commit, seen = case.delivery.checkpoint, case.evidence
    proved = commit is not None and commit == seen.green == case.proof.proved
    return proved and not (case.proof.weakened or seen.touches or seen.forbidden)


def _is_first_try(case: IssueCase) -> bool:
    limits = case.limits
    first = limits.round == limits.attempt == 1 and not (limits.senior or limits.guided)
    return first and case.investigation is None and not case.people.remarks


def _is_small(files: list[FileDiff]) -> bool:
    if not 0 < len(files) <= _FILES or any(one.binary or one.is_link or one.modes or one.deleted for one in files):
        return False
    return sum(line.kind != "context" for one in files for line in one.lines()) <= _LINES
