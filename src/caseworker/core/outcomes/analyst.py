"""The outcome of the analyst's turn."""

from typing import Annotated, Literal

from pydantic import Field

from caseworker.core.base.text import fenced
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


class Tried(Answer):
    """What was run and tried to understand the issue."""

    reproduction: Prose = Field(default="", description="The commands that show it, and what they printed.")
    fix: Prose = Field(default="", description="A diff that you tried in a copy and saw work.")

    @property
    def reproduced(self) -> str:
        shown = self.reproduction.strip()
        return f"Reproduced:\n\n{fenced(shown)}" if shown else ""

    @property
    def words(self) -> str:
        fix = self.fix.strip("\n")
        changed = f"Tried in a copy, where it worked:\n\n{fenced(fix)}" if fix.strip() else ""
        return "\n\n".join(part for part in (self.reproduced, changed) if part)


class _Brief(Answer):
    """What tester and developer are told, with what was tried: so that nobody has to find it out again."""

    brief: Prose = Field(description="Markdown, for tester and developer.")
    tried: Tried = Field(default_factory=Tried)

    @property
    def whole_brief(self) -> str:
        return "\n\n".join(part for part in (self.brief.strip(), self.tried.words) if part)


class PlainAnalysis(_Brief):
    """The analysis of a plain small issue, as its triage brings it along. Nothing is asked for twice: with a defect,
    what is `expected` is the first thing to do and what the test shows, and `files` need not name its file."""

    files: list[FileNote] = Field(default_factory=list, max_length=10)
    patterns: list[Line] = Field(default_factory=list, max_length=10)
    test_location: Annotated[str, Field(min_length=1, max_length=400)] = Field(description="The test file.")
    test_description: Line = Field(default="", description="What must fail now and pass later.")
    must_do: list[Line] = Field(default_factory=list, max_length=10)
    must_not_do: list[Line] = Field(default_factory=list, max_length=10)


class AnalysisOutcome(_Brief, WorkOutcome):
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
