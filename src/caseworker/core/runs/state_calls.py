"""Calls of the tools that read a pull request's state on the forge, as a model writes them. They change nothing."""

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

CHAT_ITERATIONS: Final = 8
TRIAGE_ITERATIONS: Final = 2
CALLS_AT_ONCE: Final = 4
"""Calls that one answer of a model may have."""

_Number = Annotated[int, Field(gt=0)]


class _Call(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class GetCheckRollup(_Call):
    """All checks of the head commit, and which are required."""

    tool: Literal["get_pr_state_check_rollup"]
    number: _Number


class GetCheckRunOutput(_Call):
    """The summary and text of one check run."""

    tool: Literal["get_check_run_output"]
    check_run: _Number


class GetWorkflowRun(_Call):
    """How a workflow run of the forge's CI ended."""

    tool: Literal["get_workflow_run"]
    run: _Number


class GetBranchProtection(_Call):
    """Required checks and reviews of a branch."""

    tool: Literal["get_branch_protection"]
    branch: Annotated[str, Field(min_length=1, max_length=250)]


class GetDiff(_Call):
    """The diff of the pull request, cut if it is long."""

    tool: Literal["get_pr_diff"]
    number: _Number


class GetFiles(_Call):
    """The changed files with their counts of lines."""

    tool: Literal["get_pr_files"]
    number: _Number


class ListComments(_Call):
    """Comments of the pull request, 30 a page."""

    tool: Literal["list_pr_comments"]
    number: _Number
    page: _Number = 1


StateCall = Annotated[
    GetCheckRollup | GetCheckRunOutput | GetWorkflowRun | GetBranchProtection | GetDiff | GetFiles | ListComments,
    Field(discriminator="tool"),
]
