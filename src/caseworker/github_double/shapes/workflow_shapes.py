"""Runs and jobs of GitHub Actions as JSON."""

from caseworker.github_double import git_store
from caseworker.github_double.derive.check_results import attempt_conclusion, suite_conclusion, suite_status
from caseworker.github_double.entities.check_records import RunAttempt, WorkflowJob, WorkflowRun
from caseworker.github_double.entities.repository import Repository
from caseworker.github_double.moments import wire_time, wire_time_or_none
from caseworker.github_double.shapes.account_shapes import user_json
from caseworker.github_double.shapes.check_shapes import pull_minimal_json
from caseworker.github_double.shapes.commit_shapes import simple_commit_json
from caseworker.github_double.shapes.repository_shapes import minimal_repository_json, repository_page, repository_url
from caseworker.github_double.state import GitHub, Json


def workflow_run_json(
    github: GitHub, repository: Repository, run: WorkflowRun, *, attempt: RunAttempt | None = None
) -> Json:
    """`attempt`: an earlier one, as it ended; otherwise the newest."""
    tried = attempt or run.attempts[-1]
    is_old = tried.number < run.attempt
    home = repository_url(github, repository)
    url = f"{home}/actions/runs/{run.id}"
    suite = run.suite
    pulls = [repository.pulls[number] for number in run.pull_numbers if number in repository.pulls]
    minimal = minimal_repository_json(github, repository)
    return {
        "id": run.id,
        "name": run.name,
        "node_id": run.node_id,
        "head_branch": suite.head_branch,
        "head_sha": suite.head_sha,
        "path": run.path,
        "display_title": git_store.commit(repository.path, suite.head_sha).headline,
        "run_number": run.number,
        "event": run.event,
        "status": "completed" if is_old else suite_status(suite),
        "conclusion": attempt_conclusion(run, tried.number) if is_old else suite_conclusion(suite),
        "workflow_id": run.workflow_id,
        "check_suite_id": suite.id,
        "check_suite_node_id": suite.node_id,
        "url": url,
        "html_url": f"{repository_page(github, repository)}/actions/runs/{run.id}",
        "pull_requests": [pull_minimal_json(github, one) for one in pulls if not one.is_cross_repository],
        "created_at": wire_time(run.created_at),
        "updated_at": wire_time(run.updated_at),
        "actor": user_json(github, run.actor),
        "run_attempt": tried.number,
        "referenced_workflows": [],
        "run_started_at": wire_time(tried.started_at),
        "triggering_actor": user_json(github, tried.actor),
        "jobs_url": f"{url}/jobs",
        "logs_url": f"{url}/logs",
        "check_suite_url": f"{home}/check-suites/{suite.id}",
        "artifacts_url": f"{url}/artifacts",
        "cancel_url": f"{url}/cancel",
        "rerun_url": f"{url}/rerun",
        "previous_attempt_url": f"{url}/attempts/{tried.number - 1}" if tried.number > 1 else None,
        "workflow_url": f"{home}/actions/workflows/{run.workflow_id}",
        "head_commit": simple_commit_json(repository, suite.head_sha),
        "repository": minimal,
        "head_repository": minimal,
    }


def workflow_json(github: GitHub, repository: Repository, run: WorkflowRun) -> Json:
    url = f"{repository_url(github, repository)}/actions/workflows/{run.workflow_id}"
    page = repository_page(github, repository)
    file = run.path.rpartition("/")[2]
    return {
        "id": run.workflow_id,
        "node_id": f"W_{run.workflow_id}",
        "name": run.name,
        "path": run.path,
        "state": "active",
        "created_at": wire_time(run.created_at),
        "updated_at": wire_time(run.created_at),
        "url": url,
        "html_url": f"{page}/blob/{repository.default_branch}/{run.path}",
        "badge_url": f"{page}/workflows/{file}/badge.svg",
    }


def job_json(github: GitHub, repository: Repository, job: WorkflowJob) -> Json:
    home, page = repository_url(github, repository), repository_page(github, repository)
    check, run = job.check_run, job.run
    started = wire_time(check.started_at or run.created_at)
    return {
        "id": job.id,
        "run_id": run.id,
        "workflow_name": run.name,
        "head_branch": run.suite.head_branch,
        "run_url": f"{home}/actions/runs/{run.id}",
        "run_attempt": job.attempt,
        "node_id": check.node_id,
        "head_sha": run.suite.head_sha,
        "url": f"{home}/actions/jobs/{job.id}",
        "html_url": f"{page}/actions/runs/{run.id}/job/{job.id}",
        "status": check.status,
        "conclusion": check.conclusion,
        "created_at": wire_time(run.attempts[job.attempt - 1].started_at),
        "started_at": started,
        "completed_at": wire_time_or_none(check.completed_at),
        "name": check.name,
        "steps": [
            {
                "name": step.name,
                "status": step.status,
                "conclusion": step.conclusion,
                "number": step.number,
                "started_at": started,
                "completed_at": wire_time_or_none(check.completed_at),
            }
            for step in job.steps
        ],
        "check_run_url": f"{home}/check-runs/{check.id}",
        "labels": ["ubuntu-latest"],
        "runner_id": 1,
        "runner_name": "double",
        "runner_group_id": 1,
        "runner_group_name": "Default",
    }
