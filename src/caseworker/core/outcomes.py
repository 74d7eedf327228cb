"""The structured answer of each kind of turn: a closed union, one model per role and task.

A model's docstrings and descriptions are what the agent is shown, with every call: they are kept short.
"""

import re
from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import Field, TypeAdapter, ValidationInfo, model_validator

from caseworker.core.answers import Answer, Line, OutcomeBase, Prose, WorkOutcome
from caseworker.core.hypotheses import (
    CauseReviewOutcome,
    DiagnosticOutcome,
    EvidenceBundle,
    InvestigationOutcome,
    InvestigationRequest,
    UnblockingOutcome,
)
from caseworker.core.states import Role
from caseworker.core.status_names import canonical

_HANDED_IN: Final = {"handed_in": True}
"""What is asked only of a new answer: one that is kept from before was right when it was given."""
_CRITERIA: Final = 2


class Task(StrEnum):
    TRIAGE = "triage"
    PLAN = "plan"
    QUESTIONS = "questions"
    INTERPRET = "interpret"
    ANALYZE = "analyze"
    ANSWER = "answer"
    CREATE_TESTS = "create_tests"
    UPDATE_TESTS = "update_tests"
    JUDGE = "judge"
    VALIDATE = "validate"
    IMPLEMENT = "implement"
    FIX = "fix"
    REFACTOR = "refactor"
    ADDRESS_FEEDBACK = "address_feedback"
    REVIEW = "review"
    REVIEW_ARCHITECTURE = "review_architecture"
    REVIEW_INTEGRATION = "review_integration"
    UNBLOCK = "unblock"
    INVESTIGATE = "investigate"
    DIAGNOSE = "diagnose"
    VALIDATE_CAUSE = "validate_cause"
    UNBLOCK_INVESTIGATION = "unblock_investigation"
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


class Topic(StrEnum):
    """What always needs a person's approval first."""

    AUTHENTICATION = "authentication"
    CRYPTOGRAPHY = "cryptography"
    PERMISSIONS = "permissions"
    PUBLIC_API = "public_api"
    DATABASE_SCHEMA = "database_schema"
    INFRASTRUCTURE = "infrastructure"


SECURITY: Final = frozenset({Topic.AUTHENTICATION, Topic.CRYPTOGRAPHY, Topic.PERMISSIONS})


class TriageOutcome(OutcomeBase):
    kind: Literal["triage"] = "triage"
    status: Literal["PROCEED", "REJECT", "NEEDS_APPROVAL"]
    type: IssueType
    scope: Literal["SMALL", "MEDIUM", "LARGE"] = Field(description="1-2 files, 3-5 files, 6 or more.")
    complexity: Literal["simple", "moderate", "complex"]
    reason: Line = Field(description="Why, in words the author of the issue can use.")
    topics: list[Topic] = Field(default_factory=list, max_length=6, description="What of these it would change.")


class PlanOutcome(WorkOutcome):
    kind: Literal["plan"] = "plan"
    status: Literal["PLANNING_COMPLETE", "NEEDS_CLARIFICATION", "INVESTIGATION_NEEDED", "EXTERNAL_DEPENDENCY"]
    plan: Prose = Field(description="Markdown: steps, files, tests, risks.")
    reason: Line = Field(default="", description="What keeps you from planning.")
    investigation: InvestigationRequest | None = Field(default=None, description="With INVESTIGATION_NEEDED.")


class QuestionsOutcome(OutcomeBase):
    kind: Literal["questions"] = "questions"
    status: Literal["NEEDS_CLARIFICATION", "CONTINUE"]
    questions: list[Line] = Field(default_factory=list, max_length=5, description="One sentence each, not numbered.")
    reason: Line = Field(description="What is unclear; with CONTINUE, where the answer is.")

    @model_validator(mode="after")
    def _asks_what_it_says(self) -> "QuestionsOutcome":
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


class InterpretOutcome(OutcomeBase):
    kind: Literal["interpret"] = "interpret"
    status: Literal[
        "CONTINUE", "NEEDS_CLARIFICATION", "NO_ACTION", "REJECT", "EXTERNAL_DEPENDENCY", "INVESTIGATION_NEEDED"
    ]
    next: NextState | None = Field(default=None, description="With CONTINUE: where to; null: where it was left.")
    questions: list[Line] = Field(default_factory=list, max_length=5, description="With NEEDS_CLARIFICATION.")
    reply: Line = Field(description="To those who spoke: what you understood and what happens now.")

    @model_validator(mode="after")
    def _asks_what_it_says(self) -> "InterpretOutcome":
        if self.status == "NEEDS_CLARIFICATION" and not any(question.strip() for question in self.questions):
            raise ValueError("NEEDS_CLARIFICATION needs questions")
        return self


class AnswerOutcome(OutcomeBase):
    kind: Literal["answer"] = "answer"
    status: Literal["READY", "BLOCKED"]
    answers: list[Line] = Field(max_length=3, description="One for each question, in order.")

    def leaves_open(self, questions: int) -> bool:
        return self.status == "BLOCKED" or sum(bool(answer.strip()) for answer in self.answers) < questions


class FileNote(Answer):
    path: Annotated[str, Field(max_length=400)]
    purpose: Line
    action: Literal["create", "modify", "delete", "read"]


class TestRequirement(Answer):
    __test__ = False  # a model, not a test class, whatever its name begins with

    required: bool
    type: Literal["regression", "feature", "existing"]
    location: Annotated[str, Field(max_length=400)] = ""
    description: Line = ""


class AnalysisOutcome(WorkOutcome):
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


class TestsOutcome(WorkOutcome):
    __test__ = False

    kind: Literal["tests"] = "tests"
    status: Literal["TESTS_READY", "TESTS_NEED_WORK", "REQUIREMENT_GAP", "BLOCKED"]
    test_file: Annotated[str, Field(max_length=400)]
    test_command: Annotated[str, Field(max_length=1_000)] = Field(
        default="", description="Shell command that runs the new test alone, from the workspace's root."
    )
    summary: Line


class JudgeOutcome(WorkOutcome):
    """Of a red build: is it the code, the test, or chance?"""

    kind: Literal["judge"] = "judge"
    status: Literal["FAIL", "FAIL_ESCALATE", "TESTS_NEED_WORK", "FLAKY", "BLOCKED"]
    summary: Line = Field(description="Which check failed, why, and what has to change.")


class Met(Answer):
    requirement: Line
    met: bool
    evidence: Line = Field(description="What was run or read that shows it.")


class ValidationOutcome(WorkOutcome):
    kind: Literal["validation"] = "validation"
    status: Literal["PASS", "FAIL", "PARTIAL", "TESTS_NEED_WORK", "BLOCKED"]
    checks: list[Met] = Field(max_length=60, description="Each must_do and must_not_do.")
    summary: Line

    @model_validator(mode="after")
    def _passes_only_what_is_met(self) -> "ValidationOutcome":
        unmet = [check.requirement for check in self.checks if not check.met]
        if self.status == "PASS" and unmet:
            raise ValueError(f"PASS with an unmet requirement: {unmet[0]}")
        return self


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

    @model_validator(mode="after")
    def _is_blocked_by_something(self, info: ValidationInfo) -> "ImplementationOutcome":
        if info.context == _HANDED_IN and self.status == "BLOCKED" and self.evidence is None:
            raise ValueError("BLOCKED needs `evidence`: the error, how to reproduce it, what was tried")
        return self


class Finding(Answer):
    file: Annotated[str, Field(max_length=400)]
    line: int = Field(ge=0)
    issue: Line
    severity: Literal["critical", "major", "minor"]


class ReviewOutcome(WorkOutcome):
    kind: Literal["review"] = "review"
    status: Literal[
        "APPROVED",
        "APPROVED_WITH_NOTES",
        "CHANGES_REQUESTED",
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
    investigation: InvestigationRequest | None = Field(
        default=None, description="With SPAWN_INVESTIGATOR or ESCALATE: at least two criteria."
    )

    @property
    def approves(self) -> bool:
        return self.status in ("APPROVED", "APPROVED_WITH_NOTES")

    @model_validator(mode="after")
    def _only_minor_findings_may_pass(self) -> "ReviewOutcome":
        worst = [finding for finding in self.issues if finding.severity != "minor"]
        if self.approves and worst:
            raise ValueError(f"{self.status} with a {worst[0].severity} finding: only minor findings may pass")
        if not self.approves and not self.feedback_for_writer:
            raise ValueError(f"{self.status} needs feedback_for_writer")
        return self

    @model_validator(mode="after")
    def _investigates_for_a_reason(self, info: ValidationInfo) -> "ReviewOutcome":
        if info.context == _HANDED_IN and self.status in ("SPAWN_INVESTIGATOR", "ESCALATE"):
            criteria = self.investigation.criteria if self.investigation is not None else []
            if len(set(criteria)) < _CRITERIA:
                raise ValueError(f"{self.status} needs an `investigation` with at least two criteria that hold")
        return self


class Proof(Answer):
    """Something that was run or read, and what it showed."""

    source: Annotated[str, Field(max_length=1_000)] = Field(description="The command, or path:line.")
    shows: Line


class Culprit(Answer):
    hash: Annotated[str, Field(max_length=64)]
    author: Annotated[str, Field(max_length=200)] = ""
    date: Annotated[str, Field(max_length=40)] = ""
    message: Line = ""


_INSIDE: Final = re.compile(
    r"`[^`]*`|\b[\w./-]+\.(?:py|js|jsx|ts|tsx|go|rs|java|kt|rb|php|cs|cpp|sql|ya?ml|toml)\b(?::\d+)?"
    r"|\b[A-Z]\w*(?:Error|Exception)\b|Traceback"
)
"""Code spans, source files, names of exceptions: nothing that a reporter can use."""


class BugOutcome(OutcomeBase):
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


IssueOutcome = (
    TriageOutcome
    | PlanOutcome
    | QuestionsOutcome
    | InterpretOutcome
    | AnalysisOutcome
    | AnswerOutcome
    | TestsOutcome
    | JudgeOutcome
    | ValidationOutcome
    | ImplementationOutcome
    | ReviewOutcome
    | InvestigationOutcome
    | DiagnosticOutcome
    | CauseReviewOutcome
    | UnblockingOutcome
)
"""Of the turns of an issue case."""

Outcome = Annotated[
    IssueOutcome | BugOutcome,
    Field(discriminator="kind"),
]

_WRITING: Final = (Task.IMPLEMENT, Task.FIX, Task.REFACTOR, Task.ADDRESS_FEEDBACK)
_REVIEWING: Final = (Task.REVIEW, Task.REVIEW_ARCHITECTURE, Task.REVIEW_INTEGRATION, Task.UNBLOCK)
_ANSWERING: Final = (Role.PM, Role.ANALYST, Role.TESTER, Role.DEVELOPER, Role.TECH_LEAD)

_MODELS: Final[dict[tuple[Role, Task], type[OutcomeBase]]] = {
    (Role.PM, Task.TRIAGE): TriageOutcome,
    (Role.PM, Task.PLAN): PlanOutcome,
    (Role.PM, Task.QUESTIONS): QuestionsOutcome,
    (Role.PM, Task.INTERPRET): InterpretOutcome,
    (Role.ANALYST, Task.ANALYZE): AnalysisOutcome,
    (Role.TESTER, Task.CREATE_TESTS): TestsOutcome,
    (Role.TESTER, Task.UPDATE_TESTS): TestsOutcome,
    (Role.TESTER, Task.JUDGE): JudgeOutcome,
    (Role.TESTER, Task.VALIDATE): ValidationOutcome,
    **{(role, task): ImplementationOutcome for role in (Role.DEVELOPER, Role.SENIOR_DEVELOPER) for task in _WRITING},
    **{(Role.TECH_LEAD, task): ReviewOutcome for task in _REVIEWING},
    **{(role, Task.ANSWER): AnswerOutcome for role in _ANSWERING},
    (Role.INVESTIGATOR, Task.BUG): BugOutcome,
    (Role.INVESTIGATOR, Task.INVESTIGATE): InvestigationOutcome,
    (Role.DEVELOPER, Task.DIAGNOSE): DiagnosticOutcome,
    (Role.SENIOR_DEVELOPER, Task.DIAGNOSE): DiagnosticOutcome,
    (Role.TECH_LEAD, Task.VALIDATE_CAUSE): CauseReviewOutcome,
    (Role.PM, Task.UNBLOCK_INVESTIGATION): UnblockingOutcome,
}

_OUTCOME: Final[TypeAdapter[Outcome]] = TypeAdapter(Outcome)


def outcome_schema(role: Role, task: Task) -> dict[str, object]:
    """The JSON Schema the agent must answer with."""
    return _MODELS[role, task].model_json_schema()


def parse_outcome(role: Role, task: Task, answer: object) -> Outcome:
    """The answer as its model. Raises pydantic's ValidationError, whose text the agent gets for its one repair."""
    return _OUTCOME.validate_python(
        _MODELS[role, task].model_validate(_by_its_own_name(role, answer), context=_HANDED_IN)
    )


def _by_its_own_name(role: Role, answer: object) -> object:
    if not isinstance(answer, dict) or not isinstance(answer.get("status"), str):
        return answer
    return {**answer, "status": canonical(role, answer["status"])}


def known_turns() -> list[tuple[Role, Task]]:
    return list(_MODELS)
