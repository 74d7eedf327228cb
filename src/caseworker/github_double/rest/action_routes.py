"""Runs and jobs of GitHub Actions, their logs, and running them again."""

import io
import zipfile

from caseworker.github_double.access import PUSH, READ_ACTIONS, RUN_ACTIONS
from caseworker.github_double.acts.workflow_acts import approve_run, find_job, find_run, rerun, rerun_failed
from caseworker.github_double.derive.check_results import suite_conclusion, suite_status
from caseworker.github_double.entities.check_records import RunAttempt, WorkflowRun
from caseworker.github_double.front import Answer
from caseworker.github_double.refusals import Gone, NotFound
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


def get_attempt(call: Call) -> Answer:
    repository = call.repository(READ_ACTIONS)
    run = find_run(repository, call.number("id"))
    return Answer(workflow_run_json(call.github, repository, run, attempt=_attempt(call, run)))


def list_attempt_jobs(call: Call) -> Answer:
    repository = call.repository(READ_ACTIONS)
    run = find_run(repository, call.number("id"))
    number = _attempt(call, run).number
    jobs = [job for job in run.jobs if job.attempt == number]
    return call.counted_page("jobs", jobs, lambda one: job_json(call.github, repository, one))


def _attempt(call: Call, run: WorkflowRun) -> RunAttempt:
    found = next((one for one in run.attempts if one.number == call.number("attempt")), None)
    if found is None:
        raise NotFound
    return found


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
    log = find_job(repository, call.number("id")).log.encode()
    if not log:
        raise Gone("Server Error")
    plain = "text/plain; charset=utf-8"
    start = call.first_byte()
    if start is None:
        return Answer(log, media_type=plain)
    if start >= len(log):
        return Answer(None, 416, {"content-range": f"bytes */{len(log)}"})
    place = {"content-range": f"bytes {start}-{len(log) - 1}/{len(log)}"}
    return Answer(log[start:], 206, place, media_type=plain)


def get_run_logs(call: Call) -> Answer:
    """A redirect to the zip of the newest attempt, or of the one that the path names."""
    repository = call.repository(READ_ACTIONS)
    run = find_run(repository, call.number("id"))
    number = _attempt(call, run).number if "/attempts/" in call.path else run.attempt
    return Answer(None, 302, {"location": f"{call.github.url}/_logs/{repository.id}/runs/{run.id}/{number}"})


def read_run_logs(call: Call) -> Answer:
    """A zip with one file for each job."""
    repository = call.github.repository_by_id(call.number("repository"))
    run = find_run(repository, call.number("id"))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for place, job in enumerate(one for one in run.jobs if one.attempt == call.number("attempt")):
            archive.writestr(f"{place}_{job.check_run.name.replace('/', '')}.txt", job.log)
    return Answer(packed.getvalue(), media_type="application/zip")


def rerun_all(call: Call) -> Answer:
    repository = call.repository(RUN_ACTIONS)
    rerun(call.github, call.actor, repository, find_run(repository, call.number("id")))
    return Answer({}, 201)


def rerun_what_failed(call: Call) -> Answer:
    repository = call.repository(RUN_ACTIONS)
    rerun_failed(call.github, call.actor, repository, find_run(repository, call.number("id")))
    return Answer({}, 201)


def rerun_job(call: Call) -> Answer:
    repository = call.repository(RUN_ACTIONS)
    job = find_job(repository, call.number("id"))
    rerun_failed(call.github, call.actor, repository, job.run, also=job.check_run.name)
    return Answer({}, 201)


def approve(call: Call) -> Answer:
    repository = call.repository(PUSH)
    approve_run(call.github, call.actor, repository, find_run(repository, call.number("id")))
    return Answer({}, 201)


def list_artifacts(call: Call) -> Answer:
    """Nothing is kept."""
    find_run(call.repository(READ_ACTIONS), call.number("id"))
    return call.counted_page("artifacts", [], lambda one: one)


def get_workflow(call: Call) -> Answer:
    repository = call.repository(READ_ACTIONS)
    found = [run for run in repository.records.workflow_runs if run.workflow_id == call.number("id")]
    if not found:
        raise NotFound
    return Answer(workflow_json(call.github, repository, found[-1]))


def list_workflows(call: Call) -> Answer:
    repository = call.repository(READ_ACTIONS)
    newest = list({run.workflow_id: run for run in repository.records.workflow_runs}.values())
    return call.counted_page("workflows", newest, lambda one: workflow_json(call.github, repository, one))


_HOME = "/repos/{owner}/{repo}/actions"

ROUTES = (
    RestRoute("GET", f"{_HOME}/runs", list_runs),
    RestRoute("GET", f"{_HOME}/workflows", list_workflows),
    RestRoute("GET", f"{_HOME}/runs/{{id:int}}", get_run),
    RestRoute("GET", f"{_HOME}/workflows/{{id:int}}", get_workflow),
    RestRoute("GET", f"{_HOME}/runs/{{id:int}}/jobs", list_jobs),
    RestRoute("GET", f"{_HOME}/runs/{{id:int}}/artifacts", list_artifacts),
    RestRoute("GET", f"{_HOME}/runs/{{id:int}}/attempts/{{attempt:int}}", get_attempt),
    RestRoute("GET", f"{_HOME}/runs/{{id:int}}/attempts/{{attempt:int}}/jobs", list_attempt_jobs),
    RestRoute("GET", f"{_HOME}/runs/{{id:int}}/attempts/{{attempt:int}}/logs", get_run_logs),
    RestRoute("GET", f"{_HOME}/runs/{{id:int}}/logs", get_run_logs),
    RestRoute("POST", f"{_HOME}/runs/{{id:int}}/rerun", rerun_all),
    RestRoute("POST", f"{_HOME}/runs/{{id:int}}/rerun-failed-jobs", rerun_what_failed),
    RestRoute("POST", f"{_HOME}/runs/{{id:int}}/approve", approve),
    RestRoute("GET", f"{_HOME}/jobs/{{id:int}}", get_job),
    RestRoute("GET", f"{_HOME}/jobs/{{id:int}}/logs", get_job_log),
    RestRoute("POST", f"{_HOME}/jobs/{{id:int}}/rerun", rerun_job),
    RestRoute("GET", "/_logs/{repository:int}/jobs/{id:int}", read_job_log),
    RestRoute("GET", "/_logs/{repository:int}/runs/{id:int}/{attempt:int}", read_run_logs),
)
