"""The tools for the state of one pull request behind their port, for questions to models."""

from pydantic import BaseModel

from caseworker.core.base.errors import Refused
from caseworker.core.base.repositories import RemoteRepository
from caseworker.forges.github.api import GitHubApi
from caseworker.forges.github.state_tools import StateTools


class PullState:
    """The `GithubState` port. A model names a pull request: only the one that it was asked about is read."""

    def __init__(self, api: GitHubApi, repository: RemoteRepository, number: int) -> None:
        self._number = number
        self._tools = StateTools(api, repository, number)

    async def get_pr_state_check_rollup(self, number: int) -> BaseModel:
        return await self._of(number).get_pr_state_check_rollup()

    async def get_check_run_output(self, check_run: int) -> BaseModel:
        return await self._tools.get_check_run_output(check_run)

    async def get_workflow_run(self, run: int) -> BaseModel:
        return await self._tools.get_workflow_run(run)

    async def get_branch_protection(self, branch: str) -> BaseModel:
        return await self._tools.get_branch_protection(branch)

    async def get_pr_diff(self, number: int) -> BaseModel:
        return await self._of(number).get_pr_diff()

    async def get_pr_files(self, number: int) -> BaseModel:
        return await self._of(number).get_pr_files()

    async def list_pr_comments(self, number: int, page: int = 1) -> BaseModel:
        return await self._of(number).list_pr_comments(page)

    def _of(self, number: int) -> StateTools:
        if number != self._number:
            raise Refused(f"Only pull request {self._number} can be read here, not {number}.")
        return self._tools
