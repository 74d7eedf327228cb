"""What GitHub knows about failed checks: results around them, annotations, the ends of logs, and the time they took."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from caseworker.core.base.ids import Sha
from caseworker.core.base.repositories import RemoteRepository, RepositoryRef
from caseworker.core.pull.ci_minutes import CiMinutes, JobTime, added_up
from caseworker.core.pull.failures import (
    ACTIONS,
    Annotation,
    CheckResult,
    FailedCheck,
    WithoutChange,
    WorkflowAttempt,
    state_of,
)
from caseworker.core.pull.pull_facts import CheckFact, PullFacts
from caseworker.forges.github.address import repository_path
from caseworker.forges.github.api import GitHubApi
from caseworker.forges.github.api_errors import GitHubRefused
from caseworker.forges.github.broker import Broker
from caseworker.forges.github.commit_results import CommitResultReader, CommitResults, status_result
from caseworker.forges.github.failure_payloads import AnnotationData, ComparisonData, DatedRunData, StartedRunData
from caseworker.forges.github.writes import RerunFailedJobs
from caseworker.ports.pull_failures import RerunOutcome

_MOST_IN_FULL: Final = 20
"""Failed checks whose logs and annotations are read in one look."""
_MOST_ANNOTATIONS: Final = 200
_MOST_TEXT: Final = 20_000
"""Characters of what a check says of itself."""


@dataclass(frozen=True)
class _Around:
    """Results on the head, the base and the merge base."""

    head: CommitResults
    base: tuple[Sha | None, CommitResults] = (None, CommitResults())
    merge_base: tuple[Sha | None, CommitResults] = (None, CommitResults())


class GitHubFailures:
    """The `PullFailures` port."""

    def __init__(self, api: GitHubApi, broker: Broker) -> None:
        self._api = api
        self._broker = broker
        self._results = CommitResultReader(api)

    async def failed(self, repository: RepositoryRef, facts: PullFacts) -> list[FailedCheck]:
        here = self._api.address.ours(repository)
        red = _red(facts)
        if not red:
            return []
        around = await self._around(here, facts)
        runs = {one.id: one for one in around.head.runs}
        found: list[FailedCheck] = []
        for place, check in enumerate(red):
            run = runs.get(int(check.id)) if check.id.isdigit() else None
            if run is None:
                found.append(_failed_status(check, facts.subject.head, around))
                continue
            failed = _failed_run(check, run, facts.subject.head, around)
            found.append(await self._in_full(here, failed, run) if place < _MOST_IN_FULL else _in_short(failed))
        return found

    async def rerun(self, repository: RepositoryRef, attempt: WorkflowAttempt) -> RerunOutcome:
        here = self._api.address.ours(repository)
        try:
            done = await self._broker.do(here, RerunFailedJobs(run=attempt.run, attempt=attempt.attempt))
        except GitHubRefused as refused:
            if refused.status not in (403, 404, 409, 422):
                raise
            return await self._why_not(here, attempt)
        return "begun" if done.new else "begun_before"

    async def minutes(self, repository: RepositoryRef, commits: Sequence[Sha]) -> CiMinutes:
        here = self._api.address.ours(repository)
        runs = {one.id for commit in dict.fromkeys(commits) for one in await self._results.workflow_runs(here, commit)}
        return added_up(
            [
                JobTime(
                    run=job.run_id,
                    attempt=job.run_attempt,
                    name=job.name,
                    started_at=job.started_at,
                    ended_at=job.completed_at,
                )
                for run in sorted(runs)
                for job in await self._results.jobs(here, run)
            ]
        )

    async def _around(self, repository: RemoteRepository, facts: PullFacts) -> _Around:
        head = await self._results.of(repository, facts.subject.head)
        ids = {int(one.id) for one in _red(facts) if one.id.isdigit()}
        files = {one.path for run in head.runs if run.id in ids and (one := head.workflow_of(run)) is not None}
        tried = [one.id for one in head.workflows.values() if one.path in files and one.run_attempt > 1]
        jobs = [job for run in tried for job in await self._results.jobs(repository, run)]
        around = _Around(replace(head, attempts={job.id: job.run_attempt for job in jobs}))
        span = f"{facts.subject.base}...{facts.subject.head}"
        try:
            path = repository_path(repository, "compare", span)
            # Changed files are on the first page only, and nobody reads them here.
            params = {"per_page": "1", "page": "2"}
            compared = await self._api.get(repository, path, ComparisonData, params=params)
        except GitHubRefused:  # the base is gone, or shares no history
            return around
        base, merge_base = Sha(compared.base_commit.sha), Sha(compared.merge_base_commit.sha)
        on_base = await self._results.of(repository, base)
        on_merge_base = on_base if merge_base == base else await self._results.of(repository, merge_base)
        return replace(around, base=(base, on_base), merge_base=(merge_base, on_merge_base))

    async def _in_full(self, repository: RemoteRepository, check: FailedCheck, run: DatedRunData) -> FailedCheck:
        unread: list[str] = []
        remarks: list[AnnotationData] = []
        try:
            path = repository_path(repository, "check-runs", run.id, "annotations")
            remarks = await self._api.pages(repository, path, AnnotationData, most=_MOST_ANNOTATIONS)
        except GitHubRefused:
            unread.append("annotations")
        log = ""
        if check.app == ACTIONS:
            try:
                path = repository_path(repository, "actions", "jobs", run.id, "logs")
                log = await self._api.linked_text(repository, path)
            except GitHubRefused:  # it is gone, not there yet, or we may not read it
                log = ""
            if not log:
                unread.append("log")
        read = {"annotations": tuple(_annotation(one) for one in remarks), "log_tail": log, "unread": tuple(unread)}
        return check.model_copy(update=read)

    async def _why_not(self, repository: RemoteRepository, attempt: WorkflowAttempt) -> RerunOutcome:
        """GitHub's refusal has no code: what the run is like tells it."""
        try:
            path = repository_path(repository, "actions", "runs", attempt.run)
            run = await self._api.get(repository, path, StartedRunData)
        except GitHubRefused:
            return "refused"
        if run.run_attempt > attempt.attempt:
            return "begun_before"
        return "refused" if run.status == "completed" else "still_running"


def _red(facts: PullFacts) -> list[CheckFact]:
    """What failed, required first. A failure that a newer run replaced counts where GitHub blocks and nothing else did:
    some rules want every run to pass."""
    every = [one for one in facts.checks if one.state == "failed"]
    found = [one for one in every if not one.is_superseded]
    if not found and facts.mergeability.state == "blocked":
        found = [one for one in every if one.is_required]
    return sorted(found, key=lambda one: not one.is_required)


def _failed_run(check: CheckFact, run: DatedRunData, head: Sha, around: _Around) -> FailedCheck:
    workflow = around.head.workflow_of(run)
    told = (run.output.title, run.output.summary, run.output.text)
    return FailedCheck(
        name=check.name,
        app=run.app.slug if run.app else check.app,
        head=head,
        newest=around.head.result(run),
        results=tuple(around.head.result(one) for one in around.head.same_check(run, workflow, event=True)),
        without_change=WithoutChange(
            base=around.base[0],
            on_base=_newest(around.base[1], run, workflow),
            merge_base=around.merge_base[0],
            on_merge_base=_newest(around.merge_base[1], run, workflow),
        ),
        summary="\n\n".join(part.strip() for part in told if part and part.strip())[:_MOST_TEXT],
        is_required=check.is_required,
    )


def _failed_status(check: CheckFact, head: Sha, around: _Around) -> FailedCheck:
    """A commit status, or a check run that GitHub no longer lists."""
    here = [one for one in around.head.statuses if one.context == check.name and not check.id]
    newest = status_result(here[0]) if here else _listed_nowhere(check)
    results = [status_result(one) for one in reversed(here)]

    def at(results: CommitResults) -> CheckResult | None:
        return next((status_result(one) for one in results.statuses if one.context == check.name), None)

    return FailedCheck(
        name=check.name,
        app=check.app,
        head=head,
        newest=newest.model_copy(update={"url": check.url or newest.url}),
        results=tuple(results) or (newest,),
        without_change=WithoutChange(
            base=around.base[0],
            on_base=_ended(at(around.base[1])),
            merge_base=around.merge_base[0],
            on_merge_base=_ended(at(around.merge_base[1])),
        ),
        summary=(here[0].description or "") if here else "",
        is_required=check.is_required,
    )


def _listed_nowhere(check: CheckFact) -> CheckResult:
    state = "broken" if state_of(check.result) == "broken" else "failed"
    return CheckResult(state=state, result=check.result, id=check.id, at=check.since)


def _newest(results: CommitResults, run: DatedRunData, workflow: StartedRunData | None) -> CheckResult | None:
    """On a base the same workflow runs for other events: a push, a timer."""
    found = [results.result(one) for one in results.same_check(run, workflow, event=False)]
    return next((one for one in reversed(found) if one.state != "pending"), None)


def _ended(result: CheckResult | None) -> CheckResult | None:
    return None if result is None or result.state == "pending" else result


def _in_short(check: FailedCheck) -> FailedCheck:
    return check.model_copy(update={"unread": ("annotations", "log") if check.app == ACTIONS else ("annotations",)})


def _annotation(data: AnnotationData) -> Annotation:
    levels: dict[str | None, Literal["notice", "warning", "failure"]] = {"notice": "notice", "warning": "warning"}
    return Annotation(
        path=data.path,
        line=data.start_line,
        level=levels.get(data.annotation_level, "failure"),
        message=data.message or "",
        title=data.title or "",
    )
