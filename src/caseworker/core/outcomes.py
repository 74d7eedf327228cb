"""The structured answer of each kind of turn: a closed union, one model per role and task.

A model's docstrings and descriptions are what the agent is shown, with every call: they are kept short.
"""

import re
from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from caseworker.core.states import Role

Line = Annotated[str, Field(max_length=2_000)]
Prose = Annotated[str, Field(max_length=16_000)]


class Task(StrEnum):
    TRIAGE = "triage"
    ANALYZE = "analyze"
    CREATE_TESTS = "create_tests"
    IMPLEMENT = "implement"
    FIX = "fix"
    REVIEW = "review"
    BUG = "bug"


class Severity(StrEnum):
    P0 = "P0"
    P1 = "P1"
    P2 = "P2"
    P3 = "P3"


class BugAction(StrEnum):
    ASK_REPORTER = "ask_reporter"
    POST_FINDINGS = "post_findings"
    ESCALATE = "escalate"
    RESOLVED = "resolved"
    CREATE_FIX = "create_fix"


class IssueType(StrEnum):
    BUG_FIX = "BUG_FIX"
    NEW_FEATURE = "NEW_FEATURE"
    REFACTOR_STYLE = "REFACTOR_STYLE"


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Observation(_Answer):
    type: Annotated[str, Field(max_length=60)]
    content: Line


class _Outcome(_Answer):
    observations: list[Observation] = Field(
        default_factory=list, max_length=20, description="What later cases in this repository should know."
    )


class TriageOutcome(_Outcome):
    kind: Literal["triage"] = "triage"
    status: Literal["PROCEED", "REJECT", "NEEDS_APPROVAL"]
    type: IssueType
    scope: Literal["SMALL", "MEDIUM", "LARGE"] = Field(description="1-2 files, 3-5 files, 6 or more.")
    complexity: Literal["simple", "moderate", "complex"]
    reason: Line = Field(description="Why, in words the author of the issue can use.")


class FileNote(_Answer):
    path: Annotated[str, Field(max_length=400)]
    purpose: Line
    action: Literal["create", "modify", "delete", "read"]


class TestRequirement(_Answer):
    __test__ = False  # a model, not a test class, whatever its name begins with

    required: bool
    type: Literal["regression", "feature", "existing"]
    location: Annotated[str, Field(max_length=400)] = ""
    description: Line = ""


class AnalysisOutcome(_Outcome):
    kind: Literal["analysis"] = "analysis"
    status: Literal["READY", "UNCLEAR", "BLOCKED"]
    confidence: float = Field(ge=0, le=1, description="That the requirements are understood.")
    root_cause: Line = Field(default="", description="For a bug: what is wrong, at which file and line.")
    files: list[FileNote] = Field(max_length=50)
    patterns: list[Line] = Field(default_factory=list, max_length=30)
    test_requirement: TestRequirement
    must_do: list[Line] = Field(max_length=30)
    must_not_do: list[Line] = Field(default_factory=list, max_length=30)
    questions: list[Line] = Field(default_factory=list, max_length=10)
    brief: Prose = Field(description="Markdown brief for tester and developer.")


class TestsOutcome(_Outcome):
    __test__ = False

    kind: Literal["tests"] = "tests"
    status: Literal["TESTS_READY", "TESTS_NEED_WORK", "REQUIREMENT_GAP"]
    test_file: Annotated[str, Field(max_length=400)]
    test_command: Annotated[str, Field(max_length=1_000)] = Field(
        default="", description="Shell command that runs the new test alone, from the workspace's root."
    )
    summary: Line


class Change(_Answer):
    file: Annotated[str, Field(max_length=400)]
    description: Line


class ImplementationOutcome(_Outcome):
    kind: Literal["implementation"] = "implementation"
    status: Literal["READY_FOR_QA", "PARTIAL", "BLOCKED"]
    changes: list[Change] = Field(max_length=100)
    summary: Line = Field(description="What was wrong and what changed, for the pull request.")
    commit_message: Annotated[str, Field(min_length=1, max_length=4_000)] = Field(
        description="Subject of at most 72 characters, then why."
    )


class Finding(_Answer):
    file: Annotated[str, Field(max_length=400)]
    line: int = Field(ge=0)
    issue: Line
    severity: Literal["critical", "major", "minor"]


class ReviewOutcome(_Outcome):
    kind: Literal["review"] = "review"
    status: Literal["APPROVED", "CHANGES_REQUESTED", "NEEDS_INFO"]
    good: list[Line] = Field(default_factory=list, max_length=20)
    issues: list[Finding] = Field(default_factory=list, max_length=50)
    feedback_for_writer: Prose | None = None

    @model_validator(mode="after")
    def _only_minor_findings_may_pass(self) -> "ReviewOutcome":
        worst = [finding for finding in self.issues if finding.severity != "minor"]
        if self.status == "APPROVED" and worst:
            raise ValueError(f"APPROVED with a {worst[0].severity} finding: only minor findings may pass")
        if self.status == "CHANGES_REQUESTED" and not self.feedback_for_writer:
            raise ValueError("CHANGES_REQUESTED needs feedback_for_writer")
        return self


class Proof(_Answer):
    """Something that was run or read, and what it showed."""

    source: Annotated[str, Field(max_length=1_000)] = Field(description="The command, or path:line.")
    shows: Line


class Culprit(_Answer):
    hash: Annotated[str, Field(max_length=64)]
    author: Annotated[str, Field(max_length=200)] = ""
    date: Annotated[str, Field(max_length=40)] = ""
    message: Line = ""


_INSIDE: Final = re.compile(
    r"`[^`]*`|\b[\w./-]+\.(?:py|js|jsx|ts|tsx|go|rs|java|kt|rb|php|cs|cpp|sql|ya?ml|toml)\b(?::\d+)?"
    r"|\b[A-Z]\w*(?:Error|Exception)\b|Traceback"
)
"""Code spans, source files, names of exceptions: nothing that a reporter can use."""


class BugOutcome(_Outcome):
    kind: Literal["bug"] = "bug"
    action: BugAction
    summary: Prose = Field(description="For developers, in full: what was found and how.")
    for_reporter: Line = Field(default="", description="The same for the reporter: no file, no code, no names.")
    clarification_questions: list[Line] = Field(
        default_factory=list, max_length=3, description="With ask_reporter: what only the reporter knows."
    )
    root_cause: Line = ""
    fix_type: Literal["code_fix", "data_fix", "config_fix", "needs_human", "unknown"] = "unknown"
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
    def _says_what_its_action_needs(self) -> "BugOutcome":
        if self.action is BugAction.ASK_REPORTER:
            if not any(question.strip() for question in self.clarification_questions):
                raise ValueError("ask_reporter needs clarification_questions")
        elif not self.for_reporter.strip():
            raise ValueError(f"{self.action} needs for_reporter: the reporter is told, too")
        for text in (self.for_reporter, *self.clarification_questions):
            if inside := _INSIDE.search(text):
                raise ValueError(f"the reporter is shown no internals, and this is one: {inside[0]}")
        if self.action in (BugAction.POST_FINDINGS, BugAction.CREATE_FIX) and not self.evidence:
            raise ValueError(f"{self.action} needs evidence: what was run or read, and what it showed")
        return self


IssueOutcome = TriageOutcome | AnalysisOutcome | TestsOutcome | ImplementationOutcome | ReviewOutcome
"""Of the turns of an issue case."""

Outcome = Annotated[
    IssueOutcome | BugOutcome,
    Field(discriminator="kind"),
]

_MODELS: Final[dict[tuple[Role, Task], type[_Outcome]]] = {
    (Role.PM, Task.TRIAGE): TriageOutcome,
    (Role.ANALYST, Task.ANALYZE): AnalysisOutcome,
    (Role.TESTER, Task.CREATE_TESTS): TestsOutcome,
    (Role.DEVELOPER, Task.IMPLEMENT): ImplementationOutcome,
    (Role.DEVELOPER, Task.FIX): ImplementationOutcome,
    (Role.TECH_LEAD, Task.REVIEW): ReviewOutcome,
    (Role.INVESTIGATOR, Task.BUG): BugOutcome,
}

_OUTCOME: Final[TypeAdapter[Outcome]] = TypeAdapter(Outcome)


def outcome_schema(role: Role, task: Task) -> dict[str, object]:
    """The JSON Schema the agent must answer with."""
    return _MODELS[role, task].model_json_schema()


def parse_outcome(role: Role, task: Task, answer: object) -> Outcome:
    """The answer as its model. Raises pydantic's ValidationError, whose text the agent gets for its one repair."""
    return _OUTCOME.validate_python(_MODELS[role, task].model_validate(answer))


def known_turns() -> list[tuple[Role, Task]]:
    return list(_MODELS)
