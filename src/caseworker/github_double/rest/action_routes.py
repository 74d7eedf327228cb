"""Runs and jobs of GitHub Actions, their logs, and running them again."""

import io
import zipfile

from caseworker.github_double.access import PUSH, READ_ACTIONS, RUN_ACTIONS
from caseworker.github_double.acts.workflow_acts import approve_run, find_job, find_run, rerun
from caseworker.github_double.derive.check_results import suite_conclusion, suite_status
from caseworker.github_double.front import Answer
from caseworker.github_double.refusals import Forbidden, Gone
from caseworker.github_double.rest.exchange import Call, RestRoute
from caseworker.github_double.shapes.workflow_shapes import job_json, workflow_json, workflow_run_json


def list_runs(call: Call) -> Answer:
    repository = call.repository(READ_ACTIONS)
    branch, event, sha, status = (call.query(name) for name in ("branch", "event", "head_sha", "status"))
    found = [
        run
        for run in reversed(repository.records.workflow_runs)
        if branch in ("", run.suite.head_branch)
        and event in ("", run.event)
        and sha in ("", run.suite.head_sha)
        and status in ("", suite_status(run.suite), suite_conclusion(run.suite))
    ]
    return call.counted_page("workflow_runs", found, lambda one: workflow_run_json(call.github, repository, one))


def get_run(call: Call) -> Answer:
    repository = call.repository(READ_ACTIONS)
    return Answer(workflow_run_json(call.github, repository, find_run(repository, call.number("id"))))


def list_jobs(call: Call) -> Answer:
    repository = call.repository(READ_ACTIONS)
    run = find_run(repository, call.number("id"))
    every = call.query("filter", "latest") == "all"
    jobs = [job for job in run.jobs if every or job.attempt == run.attempt]
    return call.counted_page("jobs", jobs, lambda one: job_json(call.github, repository, one))


def get_job(call: Call) -> Answer:
    repository = call.repository(READ_ACTIONS)
    return Answer(job_json(call.github, repository, find_job(repository, call.number("id"))))


def get_job_log(call: Call) -> Answer:
    """A redirect to the text, as on GitHub."""
    repository = call.repository(READ_ACTIONS)
    job = find_job(repository, call.number("id"))
    return Answer(None, 302, {"location": f"{call.github.url}/_logs/{repository.id}/jobs/{job.id}"})


def read_job_log(call: Call) -> Answer:
    repository = call.github.repository_by_id(call.number("repository"))
    log = find_job(repository, call.number("id")).log
    if not log:
        raise Gone("Server Error")
    return Answer(log.encode(), media_type="text/plain; charset=utf-8")


def get_run_logs(call: Call) -> Answer:
    """A zip with one file for each job."""
    repository = call.repository(READ_ACTIONS)
    run = find_run(repository, call.number("id"))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for place, job in enumerate(run.jobs):
            archive.writestr(f"{place}_{job.check_run.name.replace('/', '')}.txt", job.log)
    return Answer(packed.getvalue(), media_type="application/zip")


def rerun_all(call: Call) -> Answer:
    repository = call.repository(RUN_ACTIONS)
    rerun(call.github, call.actor, repository, find_run(repository, call.number("id")))
    return Answer({}, 201)


def rerun_failed(call: Call) -> Answer:
    repository = call.repository(RUN_ACTIONS)
    run = find_run(repository, call.number("id"))
    if suite_conclusion(run.suite) == "success":
        raise Forbidden("This workflow run cannot be retried: it has no failed jobs")
    rerun(call.github, call.actor, repository, run)
    return Answer({}, 201)


def rerun_job(call: Call) -> Answer:
    repository = call.repository(RUN_ACTIONS)
    rerun(call.github, call.actor, repository, find_job(repository, call.number("id")).run)
    return Answer({}, 201)


def approve(call: Call) -> Answer:
    repository = call.repository(PUSH)
    approve_run(call.github, call.actor, repository, find_run(repository, call.number("id")))
    return Answer({}, 201)


def list_workflows(call: Call) -> Answer:
    repository = call.repository(READ_ACTIONS)
    newest = list({run.workflow_id: run for run in repository.records.workflow_runs}.values())
    return call.counted_page("workflows", newest, lambda one: workflow_json(call.github, repository, one))


_HOME = "/repos/{owner}/{repo}/actions"

ROUTES = (
    RestRoute("GET", f"{_HOME}/runs", list_runs),
    RestRoute("GET", f"{_HOME}/workflows", list_workflows),
    RestRoute("GET", f"{_HOME}/runs/{{id:int}}", get_run),
    RestRoute("GET", f"{_HOME}/runs/{{id:int}}/jobs", list_jobs),
    RestRoute("GET", f"{_HOME}/runs/{{id:int}}/logs", get_run_logs),
    RestRoute("POST", f"{_HOME}/runs/{{id:int}}/rerun", rerun_all),
    RestRoute("POST", f"{_HOME}/runs/{{id:int}}/rerun-failed-jobs", rerun_failed),
    RestRoute("POST", f"{_HOME}/runs/{{id:int}}/approve", approve),
    RestRoute("GET", f"{_HOME}/jobs/{{id:int}}", get_job),
    RestRoute("GET", f"{_HOME}/jobs/{{id:int}}/logs", get_job_log),
    RestRoute("POST", f"{_HOME}/jobs/{{id:int}}/rerun", rerun_job),
    RestRoute("GET", "/_logs/{repository:int}/jobs/{id:int}", read_job_log),
)
