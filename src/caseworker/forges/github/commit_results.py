"""All results on one commit: check runs of every attempt, statuses, and the workflow runs they belong to. Read-only."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.pull.failures import CheckResult, WorkflowAttempt, state_of
from caseworker.forges.github.address import repository_path
from caseworker.forges.github.api import GitHubApi
from caseworker.forges.github.api_errors import GitHubRefused
from caseworker.forges.github.failure_payloads import (
    DatedRunData,
    DatedRunsData,
    DatedStatusData,
    JobData,
    JobsData,
    StartedRunData,
    StartedRunsData,
)

T = TypeVar("T")
P = TypeVar("P")
_PER_PAGE: Final = 100
_MOST_PAGES: Final = 100


@dataclass(frozen=True)
class CommitResults:
    runs: Sequence[DatedRunData] = ()
    statuses: Sequence[DatedStatusData] = ()
    """Newest first, also those that a newer one of the same context has replaced."""
    workflows: dict[int, StartedRunData] = field(default_factory=dict)
    """By the check suite."""
    attempts: dict[int, int] = field(default_factory=dict)
    """Of the job with this id, as far as they were read."""

    def workflow_of(self, run: DatedRunData) -> StartedRunData | None:
        return self.workflows.get(run.check_suite.id) if run.check_suite else None

    def result(self, run: DatedRunData) -> CheckResult:
        workflow = self.workflow_of(run)
        word = (run.conclusion or "") if run.status == "completed" else ""
        attempt = self.attempts.get(run.id, workflow.run_attempt) if workflow else 1
        return CheckResult(
            state=state_of(word),
            result=word or run.status,
            id=str(run.id),
            of=WorkflowAttempt(run=workflow.id, attempt=attempt, workflow=workflow.path, event=workflow.event)
            if workflow
            else None,
            at=run.completed_at or run.started_at,
            url=run.html_url or run.details_url or "",
        )

    def same_check(self, run: DatedRunData, workflow: StartedRunData | None, *, event: bool) -> list[DatedRunData]:
        """Oldest first. Two workflows may have jobs of one name; `event`: whether what started them must agree too."""
        found = [
            one
            for one in self.runs
            if one.name == run.name and _app(one) == _app(run) and _agree(self.workflow_of(one), workflow, event=event)
        ]
        return sorted(found, key=lambda one: one.id)


class CommitResultReader:
    def __init__(self, api: GitHubApi) -> None:
        self._api = api

    async def of(self, repository: RemoteRepository, commit: str) -> CommitResults:
        path = repository_path(repository, "commits", commit, "check-runs")
        runs = await self._counted(repository, path, DatedRunsData, lambda page: page.check_runs, {"filter": "all"})
        statuses = await self._api.pages(
            repository, repository_path(repository, "commits", commit, "statuses"), DatedStatusData
        )
        started = await self.workflow_runs(repository, commit) if runs else []
        return CommitResults(runs, statuses, {one.check_suite_id: one for one in started})

    async def workflow_runs(self, repository: RemoteRepository, commit: str) -> list[StartedRunData]:
        path = repository_path(repository, "actions", "runs")
        try:
            return await self._counted(
                repository, path, StartedRunsData, lambda page: page.workflow_runs, {"head_sha": commit}
            )
        except GitHubRefused:  # Actions is switched off, or we may not read it: then nothing can be run again
            return []

    async def jobs(self, repository: RemoteRepository, run: int) -> list[JobData]:
        """Of all attempts."""
        path = repository_path(repository, "actions", "runs", run, "jobs")
        return await self._counted(repository, path, JobsData, lambda page: page.jobs, {"filter": "all"})

    async def _counted(
        self,
        repository: RemoteRepository,
        path: str,
        model: type[P],
        items: Callable[[P], list[T]],
        params: dict[str, str],
    ) -> list[T]:
        """All pages of a list that GitHub wraps into an object."""
        found: list[T] = []
        for page in range(1, 1 + _MOST_PAGES):
            asked = {**params, "per_page": str(_PER_PAGE), "page": str(page)}
            some = items(await self._api.get(repository, path, model, params=asked))
            found += some
            if len(some) < _PER_PAGE:
                break
        return found


def status_result(status: DatedStatusData) -> CheckResult:
    return CheckResult(
        state=state_of(status.state), result=status.state, at=status.created_at, url=status.target_url or ""
    )


def _agree(one: StartedRunData | None, other: StartedRunData | None, *, event: bool) -> bool:
    if one is None or other is None:
        return one is other
    return one.path == other.path and (not event or one.event == other.event)


def _app(run: DatedRunData) -> int | None:
    return run.app.id if run.app else None
