"""Calls of the tools that read a pull request's state on the forge, as a model writes them. They change nothing."""

from typing import Annotated, Final, Literal, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, Field

CHAT_ITERATIONS: Final = 8
TRIAGE_ITERATIONS: Final = 2
CALLS_AT_ONCE: Final = 4
"""Calls that one answer of a model may have."""
CALLS_PER_TURN: Final = CHAT_ITERATIONS * CALLS_AT_ONCE
"""Calls that an agent may make in one turn: as many as a chat."""

_Number = Annotated[int, Field(gt=0)]


class _Call(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class GetCheckRollup(_Call):
    """All checks of the head commit, and which are required."""

    tool: Literal["get_pr_state_check_rollup"]


class GetCheckRunOutput(_Call):
    """The summary and text of one check run."""

    tool: Literal["get_check_run_output"]
    check_run_id: _Number


class GetWorkflowRun(_Call):
    """How a workflow run of the forge's CI ended."""

    tool: Literal["get_workflow_run"]
    run_id: _Number


class GetBranchProtection(_Call):
    """Required checks and reviews of a branch; of the pull request's base branch, if none is named."""

    tool: Literal["get_branch_protection"]
    branch: Annotated[str, Field(max_length=250)] = ""


class GetDiff(_Call):
    """The diff of the pull request, cut if it is long."""

    tool: Literal["get_pr_diff"]


class GetFiles(_Call):
    """The changed files with their counts of lines."""

    tool: Literal["get_pr_files"]


class ListComments(_Call):
    """Comments of the pull request, 30 a page."""

    tool: Literal["list_pr_comments"]
    page: _Number = 1


AnyStateCall: TypeAlias = (
    GetCheckRollup | GetCheckRunOutput | GetWorkflowRun | GetBranchProtection | GetDiff | GetFiles | ListComments
)
StateCall = Annotated[AnyStateCall, Field(discriminator="tool")]
STATE_CALLS: Final[dict[str, type[AnyStateCall]]] = {
    get_args(call.model_fields["tool"].annotation)[0]: call for call in get_args(AnyStateCall)
}
"""The calls by the names of their tools."""
