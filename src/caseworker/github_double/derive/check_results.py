"""What the checks of a commit say together, and which required ones are missing."""

from collections.abc import Iterable
from typing import Literal

from caseworker.github_double.derive.effective_rules import protection_of, rules_of
from caseworker.github_double.entities.check_records import (
    CheckRun,
    CheckStatus,
    CheckSuite,
    Conclusion,
    Status,
    WorkflowRun,
)
from caseworker.github_double.entities.protection import RequiredCheck
from caseworker.github_double.entities.repository import PullRequest, Repository

Result = Literal["success", "pending", "failure", "missing"]
Rollup = Literal["SUCCESS", "PENDING", "FAILURE", "ERROR", "EXPECTED"]

_PASSED: frozenset[Conclusion] = frozenset({"success", "neutral", "skipped"})
_WORST: tuple[Conclusion, ...] = (
    "startup_failure",
    "failure",
    "timed_out",
    "action_required",
    "cancelled",
    "stale",
    "success",
    "neutral",
    "skipped",
)


def suites_of(repository: Repository, sha: str) -> list[CheckSuite]:
    return [one for one in repository.records.suites if one.head_sha == sha]


def runs_of(repository: Repository, sha: str) -> list[CheckRun]:
    """All check runs of a commit, also superseded ones, oldest first."""
    return [run for suite in suites_of(repository, sha) for run in suite.runs]


def latest_runs(repository: Repository, sha: str) -> list[CheckRun]:
    """The newest check run of each name and App."""
    newest: dict[tuple[str, int, str], CheckRun] = {}
    for run in sorted(runs_of(repository, sha), key=lambda run: run.id):
        workflow = run.suite.workflow_run
        newest[(run.name, run.suite.app.id, workflow.path + workflow.event if workflow else "")] = run
    return list(newest.values())


def latest_statuses(repository: Repository, sha: str) -> list[Status]:
    """The newest commit status of each context."""
    return list({one.context: one for one in repository.records.statuses if one.sha == sha}.values())


def expected_statuses(repository: Repository, sha: str) -> list[Status]:
    """Statuses that classic protection demands of a head and nobody has reported there.

    Only contexts that were reported as statuses before: of other required checks GitHub lists nothing."""
    demanded = {
        check.context: pull
        for pull in repository.pulls.values()
        if pull.is_open and pull.head.sha == sha and (rule := protection_of(repository, pull.base.ref)) is not None
        for check in rule.checks or ()
        if check.app_id in (None, -1)
    }
    reported = {one.context for one in latest_statuses(repository, sha)}
    reported |= {run.name for run in runs_of(repository, sha)}
    known = {one.context: one for one in repository.records.statuses}
    return [
        Status(
            id=known[context].id + 1,
            node_id=f"SC_expected_{sha}_{context}",
            sha=sha,
            context=context,
            state="expected",
            description="Expected — Waiting for status to be reported",
            target_url=None,
            creator=known[context].creator,
            created_at=pull.issue.times.created_at,
        )
        for context, pull in demanded.items()
        if context in known and context not in reported
    ]


def suite_status(suite: CheckSuite) -> CheckStatus:
    if suite.awaits_approval:
        return "completed"
    workflow = suite.workflow_run
    if not suite.runs or (workflow is not None and all(job.attempt < workflow.attempt for job in workflow.jobs)):
        return "queued"  # nothing has begun, or nothing of the new attempt
    latest = latest_of(suite.runs)
    if all(run.status == "completed" for run in latest):
        return "completed"
    return "in_progress" if any(run.status in ("in_progress", "completed") for run in latest) else "queued"


def suite_conclusion(suite: CheckSuite) -> Conclusion | None:
    if suite.awaits_approval:
        return "action_required"
    if suite_status(suite) != "completed":
        return None
    ends = {run.conclusion for run in latest_of(suite.runs)}
    return next((one for one in _WORST if one in ends), None)


def attempt_conclusion(run: WorkflowRun, number: int) -> Conclusion | None:
    """How this attempt of a workflow run ended, with the results that it took over."""
    ends = {one.conclusion for one in latest_of(job.check_run for job in run.jobs if job.attempt <= number)}
    return next((one for one in _WORST if one in ends), None)


def latest_of(runs: Iterable[CheckRun]) -> list[CheckRun]:
    return list({run.name: run for run in runs}.values())


def run_result(run: CheckRun) -> Result:
    if run.status != "completed":
        return "pending"
    return "success" if run.conclusion in _PASSED else "failure"


def status_result(status: Status) -> Result:
    if status.state in ("success", "pending"):
        return "success" if status.state == "success" else "pending"
    return "failure"


def combined_state(repository: Repository, sha: str) -> Literal["success", "pending", "failure"]:
    """The `state` of `GET /commits/{ref}/status`: statuses only, pending if there are none."""
    states = {status_result(one) for one in latest_statuses(repository, sha)}
    if "failure" in states:
        return "failure"
    return "pending" if "pending" in states or not states else "success"


def rollup(repository: Repository, sha: str) -> Rollup | None:
    """The `statusCheckRollup.state` of a commit: None if nothing has been reported."""
    results = [run_result(run) for run in latest_runs(repository, sha)]
    results += [status_result(one) for one in latest_statuses(repository, sha)]
    expected = expected_statuses(repository, sha)
    if not results and not expected:
        return None
    if "failure" in results:
        return "FAILURE"
    if "pending" in results:
        return "PENDING"
    return "EXPECTED" if expected else "SUCCESS"


def required_result(repository: Repository, sha: str, check: RequiredCheck) -> Result:
    """A required check that only another App has reported under this name is still missing."""
    runs = [
        run_result(run)
        for run in latest_runs(repository, sha)
        if run.name == check.context and check.app_id in (None, -1, run.suite.app.id)
    ]
    if check.app_id in (None, -1):
        runs += [status_result(one) for one in latest_statuses(repository, sha) if one.context == check.context]
    if not runs:
        return "missing"
    if "failure" in runs:
        return "failure"
    return "pending" if "pending" in runs else "success"


def required_results(pull: PullRequest) -> dict[RequiredCheck, Result]:
    rules = rules_of(pull.repository, pull.base.ref)
    return {check: required_result(pull.repository, pull.head.sha, check) for check in rules.checks}


def is_required(pull: PullRequest, name: str, app_id: int | None = None) -> bool:
    """Whether a check run (with its App's id) or a status context of this name is required for the pull request."""
    return any(
        check.context == name and check.app_id in (None, -1, app_id)
        for check in rules_of(pull.repository, pull.base.ref).checks
    )
