"""A run: one execution of a named workflow on a case, with its artifact and cost."""

from datetime import datetime
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import CaseId, RunId
from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.people.registry import REGISTRY


class RunState(StrEnum):
    QUEUED = "queued"
    """Nobody has begun to work on it."""
    RUNNING = "running"
    """In flight, also while it waits for a person."""
    SUCCEEDED = "succeeded"
    """It reached its aim: the milestone is reached, the pull request is open, or a person has merged it."""
    FAILED = "failed"
    """It reached a limit, or could not go on."""
    INCOMPLETE = "incomplete"
    """It was stopped early: the case was closed, or a run that goes further replaced it."""


ENDED: Final = frozenset({RunState.SUCCEEDED, RunState.FAILED, RunState.INCOMPLETE})


class Run(BaseModel):
    """A run as it is read. Its figures are not stored, but computed from turns and ledger.

    Its turns are those from its beginning to the beginning of the case's next run. So every turn of a case belongs to
    one run, also a turn that only interprets messages after the run has ended.
    """

    model_config = ConfigDict(frozen=True)

    id: RunId
    workflow: WorkflowName
    case: CaseId
    state: RunState
    turns_before: int
    """Turns of the case that belong to earlier runs."""
    turns: int
    """Completed turns."""
    cost_micros: int
    """Settled costs, plus the reservations of calls in flight."""
    wall_clock_ms: int
    """From its beginning to its end, or to now for a run in flight."""
    began_at: datetime
    ended_at: datetime | None

    @property
    def artifact(self) -> str | None:
        """The name of its Markdown file."""
        row = REGISTRY.get(self.workflow)
        return row.artifact if row is not None else None
