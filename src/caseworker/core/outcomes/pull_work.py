"""The outcomes of turns on a pull request: a review of the whole diff, and the answers to threads and failed checks."""

from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, model_validator

from caseworker.core.outcomes.answers import HANDED_IN, Answer, Line, OutcomeBase, Prose

_Path = Annotated[str, Field(max_length=400)]

PullSeverity = Literal["blocker", "major", "minor", "nit"]
ThreadClass = Literal["valid", "partly_valid", "invalid", "needs_clarification"]


class PullFinding(Answer):
    """One finding of a review, on a line of the new side of the diff."""

    file: _Path
    line: int = Field(ge=1)
    severity: PullSeverity
    title: Annotated[str, Field(min_length=1, max_length=120)] = Field(
        description="What is wrong, in one line; the same words when you find it again."
    )
    body: Prose = Field(description="Why it is wrong, what follows from it, what to do instead.")
    quote: Annotated[str, Field(max_length=400)] = Field(description="The text of that line, as it stands in the file.")
    suggestion: Annotated[str, Field(max_length=4_000)] = Field(
        default="", description="New text for exactly that line, if the fix is that small."
    )
    reproduction: Annotated[str, Field(max_length=2_000)] = Field(
        default="", description="For blocker and major: a shell command that fails because of it, run by code."
    )


class PullReviewOutcome(OutcomeBase):
    kind: Literal["pull_review"] = "pull_review"
    status: Literal["REVIEWED", "BLOCKED"]
    summary: Prose = Field(description="What the change does, and your judgement, for its author.")
    checked: list[Line] = Field(
        default_factory=list, max_length=30, description="What you looked at and ran, also where nothing was found."
    )
    findings: list[PullFinding] = Field(default_factory=list, max_length=50)
    learnings_used: list[int] = Field(
        default_factory=list, max_length=50, description="Numbers of the owners' rules that this review relied on."
    )

    @model_validator(mode="after")
    def _check_something_was_checked(self, info: ValidationInfo) -> "PullReviewOutcome":
        if info.context == HANDED_IN and self.status == "REVIEWED" and not self.findings and not self.checked:
            raise ValueError("without findings, `checked` says what you looked at")
        return self


class ThreadAnswer(Answer):
    """What came of one open review thread."""

    thread: Annotated[str, Field(max_length=20)] = Field(description="Its number in the brief, such as T3.")
    verdict: ThreadClass
    reply: Line = Field(min_length=1, description="What is said in the thread: what you changed, or why not.")
    changed: bool = Field(default=False, description="Whether your change does what the thread asks for.")


class CheckAnswer(Answer):
    """What came of one failed check."""

    check: Annotated[str, Field(max_length=300)]
    cause: Line
    fixed: bool
    reproduced: Line = Field(default="", description="The command with which you saw it fail here. Empty: you did not.")


class PullResolveOutcome(OutcomeBase):
    kind: Literal["pull_resolve"] = "pull_resolve"
    status: Literal["RESOLVED", "PARTIAL", "BLOCKED"]
    summary: Line = Field(description="What you changed and why, for the pull request.")
    commit_message: Annotated[str, Field(max_length=4_000)] = Field(
        default="", description="If you changed files: subject of at most 72 characters, then why."
    )
    threads: list[ThreadAnswer] = Field(default_factory=list, max_length=300)
    checks: list[CheckAnswer] = Field(default_factory=list, max_length=50)
    reply: Line = Field(default="", description="To people who wrote below the pull request. Empty: nobody did.")
