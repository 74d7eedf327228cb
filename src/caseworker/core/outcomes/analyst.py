"""The outcome of the analyst's turn."""

from typing import Annotated, Literal

from pydantic import Field

from caseworker.core.outcomes.answers import Answer, Line, Prose, WorkOutcome


class FileNote(Answer):
    path: Annotated[str, Field(max_length=400)]
    purpose: Line
    action: Literal["create", "modify", "delete", "read"]


class TestRequirement(Answer):
    __test__ = False  # keeps pytest from collecting it as a test class

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
