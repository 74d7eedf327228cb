"""The record entry of a move of an issue case."""

from caseworker.core.issue.case import IssueCase
from caseworker.core.record.entries import Noted, Transitioned


def entry_of_move(before: IssueCase, after: IssueCase, note: str) -> Transitioned | Noted:
    """The entry of a move, or a note if the case changed without leaving its state."""
    if after.state is before.state and after.epoch == before.epoch:
        return Noted(text=note or after.reason)
    number = after.progress.transitions
    return Transitioned(
        number=number,
        from_state=before.state,
        to_state=after.state,
        reason=after.reason,
        iteration=number - after.limits.round_began,
    )
