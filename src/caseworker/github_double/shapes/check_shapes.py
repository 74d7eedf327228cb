"""Check runs, check suites and statuses as JSON."""

from caseworker.github_double.derive.check_results import (
    combined_state,
    latest_statuses,
    suite_conclusion,
    suite_status,
)
from caseworker.github_double.entities.check_records import Annotation, CheckRun, CheckSuite, Status
from caseworker.github_double.entities.repository import PullRequest, Repository
from caseworker.github_double.moments import wire_time, wire_time_or_none
from caseworker.github_double.shapes.account_shapes import app_json, user_json
from caseworker.github_double.shapes.commit_shapes import simple_commit_json
from caseworker.github_double.shapes.repository_shapes import minimal_repository_json, repository_page, repository_url
from caseworker.github_double.state import GitHub, Json


def pulls_of_commit(repository: Repository, sha: str) -> list[PullRequest]:
    """Open pull requests of this repository's own branches at this commit: forks are left out, as on GitHub."""
    return [
        pull
        for pull in repository.pulls.values()
        if pull.is_open and pull.head.sha == sha and not pull.is_cross_repository
    ]


def pull_minimal_json(github: GitHub, pull: PullRequest) -> Json:
    def end(repository: Repository, ref: str, sha: str) -> Json:
        short = {"id": repository.id, "url": repository_url(github, repository), "name": repository.name}
        return {"ref": ref, "sha": sha, "repo": short}

    return {
        "url": f"{repository_url(github, pull.repository)}/pulls/{pull.number}",
        "id": pull.id,
        "number": pull.number,
        "head": end(pull.head.repository or pull.repository, pull.head.ref, pull.head.sha),
        "base": end(pull.repository, pull.base.ref, pull.base.sha),
    }


def check_run_json(github: GitHub, repository: Repository, run: CheckRun) -> Json:
    home, page = repository_url(github, repository), repository_page(github, repository)
    workflow = run.suite.workflow_run
    job_page = f"{page}/actions/runs/{workflow.id}/job/{run.id}" if workflow else f"{page}/runs/{run.id}"
    return {
        "id": run.id,
        "name": run.name,
        "node_id": run.node_id,
        "head_sha": run.head_sha,
        "external_id": run.external_id,
        "url": f"{home}/check-runs/{run.id}",
        "html_url": job_page,
        "details_url": run.details_url or job_page,
        "status": run.status,
        "conclusion": run.conclusion,
        "started_at": wire_time_or_none(run.started_at),
        "completed_at": wire_time_or_none(run.completed_at),
        "output": {
            "title": run.output.title,
            "summary": run.output.summary,
            "text": run.output.text,
            "annotations_count": len(run.output.annotations),
            "annotations_url": f"{home}/check-runs/{run.id}/annotations",
        },
        "check_suite": {"id": run.suite.id},
        "app": app_json(github, run.suite.app),
        "pull_requests": [pull_minimal_json(github, one) for one in pulls_of_commit(repository, run.head_sha)],
    }


def check_run_event_json(github: GitHub, repository: Repository, run: CheckRun) -> Json:
    """As webhooks have it: with the suite in it."""
    return {**check_run_json(github, repository, run), "check_suite": _suite_in_run(github, repository, run.suite)}


def annotation_json(github: GitHub, repository: Repository, sha: str, annotation: Annotation) -> Json:
    return {
        "path": annotation.path,
        "blob_href": f"{repository_page(github, repository)}/blob/{sha}/{annotation.path}",
        "start_line": annotation.start_line,
        "start_column": None,
        "end_line": annotation.end_line,
        "end_column": None,
        "annotation_level": annotation.level,
        "title": annotation.title,
        "message": annotation.message,
        "raw_details": None,
    }


def check_suite_json(github: GitHub, repository: Repository, suite: CheckSuite) -> Json:
    return {
        **_suite_in_run(github, repository, suite),
        "repository": minimal_repository_json(github, repository),
        "head_commit": simple_commit_json(repository, suite.head_sha),
        "latest_check_runs_count": len(suite.runs),
        "check_runs_url": f"{repository_url(github, repository)}/check-suites/{suite.id}/check-runs",
        "rerequestable": True,
        "runs_rerequestable": True,
    }


def check_suite_event_json(github: GitHub, repository: Repository, suite: CheckSuite) -> Json:
    body = check_suite_json(github, repository, suite)
    del body["repository"]
    return body


def _suite_in_run(github: GitHub, repository: Repository, suite: CheckSuite) -> Json:
    return {
        "id": suite.id,
        "node_id": suite.node_id,
        "head_branch": suite.head_branch,
        "head_sha": suite.head_sha,
        "status": suite_status(suite),
        "conclusion": suite_conclusion(suite),
        "url": f"{repository_url(github, repository)}/check-suites/{suite.id}",
        "before": suite.before,
        "after": suite.head_sha,
        "pull_requests": [pull_minimal_json(github, one) for one in pulls_of_commit(repository, suite.head_sha)],
        "app": app_json(github, suite.app),
        "created_at": wire_time(suite.created_at),
        "updated_at": wire_time(suite.updated_at),
    }


def status_json(github: GitHub, repository: Repository, status: Status) -> Json:
    return {
        "url": f"{repository_url(github, repository)}/statuses/{status.sha}",
        "avatar_url": user_json(github, status.creator)["avatar_url"],
        "id": status.id,
        "node_id": status.node_id,
        "state": status.state,
        "description": status.description,
        "target_url": status.target_url,
        "context": status.context,
        "created_at": wire_time(status.created_at),
        "updated_at": wire_time(status.created_at),
        "creator": user_json(github, status.creator),
    }


def combined_status_json(github: GitHub, repository: Repository, sha: str) -> Json:
    statuses = latest_statuses(repository, sha)
    home = repository_url(github, repository)
    return {
        "state": combined_state(repository, sha),
        "statuses": [status_json(github, repository, one) for one in statuses],
        "sha": sha,
        "total_count": len(statuses),
        "repository": minimal_repository_json(github, repository),
        "commit_url": f"{home}/commits/{sha}",
        "url": f"{home}/commits/{sha}/status",
    }
