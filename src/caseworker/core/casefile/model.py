"""The case file, `issue-state.json` version 1.0, as models with a published schema. `ownership` says who may fill what.

The docstrings of the sections are the descriptions in the schema.
"""

import json
from datetime import datetime
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from caseworker.core.base.errors import Refused
from caseworker.core.issue.state_row import Agent
from caseworker.core.outcomes.developer import Change
from caseworker.core.outcomes.pm import IssueType
from caseworker.core.outcomes.tech_lead import Finding

VERSION: Final = "1.0"
SCHEMA: Final = "docs/issue-state.schema.json"


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid")


class IssueSection(_Section):
    """As it was received; `type` is the triage's."""

    number: int
    title: str
    url: str = ""
    type: IssueType | None = None
    original_body: str
    labels: list[str] = Field(default_factory=list)


class PipelineSection(_Section):
    """Where the case stands. Filled by the program. Waiting for a person is `blocked`; closed is `failed`."""

    started_at: datetime
    current_agent: Agent | None = None
    attempt: int = 1
    max_attempts: int = 3
    status: Literal["in_progress", "completed", "failed", "blocked"] = "in_progress"
    blocked_reason: str | None = None
    failure_reason: str | None = None


class TriageSection(_Section):
    """Filled by the triage. With `should_proceed` false nothing else happens."""

    completed: bool = False
    scope: Literal["SMALL", "MEDIUM", "LARGE"] | None = None
    complexity: Literal["simple", "moderate", "complex"] | None = None
    should_proceed: bool | None = None
    rejection_reason: str | None = None


class FileEntry(_Section):
    """`action` is an open word: ours are create, modify, delete and read."""

    path: str
    purpose: str
    action: str


class TestEntry(_Section):
    """`type` is an open word: ours are regression, feature and existing."""

    __test__ = False  # keeps pytest from collecting it as a test class

    required: bool
    type: str
    location: str = ""
    description: str = ""


class AnalysisSection(_Section):
    """Filled by the analyst."""

    completed: bool = False
    files: list[FileEntry] = Field(default_factory=list)
    patterns: list[str] = Field(default_factory=list)
    test_requirement: TestEntry | None = None
    must_do: list[str] = Field(default_factory=list)
    must_not_do: list[str] = Field(default_factory=list)
    brief: str = ""


class WriterSection(_Section):
    """Filled by the writer; `test_written` and `test_file` by the tester. `previous_feedback` is what the writer was
    given."""

    completed: bool = False
    attempt: int = 1
    changes: list[Change] = Field(default_factory=list)
    test_written: bool = False
    test_file: str | None = None
    summary: str = ""
    previous_feedback: str | None = None


class CommandReport(_Section):
    command: str
    exit_code: int
    output: str


class BuildSection(_Section):
    """Filled by the program, from what was run. A check is null if there is no command for it, and false if its command
    failed or could not run."""

    completed: bool = False
    tests_passed: bool | None = None
    lint_passed: bool | None = None
    type_check_passed: bool | None = None
    errors: list[str] = Field(default_factory=list)
    commands_run: list[CommandReport] = Field(default_factory=list)


class Findings(_Section):
    good: list[str] = Field(default_factory=list)
    issues: list[Finding] = Field(default_factory=list)


class ReviewSection(_Section):
    """Filled by the reviewer. `feedback_for_writer` is what the next writer is given: by the build and its judgement,
    the validation, the review and people."""

    completed: bool = False
    verdict: Literal["APPROVED", "REJECTED", "NEEDS_INFO"] | None = None
    findings: Findings = Field(default_factory=Findings)
    feedback_for_writer: str | None = None


class CommitSection(_Section):
    """Filled by the program at every push: the branch, its commit and the commit's own message. `completed` with the
    pull request. The merge closes the issue."""

    completed: bool = False
    hash: str | None = None
    message: str | None = None
    branch: str | None = None
    pushed: bool = False
    pr_created: bool = False
    pr_url: str | None = None
    issue_closed: bool = False


class Question(BaseModel):
    """`answered` once the agent named in `to` has answered."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)
    from_: str = Field(alias="from")
    to: str
    question: str
    answered: bool = False
    answer: str | None = None


class Escalation(_Section):
    """With `requires_human` a person decides; without, a more experienced agent takes it up. `resolved` once it did."""

    agent: str
    reason: str
    requires_human: bool = True
    resolved: bool = False


class CommunicationSection(_Section):
    """What agents asked each other, and what they did not want to decide alone."""

    questions: list[Question] = Field(default_factory=list)
    escalations: list[Escalation] = Field(default_factory=list)


class RoleObservation(_Section):
    agent: str
    type: str
    content: str


class LearningsSection(_Section):
    """What later cases in this repository should know; `outcome` is filled at the end."""

    session_id: str
    observations: list[RoleObservation] = Field(default_factory=list)
    outcome: str | None = None


class CaseFile(_Section):
    """One issue on its way to a pull request. Each agent fills its own sections; what is not chosen yet is null."""

    version: Literal["1.0"] = VERSION
    issue: IssueSection
    pipeline: PipelineSection
    triage: TriageSection = Field(default_factory=TriageSection)
    analysis: AnalysisSection = Field(default_factory=AnalysisSection)
    writer: WriterSection = Field(default_factory=WriterSection)
    build: BuildSection = Field(default_factory=BuildSection)
    review: ReviewSection = Field(default_factory=ReviewSection)
    commit: CommitSection = Field(default_factory=CommitSection)
    communication: CommunicationSection = Field(default_factory=CommunicationSection)
    learnings: LearningsSection

    def dump(self) -> str:
        return self.model_dump_json(indent=2, by_alias=True) + "\n"


def new_case_file(issue: IssueSection, started_at: datetime, max_attempts: int) -> CaseFile:
    return CaseFile(
        issue=issue,
        pipeline=PipelineSection(started_at=started_at, current_agent="triage", max_attempts=max_attempts),
        learnings=LearningsSection(session_id=f"{started_at:%Y-%m-%d}-issue-{issue.number}"),
    )


def schema() -> str:
    """The JSON Schema that docs/ publishes. docs/case-file.md says how to regenerate it."""
    model = CaseFile.model_json_schema()
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Issue Agent State",
        "description": model["description"],
        "type": "object",
        "properties": model["properties"],
        "required": ["version", *model["required"]],
        "additionalProperties": False,
        "$defs": model["$defs"],
    }
    return json.dumps(document, indent=2) + "\n"


def load_case_file(document: dict[str, Any]) -> CaseFile:  # parsed JSON of unknown shape
    """Loads a case file. Refuses an unknown version or an invalid file, with the place of the mistake."""
    version = document.get("version")
    if version != VERSION:
        raise Refused(
            f"This case file has version {version!r}; this program reads {VERSION!r}.",
            todo=f"Write one as {SCHEMA} says.",
        )
    try:
        return CaseFile.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise Refused(
            f"The case file is broken at `{where}`: {first['msg']}.", todo=f"Correct it there: {SCHEMA} says how."
        ) from error
