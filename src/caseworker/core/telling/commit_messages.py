"""Commit messages, and notes about a person's commits."""

import re
from collections.abc import Sequence
from typing import Final

from caseworker.core.base.outgoing_text import Ours, outgoing_message
from caseworker.core.base.redaction import Redactor
from caseworker.core.base.text import code
from caseworker.core.casefile.model import IssueSection
from caseworker.core.telling.issue_reference import closable, closing_line

_SIGNATURE: Final = re.compile(
    r"\s*([a-z]{1,40}(-[a-z]{1,40}){0,5}-by\s*:|co-authored-by|generated with|🤖)", re.IGNORECASE
)
"""Of tools, and of people who have not signed: `Approved-by: ...`."""


def _unsigned(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines() if not _SIGNATURE.match(line)).strip()


def commit_message(subject_and_why: str, issue: IssueSection) -> str:
    """The developer's message with the issue it fixes. It has no signatures of tools, and closes no other issue."""
    text = outgoing_message(_unsigned(subject_and_why), Redactor(), ours=Ours(closes=closable(issue)))
    last = outgoing_message(closing_line(issue), Redactor(), ours=Ours(closes=closable(issue)))
    return text if last in text.splitlines() else f"{text}\n\n{last}".strip()


def pull_commit_message(subject_and_why: str, otherwise: str) -> str:
    """The message of a commit on a pull request's branch. It has no signatures of tools, and closes nothing."""
    return outgoing_message(_unsigned(subject_and_why), Redactor()) or otherwise


def merge_message(branch: str) -> str:
    return f"Merge what a person has pushed to {branch}"


def taken_in(branch: str, theirs: str, conflict: Sequence[str]) -> str:
    """Note for the record: a person's commits were merged with the case's work."""
    told = f"A person has pushed {theirs[:12]} to {branch}; it was merged with the work of the case."
    if not conflict:
        return told
    return (
        f"{told} They contradict each other in {', '.join(code(file) for file in conflict)}; the developer resolves it."
    )
