"""The outcomes of the pm's turns: triage, plan, questions to people, and interpretation of messages."""

from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import Field, ValidationInfo, model_validator

from caseworker.core.outcomes.analyst import PlainAnalysis
from caseworker.core.outcomes.answers import HANDED_IN, Answer, Line, Prose, WorkOutcome
from caseworker.core.outcomes.investigation import InvestigationRequest, check_requested


class IssueType(StrEnum):
    BUG_FIX = "BUG_FIX"
    NEW_FEATURE = "NEW_FEATURE"
    REFACTOR_STYLE = "REFACTOR_STYLE"


class Topic(StrEnum):
    """Sensitive topics: work on them always needs a person's approval first."""

    AUTHENTICATION = "authentication"
    CRYPTOGRAPHY = "cryptography"
    PERMISSIONS = "permissions"
    PUBLIC_API = "public_api"
    DATABASE_SCHEMA = "database_schema"
    INFRASTRUCTURE = "infrastructure"


SECURITY: Final = frozenset({Topic.AUTHENTICATION, Topic.CRYPTOGRAPHY, Topic.PERMISSIONS})


class DefectPlace(Answer):
    """The defect, where it is in the code."""

    path: Annotated[str, Field(min_length=1, max_length=400)]
    line: int = Field(ge=1)
    problem: Line = Field(min_length=1, description="What is wrong there.")
    expected: Line = Field(min_length=1, description="What it has to do instead.")


class TriageOutcome(WorkOutcome):
    kind: Literal["triage"] = "triage"
    status: Literal["PROCEED", "REJECT", "NEEDS_APPROVAL"]
    type: IssueType
    scope: Literal["SMALL", "MEDIUM", "LARGE"] = Field(description="1-2 files, 3-5 files, 6 or more.")
    complexity: Literal["simple", "moderate", "complex"]
    reason: Line = Field(description="Why, in words the author of the issue can use.")
    topics: list[Topic] = Field(default_factory=list, max_length=6, description="What of these it would change.")
    defect: DefectPlace | None = Field(default=None, description="Of a bug, if you saw the line.")
    analysis: PlainAnalysis | None = Field(default=None, description="Of a plain small issue.")

    @model_validator(mode="after")
    def _check_says_what_to_do(self, info: ValidationInfo) -> "TriageOutcome":
        if info.context != HANDED_IN or self.analysis is None or self.defect is not None:
            return self
        if not (self.analysis.files and self.analysis.must_do and self.analysis.test_description):
            raise ValueError("an `analysis` without a `defect` needs `files`, `must_do` and `test_description`")
        return self

    @property
    def brings_analysis(self) -> bool:
        """Whether it is a plain small issue that needs no turn of the analyst, and nobody has to agree first. Of a bug
        the defect has to be known; of other work, what is to be done."""
        plain = self.scope == "SMALL" and self.complexity == "simple"
        asked = self.defect is not None or (self.analysis is not None and bool(self.analysis.must_do))
        known = self.defect if self.type is IssueType.BUG_FIX else self.analysis
        return plain and self.status == "PROCEED" and not self.topics and known is not None and asked


class PlanOutcome(WorkOutcome):
    kind: Literal["plan"] = "plan"
    status: Literal[
        "PLANNING_COMPLETE", "NEEDS_CLARIFICATION", "REQUIREMENT_GAP", "INVESTIGATION_NEEDED", "EXTERNAL_DEPENDENCY"
    ]
    plan: Prose = Field(description="Markdown: steps, files, tests, risks.")
    reason: Line = Field(default="", description="What keeps you from planning.")
    investigation: InvestigationRequest | None = Field(default=None, description="With INVESTIGATION_NEEDED.")

    @model_validator(mode="after")
    def _check_investigation(self, info: ValidationInfo) -> "PlanOutcome":
        if info.context == HANDED_IN and self.status == "INVESTIGATION_NEEDED":
            check_requested(self.status, self.investigation)
        return self


class QuestionsOutcome(WorkOutcome):
    kind: Literal["questions"] = "questions"
    status: Literal["NEEDS_CLARIFICATION", "CONTINUE", "EXTERNAL_DEPENDENCY"]
    questions: list[Line] = Field(default_factory=list, max_length=5, description="One sentence each, not numbered.")
    reason: Line = Field(description="What is unclear; where the answer is; or what it waits for.")

    @model_validator(mode="after")
    def _check_has_questions(self) -> "QuestionsOutcome":
        if self.status == "NEEDS_CLARIFICATION" and not any(question.strip() for question in self.questions):
            raise ValueError("NEEDS_CLARIFICATION needs questions")
        return self


NextState = Literal[
    "analyzing_requirements",
    "planning_approach",
    "creating_tests",
    "implementing",
    "fixing_issues",
    "refactoring",
    "addressing_feedback",
    "reviewing_code",
    "investigating",
]


class InterpretOutcome(WorkOutcome):
    kind: Literal["interpret"] = "interpret"
    status: Literal[
        "CONTINUE", "NEEDS_CLARIFICATION", "NO_ACTION", "REJECT", "EXTERNAL_DEPENDENCY", "INVESTIGATION_NEEDED"
    ]
    next: NextState | None = Field(default=None, description="With CONTINUE: where to; without it, where it was left.")
    questions: list[Line] = Field(default_factory=list, max_length=5, description="With NEEDS_CLARIFICATION.")
    reply: Line = Field(description="To those who spoke: what you understood and what happens now.")
    investigation: InvestigationRequest | None = Field(default=None, description="With INVESTIGATION_NEEDED.")

    @model_validator(mode="after")
    def _check_has_questions(self) -> "InterpretOutcome":
        if self.status == "NEEDS_CLARIFICATION" and not any(question.strip() for question in self.questions):
            raise ValueError("NEEDS_CLARIFICATION needs questions")
        return self

    @model_validator(mode="after")
    def _check_investigation(self, info: ValidationInfo) -> "InterpretOutcome":
        if info.context == HANDED_IN and self.status == "INVESTIGATION_NEEDED":
            check_requested(self.status, self.investigation)
        return self
