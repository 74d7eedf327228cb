"""The log of an investigation: its iterations, and the status that counts for each of them."""

from typing import Final, TypeGuard

from pydantic import BaseModel, ConfigDict

from caseworker.core.outcomes.investigation import INVESTIGATION_STATUSES, InvestigationOutcome, InvestigationStatus

MOST_ITERATIONS: Final = 5
"""Limit per investigation. Nothing resets it."""
MOST_UNKNOWN: Final = 2
"""Iterations that may end with an unknown status. They count as NEED_MORE_ANALYSIS."""


class Iteration(BaseModel):
    """One counted iteration, with or without a valid outcome."""

    model_config = ConfigDict(frozen=True)
    number: int
    turn: int
    status: str
    """The status that counts."""
    said: str = ""
    """The status as it was handed in. Empty: no valid outcome was handed in."""
    summary: str
    outcome: InvestigationOutcome | None = None
    """Null: no valid outcome was handed in, and `summary` says what was wrong with it."""


def is_known(status: str) -> TypeGuard[InvestigationStatus]:
    return status in INVESTIGATION_STATUSES


def counted_status(outcome: InvestigationOutcome | None, *, number: int, unknown: int) -> InvestigationStatus:
    """The status that counts for the iteration with this number. `unknown`: iterations with an unknown status so far,
    this one included. Without a valid outcome (null) it counts as one that found nothing."""
    said = outcome.status if outcome is not None else "NEED_MORE_ANALYSIS"
    status: InvestigationStatus = "NEED_MORE_ANALYSIS" if unknown <= MOST_UNKNOWN else "BLOCKED"
    if is_known(said):
        status = said
    if status != "ROOT_CAUSE_FOUND" and number >= MOST_ITERATIONS:
        return "INVESTIGATION_INCOMPLETE"
    has_matrix = outcome is None or bool(outcome.hypothesis_matrix)
    return status if has_matrix or status == "INVESTIGATION_INCOMPLETE" else "BLOCKED"


def next_iteration(log: tuple[Iteration, ...], turn: int, outcome: InvestigationOutcome | str) -> Iteration:
    """The iteration after those of the log. `outcome`: a text says why there is no valid one."""
    valid = outcome if isinstance(outcome, InvestigationOutcome) else None
    said = [*(one.said for one in log), valid.status if valid is not None else ""]
    unknown = sum(bool(status) and not is_known(status) for status in said)
    number = len(log) + 1
    return Iteration(
        number=number,
        turn=turn,
        status=counted_status(valid, number=number, unknown=unknown),
        said=said[-1],
        summary=outcome.summary if isinstance(outcome, InvestigationOutcome) else outcome,
        outcome=valid,
    )
