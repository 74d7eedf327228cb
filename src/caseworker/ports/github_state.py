"""Port to the tools that read the state of one pull request. Read-only."""

from collections.abc import Callable
from typing import Protocol, TypeAlias

from pydantic import BaseModel

from caseworker.core.base.repositories import RemoteRepository


class GithubState(Protocol):
    """Bound to one pull request: a model can't name another. Each answer is small: what is cut is marked. `Refused`: it
    does not exist, or we may not read it."""

    async def get_pr_state_check_rollup(self) -> BaseModel: ...

    async def get_check_run_output(self, check_run_id: int) -> BaseModel: ...

    async def get_workflow_run(self, run_id: int) -> BaseModel: ...

    async def get_branch_protection(self, branch: str = "") -> BaseModel:
        """Of the pull request's base branch, unless another is named."""

    async def get_pr_diff(self) -> BaseModel: ...

    async def get_pr_files(self) -> BaseModel: ...

    async def list_pr_comments(self, page: int = 1) -> BaseModel: ...


StateOf: TypeAlias = Callable[[RemoteRepository, int], GithubState]
"""The tools for a pull request, by its repository and number."""
