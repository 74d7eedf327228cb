"""The outcome of the tech lead's review."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from pydantic import Field, ValidationInfo, model_validator

from caseworker.core.outcomes.answers import HANDED_IN, Answer, Line, Prose, WorkOutcome
from caseworker.core.outcomes.investigation import InvestigationRequest, check_requested

_NEEDED_CRITERIA: Final = 2


class Finding(Answer):
    file: Annotated[str, Field(max_length=400)]
    line: int = Field(ge=0)
    issue: Line
    severity: Literal["critical", "major", "minor"]


class NamedWeakening(Answer):
    number: int = Field(ge=1)
    reason: Line


class ReviewOutcome(WorkOutcome):
    kind: Literal["review"] = "review"
    status: Literal[
        "APPROVED",
        "APPROVED_WITH_NOTES",
        "CHANGES_REQUESTED",
        "REFACTOR",
        "TESTS_NEED_WORK",
        "REQUIREMENT_GAP",
        "NEEDS_INFO",
        "SPAWN_INVESTIGATOR",
        "ESCALATE",
        "UNBLOCKING_GUIDANCE",
        "ARCHITECTURE_REVIEW",
        "INTEGRATION_REVIEW",
    ]
    good: list[Line] = Field(default_factory=list, max_length=20)
    issues: list[Finding] = Field(default_factory=list, max_length=50)
    feedback_for_writer: Prose | None = None
    learnings_used: list[int] = Field(
        default_factory=list, max_length=50, description="Numbers of the owners' rules that this review relied on."
    )
    weakened: list[NamedWeakening] = Field(
        default_factory=list,
        max_length=60,
        description="Each numbered weakening of tests or of what decides, with the reason why it may stay.",
    )
    investigation: InvestigationRequest | None = Field(
        default=None, description="With SPAWN_INVESTIGATOR or ESCALATE: at least two criteria."
    )

    @property
    def approves(self) -> bool:
        return self.status in ("APPROVED", "APPROVED_WITH_NOTES")

    @model_validator(mode="after")
    def _check_findings_and_feedback(self) -> "ReviewOutcome":
        worst = [finding for finding in self.issues if finding.severity != "minor"]
        if self.approves and worst:
            raise ValueError(f"{self.status} with a {worst[0].severity} finding: only minor findings may pass")
        if not self.approves and not self.feedback_for_writer:
            raise ValueError(f"{self.status} needs feedback_for_writer")
        return self

    @model_validator(mode="after")
    def _check_investigation_criteria(self, info: ValidationInfo) -> "ReviewOutcome":
        if info.context == HANDED_IN and self.status in ("SPAWN_INVESTIGATOR", "ESCALATE"):
            criteria = self.investigation.criteria if self.investigation is not None else []
            if len(set(criteria)) < _NEEDED_CRITERIA:
                raise ValueError(f"{self.status} needs an `investigation` with at least two criteria that hold")
            check_requested(self.status, self.investigation)
        return self


def named_weakenings(found: Sequence[str], review: ReviewOutcome) -> tuple[str, ...]:
    """Those of the weakenings, numbered from 1, that the review names with a reason."""
    named = {one.number for one in review.weakened if one.reason.strip()}
    return tuple(one for number, one in enumerate(found, start=1) if number in named)
