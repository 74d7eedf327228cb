"""The state of an investigation under the names of the design document, computed from its turns and the snapshot."""

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import CaseId
from caseworker.core.investigation.iterations import MOST_ITERATIONS, Iteration
from caseworker.core.investigation.matrix import Investigation, Measured, Requested, Revision
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.states import IssueState
from caseworker.core.outcomes.investigation import CauseReviewOutcome, EvidenceBundle, Hypothesis, RootCause

GROUP: Final = "A"
"""The document has groups of tasks in a session. A case is one group."""

InvestigationStatus = Literal[
    "in_progress", "blocked", "exhausted", "root_cause_found", "incomplete", "approved", "given_up"
]
_STUCK: Final[dict[str, InvestigationStatus]] = {"BLOCKED": "blocked", "EXHAUSTED": "exhausted"}
_ENDS: Final[dict[str, InvestigationStatus]] = {
    **_STUCK,
    "ROOT_CAUSE_FOUND": "root_cause_found",
    "INVESTIGATION_INCOMPLETE": "incomplete",
}
_JUDGED: Final[dict[str, InvestigationStatus]] = {
    "APPROVED": "approved",
    "UNBLOCKING_GUIDANCE": "given_up",
    "CHANGES_REQUESTED": "in_progress",
}


class _State(BaseModel):
    model_config = ConfigDict(frozen=True)


class LoggedIteration(_State):
    iteration: int
    turn: int
    status: str
    """The status that counts."""
    said: str
    """The status as it was handed in. Empty: no valid outcome was handed in."""
    summary: str
    needs: str = ""


class DiagnosticResult(_State):
    diagnostic: int
    """The number by which evidence cites it."""
    iteration: int
    hypothesis: str
    status: str
    agrees: str
    commands: tuple[str, ...]
    observed: str
    summary: str


class Given(_State):
    """What the investigation was given to work with."""

    requests: tuple[Requested, ...]
    evidence_bundle: EvidenceBundle | None
    resources: tuple[str, ...]


class InvestigationState(_State):
    session_id: CaseId
    group_id: str = GROUP
    investigation: int
    """Its number in the case."""
    status: InvestigationStatus
    current_iteration: int
    """Completed iterations."""
    max_iterations: int = MOST_ITERATIONS
    problem_summary: str
    suggested_skills: tuple[str, ...]
    given: Given
    hypothesis_matrix: tuple[Hypothesis, ...]
    matrix_revisions: tuple[Revision, ...]
    iterations_log: tuple[LoggedIteration, ...]
    developer_diagnostic_results: tuple[DiagnosticResult, ...]
    tech_lead_feedback: tuple[CauseReviewOutcome, ...]
    root_cause: RootCause | None


def investigation_state(case: IssueCase, investigation: Investigation) -> InvestigationState:
    first = investigation.requests[0].request if investigation.requests else None
    skills = dict.fromkeys(skill for one in investigation.requests for skill in one.request.suggested_skills)
    return InvestigationState(
        session_id=case.id,
        investigation=investigation.number,
        status=_status(case, investigation),
        current_iteration=len(investigation.iterations),
        problem_summary=first.problem_summary if first is not None else "",
        suggested_skills=tuple(skills),
        given=Given(
            requests=investigation.requests, evidence_bundle=investigation.bundle, resources=investigation.resources
        ),
        hypothesis_matrix=investigation.hypotheses,
        matrix_revisions=investigation.revisions,
        iterations_log=tuple(_logged(one) for one in investigation.iterations),
        developer_diagnostic_results=tuple(_result(one) for one in investigation.diagnostics),
        tech_lead_feedback=investigation.reviews,
        root_cause=investigation.root_cause,
    )


def _status(case: IssueCase, investigation: Investigation) -> InvestigationStatus:
    """Only the newest investigation of an open case is in progress. One that was left without an end is incomplete."""
    newest = case.investigation is not None and case.investigation.number == investigation.number
    reached = _reached(investigation, resumed=newest and case.state is IssueState.INVESTIGATING)
    is_open = newest and not case.is_over
    return reached if reached != "in_progress" or is_open else "incomplete"


def _reached(investigation: Investigation, *, resumed: bool) -> InvestigationStatus:
    """`resumed`: somebody investigates now, so what was stuck was given what it lacked."""
    last = investigation.iterations[-1] if investigation.iterations else None
    if last is None:
        return "in_progress"
    judged = investigation.reviews[-1] if investigation.reviewed_after[-1:] == (last.number,) else None
    if judged is not None and judged.status == "CHANGES_REQUESTED" and last.number >= MOST_ITERATIONS:
        return "incomplete"
    if judged is not None and judged.status in _JUDGED:
        return _JUDGED[judged.status]
    measured = investigation.diagnostics[-1] if investigation.diagnostics else None
    if measured is not None and measured.iteration == last.number and measured.outcome.status == "ROOT_CAUSE_FOUND":
        return "root_cause_found"
    if last.status in _STUCK and resumed:
        return "in_progress"
    return _ENDS.get(last.status, "in_progress")


def _logged(one: Iteration) -> LoggedIteration:
    return LoggedIteration(
        iteration=one.number,
        turn=one.turn,
        status=one.status,
        said=one.said,
        summary=one.summary,
        needs=one.outcome.needs if one.outcome is not None else "",
    )


def _result(measured: Measured) -> DiagnosticResult:
    outcome = measured.outcome
    return DiagnosticResult(
        diagnostic=measured.turn,
        iteration=measured.iteration,
        hypothesis=measured.request.hypothesis if measured.request is not None else "",
        status=outcome.status,
        agrees=outcome.agrees,
        commands=tuple(outcome.commands),
        observed=outcome.observed,
        summary=outcome.summary,
    )
