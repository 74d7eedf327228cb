"""The outcome of the investigator's turn in a bug case."""

import re
from enum import StrEnum
from typing import Annotated, Final, Literal, get_args

from pydantic import Field, model_validator

from caseworker.core.base.policy import Severity
from caseworker.core.outcomes.answers import Answer, Line, OutcomeBase, Prose


class BugAction(StrEnum):
    ASK_REPORTER = "ask_reporter"
    POST_FINDINGS = "post_findings"
    ESCALATE = "escalate"
    RESOLVED = "resolved"
    CREATE_FIX = "create_fix"


EscalationReason = Literal["complex", "security", "infrastructure", "urgent"]


class Proof(Answer):
    """Something that was run or read, and what it showed."""

    source: Annotated[str, Field(max_length=1_000)] = Field(description="The command, or path:line.")
    shows: Line


class Culprit(Answer):
    hash: Annotated[str, Field(max_length=64)]
    author: Annotated[str, Field(max_length=200)] = ""
    date: Annotated[str, Field(max_length=40)] = ""
    message: Line = ""


_INTERNAL_DETAIL: Final = re.compile(
    r"`[^`]*`|\b[\w./-]{1,200}\.(?:py|js|jsx|ts|tsx|go|rs|java|kt|rb|php|cs|cpp|sql|ya?ml|toml)\b(?::\d+)?"
    r"|\b[A-Z]\w{0,200}(?:Error|Exception)\b|Traceback"
)
"""Code spans, source files, names of exceptions: internal details that a reporter can't use."""


class BugOutcome(OutcomeBase):
    kind: Literal["bug"] = "bug"
    action: BugAction
    summary: Prose = Field(description="For developers, in full: what was found and how.")
    for_reporter: Line = Field(default="", description="The same for the reporter: no file, no code, no names.")
    clarification_questions: list[Line] = Field(
        default_factory=list, max_length=3, description="With ask_reporter: what only the reporter knows."
    )
    escalate_because: EscalationReason | None = Field(default=None, description="With escalate: why people are called.")
    root_cause: Line = ""
    fix_type: Literal["code_fix", "data_fix", "config_fix", "not_a_bug", "needs_human", "unknown"] = "unknown"
    confidence: float = Field(ge=0, le=1)
    severity: Severity | None = Field(default=None, description="Only if the first reading was wrong.")
    relevant_services: list[Annotated[str, Field(max_length=100)]] = Field(default_factory=list, max_length=20)
    recommended_actions: list[Line] = Field(default_factory=list, max_length=10)
    evidence: list[Proof] = Field(default_factory=list, max_length=20)
    culprit_commit: Culprit | None = None

    @property
    def status(self) -> str:
        return self.action.value

    @model_validator(mode="after")
    def _check_fields_of_action(self) -> "BugOutcome":
        if self.action is BugAction.ASK_REPORTER:
            if not any(question.strip() for question in self.clarification_questions):
                raise ValueError("ask_reporter needs clarification_questions")
        elif not self.for_reporter.strip():
            raise ValueError(f"{self.action} needs for_reporter: the reporter is told, too")
        if self.action is BugAction.ESCALATE and self.escalate_because is None:
            raise ValueError(f"escalate needs escalate_because: {', '.join(get_args(EscalationReason))}")
        for text in (self.for_reporter, *self.clarification_questions):
            if inside := _INTERNAL_DETAIL.search(text):
                raise ValueError(f"the reporter is shown no internals, and this is one: {inside[0]}")
        if self.action in (BugAction.POST_FINDINGS, BugAction.CREATE_FIX) and not self.evidence:
            raise ValueError(f"{self.action} needs evidence: what was run or read, and what it showed")
        return self
