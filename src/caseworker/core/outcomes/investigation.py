"""The outcomes of an investigation's turns: the hypothesis matrix, diagnostics, the root cause and its review.

The models' docstrings and descriptions are shown to the agent with every call, so they are kept short.
"""

from enum import StrEnum
from typing import Annotated, Final, Literal, get_args

from pydantic import Field, WithJsonSchema, model_validator

from caseworker.core.outcomes.answers import Answer, Line, Prose, WorkOutcome

NEEDED_EVIDENCE: Final = 3
"""How many pieces of evidence a root cause needs."""

InvestigationStatus = Literal[
    "ROOT_CAUSE_FOUND",
    "NEED_DEVELOPER_DIAGNOSTIC",
    "HYPOTHESIS_ELIMINATED",
    "NEED_MORE_ANALYSIS",
    "BLOCKED",
    "EXHAUSTED",
    "INVESTIGATION_INCOMPLETE",
]
INVESTIGATION_STATUSES: Final[tuple[InvestigationStatus, ...]] = get_args(InvestigationStatus)


class Criterion(StrEnum):
    """Why reading alone will not find it. Two of these make an investigation."""

    CAUSE_UNCLEAR = "cause_unclear"
    NEEDS_HYPOTHESES = "needs_hypotheses"
    NEEDS_DIAGNOSTIC_CODE = "needs_diagnostic_code"
    SEVERAL_VARIABLES = "several_variables"
    DIFFERS_BY_ENVIRONMENT = "differs_by_environment"
    INTERMITTENT = "intermittent"
    SLOW_WITHOUT_HOTSPOT = "slow_without_hotspot"
    MANY_BLIND_ATTEMPTS = "many_blind_attempts"
    OVER_30_MINUTES = "over_30_minutes"
    BLOCKS_SEVERAL_PEOPLE = "blocks_several_people"
    IN_PRODUCTION = "in_production"


Skill = Literal["bisect", "profile", "stress", "trace"]


class Hypothesis(Answer):
    id: Annotated[str, Field(pattern=r"^H[1-9][0-9]?$")] = Field(description="H1, H2...; an id is never reused.")
    hypothesis: Line
    likelihood: Literal["High", "Medium", "Low"] = "Medium"
    percent: int = Field(default=50, ge=0, le=100)
    evidence_for: list[Line] = Field(default_factory=list, max_length=20)
    evidence_against: list[Line] = Field(default_factory=list, max_length=20)
    next_test: Line = ""
    effort: Annotated[str, Field(max_length=60)] = ""
    status: Literal["pending", "testing", "confirmed", "eliminated"] = "pending"


Matrix = Annotated[list[Hypothesis], Field(max_length=20)]


def _duplicate_id(matrix: list[Hypothesis]) -> str | None:
    seen: set[str] = set()
    for one in matrix:
        if one.id in seen:
            return one.id
        seen.add(one.id)
    return None


class InvestigationRequest(Answer):
    """What an investigation has to find out, and why one is needed."""

    problem_summary: Line
    criteria: list[Criterion] = Field(default_factory=list, max_length=11, description="Those that hold.")
    hypothesis_matrix: Matrix = Field(default_factory=list)
    suggested_skills: list[Skill] = Field(default_factory=list, max_length=4)
    new_problem: bool = Field(default=False, description="Another problem than the one investigated before.")

    @model_validator(mode="after")
    def _check_unique_ids(self) -> "InvestigationRequest":
        if twice := _duplicate_id(self.hypothesis_matrix):
            raise ValueError(f"{twice} is in the matrix twice")
        return self


_IN_BRIEF: Final = {
    "type": "object",
    "properties": {
        "problem_summary": {"type": "string"},
        "hypothesis_matrix": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"id": {"type": "string", "description": "H1, H2..."}, "hypothesis": {"type": "string"}},
                "required": ["id", "hypothesis"],
            },
        },
        "suggested_skills": {"type": "array", "items": {"type": "string", "enum": list(get_args(Skill))}},
        "new_problem": {"type": "boolean"},
    },
    "required": ["problem_summary"],
}
BriefRequest = Annotated[InvestigationRequest, WithJsonSchema(_IN_BRIEF)]
"""A request as developers are shown it: the whole one would be a fifth of what goes with each of their model calls."""


def check_requested(status: str, request: InvestigationRequest | None) -> None:
    if request is None or not request.problem_summary.strip():
        raise ValueError(f"{status} needs an `investigation` with a problem_summary")


class EvidenceBundle(Answer):
    """What a blocked developer hands in."""

    error: Prose = Field(min_length=1, description="The exact error.")
    reproduction: Prose = Field(min_length=1, description="The smallest one: commands to type.")
    expected: Line = Field(min_length=1)
    actual: Line = Field(min_length=1)
    environment: Line = Field(min_length=1)
    attempts: list[Line] = Field(min_length=1, max_length=20, description="What was tried, and what came of it.")


class Evidence(Answer):
    """It is checked: only commands that were run and lines that exist count."""

    kind: Literal["command", "file", "run"]
    source: Annotated[str, Field(min_length=1, max_length=1_000)] = Field(
        description="command: as you ran it; file: path:line; run: `diagnostic 4`, `build 2`, `bisect 1`, `stress 1`."
    )
    shows: Line = Field(min_length=1)


class RootCause(Answer):
    hypothesis: Annotated[str, Field(pattern=r"^H[1-9][0-9]?$")]
    cause: Line = Field(min_length=1, description="What is wrong, at which file and line, and why it shows as it does.")
    evidence: list[Evidence] = Field(max_length=20, description="Three or more.")
    fix: Line = Field(min_length=1)
    validation: Line = Field(min_length=1, description="The command that shows the fix works, and its result.")


def _with_enough_evidence(cause: RootCause | None) -> RootCause:
    if cause is None:
        raise ValueError("ROOT_CAUSE_FOUND needs `root_cause`")
    if len({(piece.kind, piece.source) for piece in cause.evidence}) < NEEDED_EVIDENCE:
        raise ValueError(f"ROOT_CAUSE_FOUND needs {NEEDED_EVIDENCE} different pieces of evidence")
    return cause


class Diagnostic(Answer):
    """What a developer is to measure. Nothing is repaired."""

    hypothesis: Annotated[str, Field(pattern=r"^H[1-9][0-9]?$")]
    file: Annotated[str, Field(min_length=1, max_length=400)]
    place: Line = Field(min_length=1, description="Function or lines.")
    instrumentation: Line = Field(min_length=1)
    scenario: Line = Field(min_length=1, description="The command to run with it.")
    collect: Line = Field(min_length=1)
    if_true: Line = Field(min_length=1)
    if_false: Line = Field(min_length=1)


class InvestigationOutcome(WorkOutcome):
    kind: Literal["investigation"] = "investigation"
    status: Annotated[str, Field(min_length=1, max_length=60)] = Field(
        description="One of: " + ", ".join(INVESTIGATION_STATUSES[:-1])
    )
    hypothesis_matrix: Matrix = Field(description="All of them, also the eliminated ones.")
    summary: Line = Field(description="What this iteration found.")
    root_cause: RootCause | None = Field(default=None, description="With ROOT_CAUSE_FOUND.")
    diagnostic: Diagnostic | None = Field(default=None, description="With NEED_DEVELOPER_DIAGNOSTIC.")
    needs: Line = Field(default="", description="With BLOCKED or EXHAUSTED: what would help.")

    @model_validator(mode="after")
    def _check_fields_of_status(self) -> "InvestigationOutcome":
        if twice := _duplicate_id(self.hypothesis_matrix):
            raise ValueError(f"{twice} is in the matrix twice")
        status = self.status if self.status in INVESTIGATION_STATUSES else ""
        if status == "NEED_DEVELOPER_DIAGNOSTIC":
            self._check_diagnostic()
        if status in ("BLOCKED", "EXHAUSTED") and not self.needs.strip():
            raise ValueError(f"{status} needs `needs`: what would help")
        if status == "EXHAUSTED" and (still := self._open_ids()):
            raise ValueError(f"EXHAUSTED, but {still[0]} is not eliminated")
        if status == "ROOT_CAUSE_FOUND":
            self._check_root_cause()
        return self

    def _open_ids(self) -> list[str]:
        return [one.id for one in self.hypothesis_matrix if one.status != "eliminated"]

    def _check_diagnostic(self) -> None:
        if self.diagnostic is None:
            raise ValueError("NEED_DEVELOPER_DIAGNOSTIC needs `diagnostic`")
        if self.diagnostic.hypothesis not in self._open_ids():
            raise ValueError(f"the diagnostic tests {self.diagnostic.hypothesis}, which is not open in the matrix")

    def _check_root_cause(self) -> None:
        cause = _with_enough_evidence(self.root_cause)
        confirmed = [one.id for one in self.hypothesis_matrix if one.status == "confirmed"]
        if confirmed != [cause.hypothesis]:
            raise ValueError(f"the root cause is {cause.hypothesis}, but the matrix confirms {confirmed or 'none'}")
        others = [one for one in self._open_ids() if one != cause.hypothesis]
        if others:
            raise ValueError(f"ROOT_CAUSE_FOUND, but {others[0]} is not eliminated")


class DiagnosticOutcome(WorkOutcome):
    kind: Literal["diagnostic"] = "diagnostic"
    status: Literal["DIAGNOSTIC_DONE", "ROOT_CAUSE_FOUND", "BLOCKED"]
    commands: list[Line] = Field(max_length=20, description="What you ran, as you ran it.")
    observed: Prose = Field(description="The data that was asked for, as it came out.")
    agrees: Literal["if_true", "if_false", "neither"]
    summary: Line
    root_cause: RootCause | None = Field(default=None, description="With ROOT_CAUSE_FOUND.")

    @model_validator(mode="after")
    def _check_fields_of_status(self) -> "DiagnosticOutcome":
        if self.status != "BLOCKED" and not self.commands:
            raise ValueError(f"{self.status} needs the commands that were run")
        if self.status == "ROOT_CAUSE_FOUND":
            _with_enough_evidence(self.root_cause)
        return self


class DeveloperDiagnosticOutcome(DiagnosticOutcome):
    """Only a senior developer names a cause."""

    status: Literal["DIAGNOSTIC_DONE", "BLOCKED"]


class CauseReviewOutcome(WorkOutcome):
    """Review of what an investigation found. It approves a cause, never a commit."""

    kind: Literal["cause_review"] = "cause_review"
    status: Literal["APPROVED", "CHANGES_REQUESTED", "UNBLOCKING_GUIDANCE", "NEEDS_INFO"]
    hypothesis: Annotated[str, Field(pattern=r"^(H[1-9][0-9]?)?$")] = Field(
        default="", description="With APPROVED: the one to act on."
    )
    feedback: Prose = Field(description="Why; what is missing; the guidance; or the question to a person.")

    @model_validator(mode="after")
    def _check_hypothesis_or_feedback(self) -> "CauseReviewOutcome":
        if self.status == "APPROVED" and not self.hypothesis:
            raise ValueError("APPROVED needs the hypothesis to act on")
        if self.status != "APPROVED" and not self.feedback.strip():
            raise ValueError(f"{self.status} needs feedback")
        return self


class UnblockingOutcome(WorkOutcome):
    """The pm's answer to a stuck investigation."""

    kind: Literal["unblocking"] = "unblocking"
    status: Literal["CONTINUE", "PROCEED", "EXTERNAL_DEPENDENCY", "NEEDS_CLARIFICATION"]
    resources: Prose = Field(default="", description="With CONTINUE: what the investigator can use now.")
    questions: list[Line] = Field(default_factory=list, max_length=5, description="With NEEDS_CLARIFICATION.")
    reason: Line

    @model_validator(mode="after")
    def _check_resources_or_questions(self) -> "UnblockingOutcome":
        if self.status == "CONTINUE" and not self.resources.strip():
            raise ValueError("CONTINUE needs resources: without any it would find no more than before")
        if self.status == "NEEDS_CLARIFICATION" and not any(question.strip() for question in self.questions):
            raise ValueError("NEEDS_CLARIFICATION needs questions")
        return self
