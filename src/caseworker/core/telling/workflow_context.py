"""The read model of an issue case under the names of the design document: its states, limits, gates and problems."""

from collections.abc import Sequence
from datetime import datetime

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import split_issue_case
from caseworker.core.base.policy import Policy
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import WAIVERS
from caseworker.core.issue.turns import at_work, role_at_work
from caseworker.core.record.entries import Recorded, Transitioned


class StateChange(BaseModel):
    model_config = ConfigDict(frozen=True)

    from_state: IssueState
    to_state: IssueState
    timestamp: datetime
    reason: str
    iteration: int
    """The move's number within its round, as `iteration_count` was after it."""


class WorkflowContext(BaseModel):
    """Computed from the snapshot and the record, never stored."""

    model_config = ConfigDict(frozen=True)

    issue_number: int
    current_state: IssueState
    previous_states: list[IssueState]
    """Oldest first."""
    state_history_with_timestamps: list[StateChange]
    current_agent: str | None
    """The role at work. Null: code works, or nobody does."""
    iteration_count: int
    """Moves in this round."""
    max_iterations: int
    attempt: int
    """Of write, build and review in this round."""
    max_attempts: int
    confidence_threshold: float
    quality_gates_passed: list[str]
    """Of the newest commit. A waiver says who gave it."""
    blocking_issues: list[str]


def workflow_context(
    case: IssueCase, policy: Policy, record: Sequence[Recorded], *, validated: bool = False
) -> WorkflowContext:
    """`validated`: the newest commit was found to do what was asked for."""
    history = [
        StateChange(
            from_state=one.entry.from_state,
            to_state=one.entry.to_state,
            timestamp=one.at,
            reason=one.entry.reason,
            iteration=one.entry.iteration,
        )
        for one in record
        if isinstance(one.entry, Transitioned)
    ]
    return WorkflowContext(
        issue_number=split_issue_case(case.id)[1],
        current_state=case.state,
        previous_states=[change.from_state for change in history],
        state_history_with_timestamps=history,
        current_agent=role_at_work(case),
        iteration_count=case.progress.transitions - case.limits.round_began,
        max_iterations=policy.transitions,
        attempt=case.limits.attempt,
        max_attempts=policy.attempts,
        confidence_threshold=policy.confidence_threshold,
        quality_gates_passed=_gates(case, validated=validated),
        blocking_issues=_problems(case),
    )


def _gates(case: IssueCase, *, validated: bool) -> list[str]:
    commit = case.delivery.checkpoint
    passed = {
        "red first": case.evidence.red,
        "green": commit is not None and case.evidence.green == commit,
        "reviewed": commit is not None and case.evidence.approved == commit,
        "validated": validated,
    }
    waived = [f"waived by {grant.by}: {grant.what}" for grant in case.people.grants if grant.subject in WAIVERS]
    return [*(gate for gate, is_passed in passed.items() if is_passed), *dict.fromkeys(waived)]


def _problems(case: IssueCase) -> list[str]:
    """Why nobody works on it, unless it reached its goal; then what the next writer has to repair."""
    stopped = not at_work(case) and case.state is not IssueState.COMPLETED
    return [problem for problem in (case.reason if stopped else "", case.evidence.feedback) if problem]
