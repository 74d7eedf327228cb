"""Runs of GitHub Actions: begin, report, run again, approve. CI calls these; people ask for another run."""

from caseworker.github_double.access import PUSH, RUN_ACTIONS, require
from caseworker.github_double.acts.announce import announce, author_of
from caseworker.github_double.acts.check_acts import CheckReport, add_check_run, open_suite, report_check_run
from caseworker.github_double.derive.check_results import latest_of, suite_status
from caseworker.github_double.entities.accounts import Actor, App, User
from caseworker.github_double.entities.check_records import JobStep, RunAttempt, WorkflowJob, WorkflowRun
from caseworker.github_double.entities.repository import Repository
from caseworker.github_double.refusals import Forbidden, NotFound
from caseworker.github_double.shapes.workflow_shapes import workflow_json, workflow_run_json
from caseworker.github_double.state import GitHub


def begin_run(
    github: GitHub,
    app: App,
    repository: Repository,
    *,
    name: str,
    path: str,
    event: str,
    sha: str,
    branch: str,
    actor: User,
    pull_numbers: tuple[int, ...] = (),
) -> WorkflowRun:
    """A new run of a workflow file, with its own check suite. `app` is GitHub Actions."""
    suite = open_suite(github, repository, app, sha, branch=branch)
    earlier = [one for one in repository.records.workflow_runs if one.path == path]
    key, now = github.new_key("WFR"), github.now()
    run = WorkflowRun(
        id=key.id,
        node_id=key.node_id,
        suite=suite,
        name=name,
        path=path,
        workflow_id=earlier[0].workflow_id if earlier else github.new_key("W").id,
        event=event,
        actor=actor,
        number=len(earlier) + 1,
        attempts=[RunAttempt(number=1, actor=actor, started_at=now)],
        created_at=now,
        updated_at=now,
        pull_numbers=list(pull_numbers),
    )
    suite.workflow_run = run
    repository.records.workflow_runs.append(run)
    github.nodes[key.node_id] = run
    _tell_run(github, actor, repository, run, "requested")
    return run


def add_job(github: GitHub, repository: Repository, run: WorkflowRun, name: str) -> WorkflowJob:
    check = add_check_run(github, run.actor, repository, run.suite, name, CheckReport(status="queued"))
    job = WorkflowJob(id=check.id, run=run, check_run=check, attempt=run.attempt)
    run.jobs.append(job)
    return job


def report_job(
    github: GitHub,
    repository: Repository,
    job: WorkflowJob,
    report: CheckReport,
    *,
    steps: tuple[JobStep, ...] | None = None,
    log: str | None = None,
) -> None:
    """What CI says of a job; when the last one has ended, the run has."""
    if steps is not None:
        job.steps = list(steps)
    if log is not None:
        job.log = log
    run = job.run
    run.updated_at = github.now()
    report_check_run(github, run.actor, repository, job.check_run, report)
    if report.conclusion is not None and suite_status(run.suite) == "completed":
        _tell_run(github, run.actor, repository, run, "completed")


def rerun(
    github: GitHub, actor: Actor, repository: Repository, run: WorkflowRun, *, kept: frozenset[str] = frozenset()
) -> None:
    """Asks for another attempt. A runner of workflows listens for `workflow_run.requested` with a higher attempt."""
    require(actor, repository, RUN_ACTIONS)
    if suite_status(run.suite) != "completed" or run.suite.awaits_approval:
        raise Forbidden("This workflow is already running")
    by, now = author_of(actor), github.now()
    run.attempts.append(RunAttempt(number=run.attempt + 1, actor=by, started_at=now, kept=kept))
    run.updated_at = now
    _tell_run(github, by, repository, run, "requested")


def rerun_failed(
    github: GitHub, actor: Actor, repository: Repository, run: WorkflowRun, *, also: str | None = None
) -> None:
    """Another attempt of what did not pass. `also`: a job that is tried again although it passed."""
    passed = {one.name for one in latest_of(run.suite.runs) if one.conclusion == "success"}
    if also is None and len(passed) == len(latest_of(run.suite.runs)):
        raise Forbidden("This workflow run cannot be retried: it has no failed jobs")
    rerun(github, actor, repository, run, kept=frozenset(passed - {also}))


def approve_run(github: GitHub, actor: Actor, repository: Repository, run: WorkflowRun) -> None:
    """Lets the workflow of a fork run."""
    require(actor, repository, PUSH)
    if not run.suite.awaits_approval:
        raise Forbidden("This workflow run is not waiting for approval")
    run.suite.awaits_approval = False
    _tell_run(github, author_of(actor), repository, run, "requested")


def find_run(repository: Repository, number: int) -> WorkflowRun:
    found = next((one for one in repository.records.workflow_runs if one.id == number), None)
    if found is None:
        raise NotFound
    return found


def find_job(repository: Repository, number: int) -> WorkflowJob:
    jobs = (job for run in repository.records.workflow_runs for job in run.jobs)
    found = next((job for job in jobs if job.id == number), None)
    if found is None:
        raise NotFound
    return found


def _tell_run(github: GitHub, sender: User, repository: Repository, run: WorkflowRun, action: str) -> None:
    shown = {
        "workflow_run": workflow_run_json(github, repository, run),
        "workflow": workflow_json(github, repository, run),
    }
    announce(github, sender, repository, "workflow_run", action, **shown)
