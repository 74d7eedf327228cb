"""Checks: what CI and Apps report about a commit."""

from dataclasses import dataclass
from typing import Final

from caseworker.github_double import git_store
from caseworker.github_double.access import WRITE_CHECKS, WRITE_STATUSES, require
from caseworker.github_double.acts.announce import announce, author_of
from caseworker.github_double.derive.check_results import suite_status
from caseworker.github_double.entities.accounts import Actor, App, User
from caseworker.github_double.entities.check_records import (
    Annotation,
    CheckOutput,
    CheckRun,
    CheckStatus,
    CheckSuite,
    Conclusion,
    Status,
    StatusState,
)
from caseworker.github_double.entities.repository import Repository
from caseworker.github_double.refusals import FieldError, Forbidden, NotFound, Unprocessable
from caseworker.github_double.shapes.check_shapes import check_run_event_json, check_suite_event_json, status_json
from caseworker.github_double.shapes.commit_shapes import commit_json
from caseworker.github_double.shapes.repository_shapes import repository_url
from caseworker.github_double.state import GitHub

_LONGEST_STATUS: Final = 140
_TOO_LONG: Final = f"description is too long (maximum is {_LONGEST_STATUS} characters)"


@dataclass(frozen=True, kw_only=True)
class CheckReport:
    """What somebody says of a check run; None leaves a field as it is."""

    status: CheckStatus | None = None
    conclusion: Conclusion | None = None
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    annotations: tuple[Annotation, ...] = ()
    details_url: str | None = None
    external_id: str | None = None


def create_check_run(
    github: GitHub, actor: Actor, repository: Repository, *, name: str, sha: str, report: CheckReport
) -> CheckRun:
    """By an App for itself: people cannot create check runs."""
    require(actor, repository, WRITE_CHECKS)
    app = actor.installation.app if actor.installation is not None else None
    if app is None:
        raise Forbidden("You must authenticate via a GitHub App.", accepted=WRITE_CHECKS.accepted)
    if git_store.resolve(repository.path, sha) is None:
        raise Unprocessable(f"No commit found for SHA: {sha}")
    suite = next(
        (one for one in repository.records.suites if one.head_sha == sha and one.app is app and not one.workflow_run),
        None,
    )
    return add_check_run(github, app.bot, repository, suite or open_suite(github, repository, app, sha), name, report)


def update_check_run(
    github: GitHub, actor: Actor, repository: Repository, run: CheckRun, report: CheckReport, *, name: str | None = None
) -> None:
    require(actor, repository, WRITE_CHECKS)
    if actor.installation is None or actor.installation.app is not run.suite.app:
        raise Forbidden("Invalid app_id - check run can only be modified by the GitHub App that created it.")
    run.name = name or run.name
    report_check_run(github, author_of(actor), repository, run, report)


def rerequest_check_run(github: GitHub, actor: Actor, repository: Repository, run: CheckRun) -> None:
    """Asks the App that made it to run it again."""
    require(actor, repository, WRITE_CHECKS)
    _tell_run(github, author_of(actor), repository, run, "rerequested")


# --- the ground: suites and runs, for CI and for the acts above; no rights are checked


def open_suite(github: GitHub, repository: Repository, app: App, sha: str, *, branch: str | None = None) -> CheckSuite:
    key, now = github.new_key("CS"), github.now()
    suite = CheckSuite(
        id=key.id,
        node_id=key.node_id,
        app=app,
        head_sha=sha,
        head_branch=branch or _branch_of(repository, sha),
        before=None,
        created_at=now,
        updated_at=now,
    )
    repository.records.suites.append(suite)
    github.nodes[key.node_id] = suite
    return suite


def add_check_run(
    github: GitHub, sender: User, repository: Repository, suite: CheckSuite, name: str, report: CheckReport
) -> CheckRun:
    key = github.new_key("CR")
    run = CheckRun(id=key.id, node_id=key.node_id, suite=suite, name=name)
    suite.runs.append(run)
    github.nodes[key.node_id] = run
    _apply(github, run, report)
    _tell_run(github, sender, repository, run, "created")
    _tell_end(github, sender, repository, run)
    return run


def report_check_run(github: GitHub, sender: User, repository: Repository, run: CheckRun, report: CheckReport) -> None:
    _apply(github, run, report)
    _tell_end(github, sender, repository, run)


def find_check_run(repository: Repository, number: int) -> CheckRun:
    found = next((run for suite in repository.records.suites for run in suite.runs if run.id == number), None)
    if found is None:
        raise NotFound
    return found


def find_suite(repository: Repository, number: int) -> CheckSuite:
    found = next((suite for suite in repository.records.suites if suite.id == number), None)
    if found is None:
        raise NotFound
    return found


def create_status(
    github: GitHub,
    actor: Actor,
    repository: Repository,
    *,
    sha: str,
    state: StatusState,
    context: str = "default",
    description: str | None = None,
    target_url: str | None = None,
) -> Status:
    require(actor, repository, WRITE_STATUSES)
    if git_store.resolve(repository.path, sha) != sha:
        raise Unprocessable(f"No commit found for SHA: {sha}")
    if len(description or "") > _LONGEST_STATUS:
        wrong = FieldError(resource="Status", field="description", code="custom", message=_TOO_LONG)
        raise Unprocessable("Validation Failed", wrong)
    key = github.new_key("SC")
    status = Status(
        id=key.id,
        node_id=key.node_id,
        sha=sha,
        context=context,
        state=state,
        description=description,
        target_url=target_url,
        creator=author_of(actor),
        created_at=github.now(),
    )
    repository.records.statuses.append(status)
    github.nodes[key.node_id] = status
    _tell_status(github, repository, status)
    return status


def _apply(github: GitHub, run: CheckRun, report: CheckReport) -> None:
    now = github.now()
    if report.conclusion is not None:
        run.status, run.conclusion, run.completed_at = "completed", report.conclusion, now
    elif report.status is not None:
        run.status = report.status
        if report.status != "completed":
            run.conclusion = run.completed_at = None
    run.started_at = run.started_at or now
    said = run.output
    run.output = CheckOutput(
        title=report.title if report.title is not None else said.title,
        summary=report.summary if report.summary is not None else said.summary,
        text=report.text if report.text is not None else said.text,
        annotations=[*said.annotations, *report.annotations],
    )
    run.details_url = report.details_url or run.details_url
    run.external_id = report.external_id or run.external_id
    run.suite.updated_at = now


def _tell_run(github: GitHub, sender: User, repository: Repository, run: CheckRun, action: str) -> None:
    announce(github, sender, repository, "check_run", action, check_run=check_run_event_json(github, repository, run))


def _tell_end(github: GitHub, sender: User, repository: Repository, run: CheckRun) -> None:
    """Tells that a run has completed, and the suite with its last run."""
    if run.status != "completed":
        return
    _tell_run(github, sender, repository, run, "completed")
    if suite_status(run.suite) == "completed":
        shown = check_suite_event_json(github, repository, run.suite)
        announce(github, sender, repository, "check_suite", "completed", check_suite=shown)


def _tell_status(github: GitHub, repository: Repository, status: Status) -> None:
    shown = status_json(github, repository, status)
    names = ("id", "avatar_url", "target_url", "context", "description", "state", "created_at", "updated_at")
    home = repository_url(github, repository)
    at_commit = [
        {"name": name, "commit": {"sha": sha, "url": f"{home}/commits/{sha}"}, "protected": False}
        for name, sha in git_store.branches(repository.path).items()
        if sha == status.sha
    ]
    announce(
        github,
        status.creator,
        repository,
        "status",
        None,
        **{name: shown[name] for name in names},
        sha=status.sha,
        name=repository.full_name,
        commit=commit_json(github, repository, status.sha),
        branches=at_commit,
    )


def _branch_of(repository: Repository, sha: str) -> str | None:
    return next((name for name, at in git_store.branches(repository.path).items() if at == sha), None)
