"""The outcome of a turn in which a developer or senior developer writes code."""

from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, model_validator

from caseworker.core.outcomes.answers import HANDED_IN, Answer, Line, WorkOutcome
from caseworker.core.outcomes.investigation import BriefRequest, EvidenceBundle, check_requested


class Change(Answer):
    file: Annotated[str, Field(max_length=400)]
    description: Line


class ImplementationOutcome(WorkOutcome):
    kind: Literal["implementation"] = "implementation"
    status: Literal[
        "READY_FOR_QA",
        "READY_FOR_REVIEW",
        "PARTIAL",
        "BLOCKED",
        "ESCALATE_SENIOR",
        "NEEDS_TECH_LEAD_VALIDATION",
        "SPAWN_INVESTIGATOR",
        "REQUIREMENT_GAP",
    ]
    changes: list[Change] = Field(max_length=100)
    summary: Line = Field(description="What was wrong and what changed, for the pull request.")
    commit_message: Annotated[str, Field(min_length=1, max_length=4_000)] = Field(
        description="Subject of at most 72 characters, then why."
    )
    answers: list[Line] = Field(
        default_factory=list, max_length=50, description="One for each numbered remark of people, in order."
    )
    evidence: EvidenceBundle | None = Field(default=None, description="With BLOCKED; with SPAWN_INVESTIGATOR if any.")
    investigation: BriefRequest | None = Field(default=None, description="With SPAWN_INVESTIGATOR or BLOCKED.")

    @model_validator(mode="after")
    def _check_blocked_has_evidence(self, info: ValidationInfo) -> "ImplementationOutcome":
        if info.context == HANDED_IN and self.status == "BLOCKED" and self.evidence is None:
            raise ValueError("BLOCKED needs `evidence`: the error, how to reproduce it, what was tried")
        if info.context == HANDED_IN and self.status in ("BLOCKED", "SPAWN_INVESTIGATOR"):
            check_requested(self.status, self.investigation)
        return self
