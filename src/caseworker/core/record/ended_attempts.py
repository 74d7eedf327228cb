"""Keeps the sections of the case file that begin anew with an attempt."""

from caseworker.core.casefile.model import CaseFile
from caseworker.core.casefile.new_attempts import begin_anew
from caseworker.core.issue.case import IssueCase
from caseworker.core.record.entries import AttemptEnded


def ended_attempt(file: CaseFile, case: IssueCase, before: IssueCase) -> AttemptEnded | None:
    """The sections that begin anew with this move, as they were. Null: none does, or they were empty."""
    after = begin_anew(file, case, before)
    emptied = file.model_copy(update={"review": file.review.model_copy(update={"feedback_for_writer": None})})
    same_writer = after.writer.model_copy(update={"attempt": file.writer.attempt}) == file.writer
    if same_writer and (after.build, after.review, after.commit) == (emptied.build, emptied.review, emptied.commit):
        return None
    return AttemptEnded(
        round=before.limits.round,
        attempt=before.limits.attempt,
        writer=file.writer,
        build=file.build,
        review=file.review,
        commit=file.commit,
    )
