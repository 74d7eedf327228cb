"""Finds the turns in which a developer changed the code. Pure functions on rows."""

from collections.abc import Sequence
from dataclasses import dataclass

from caseworker.core.base.ids import Sha
from caseworker.core.outcomes.developer import ImplementationOutcome
from caseworker.ports import FinishedTurn


@dataclass(frozen=True, kw_only=True)
class DeveloperChange:
    """A developer's finished change."""

    turn: int
    outcome: ImplementationOutcome
    checkpoint: Sha


def developer_changes(turns: Sequence[FinishedTurn]) -> list[DeveloperChange]:
    """Oldest first. A turn that first asks another role has not finished its change."""
    return [
        DeveloperChange(turn=turn.turn, outcome=turn.outcome, checkpoint=turn.checkpoint)
        for turn in turns
        if isinstance(turn.outcome, ImplementationOutcome) and not turn.outcome.ask
    ]
