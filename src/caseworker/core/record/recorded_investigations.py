"""The investigations of a case, from its snapshot, its completed turns and its record."""

from collections.abc import Sequence
from typing import Final

from caseworker.core.base.roles import Task
from caseworker.core.investigation.matrix import (
    CompletedTurn,
    InvalidTurn,
    Investigation,
    Revision,
    begins_new,
    investigations,
    request_in,
)
from caseworker.core.issue.case import IssueCase
from caseworker.core.record.entries import Recorded, TurnFailed

FAILED: Final = frozenset({"turn_failed"})
"""The kinds of entries that `investigations_of` needs."""


def investigations_of(
    case: IssueCase, turns: Sequence[CompletedTurn], failed: Sequence[Recorded]
) -> list[Investigation]:
    """All investigations of the case, oldest first. `failed`: its entries of kind `FAILED`."""
    if case.investigation is None:
        return []
    return investigations(turns, _invalid_iterations(turns, failed), case.investigation.began)


def revision_by(
    turned: CompletedTurn, case: IssueCase, before: Sequence[CompletedTurn], failed: Sequence[Recorded]
) -> Revision | None:
    """What a turn that is about to be saved changes in the matrix. Null: nothing. `before`: the completed turns. A
    request is read as if the case follows it."""
    began = case.investigation.began if case.investigation is not None else ()
    request = request_in(turned.outcome)
    if request is not None and begins_new(began, new_problem=request.new_problem):
        began = (*began, turned.turn)
    known = investigations([*before, turned], _invalid_iterations(before, failed), began)
    last = known[-1].revisions[-1] if known and known[-1].revisions else None
    return last if last is not None and last.turn == turned.turn else None


def _invalid_iterations(turns: Sequence[CompletedTurn], failed: Sequence[Recorded]) -> list[InvalidTurn]:
    """The iterations without a valid outcome. Of several attempts at a turn only the last one counts."""
    completed = {turned.turn for turned in turns}
    last = {one.entry.turn: one.entry for one in failed if isinstance(one.entry, TurnFailed)}
    return [
        InvalidTurn(turn=turn, reason=entry.reason)
        for turn, entry in last.items()
        if entry.invalid and entry.task is Task.ITERATE and turn not in completed
    ]
