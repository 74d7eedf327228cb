"""Check suites and runs, statuses, rollups and workflow runs in GraphQL."""

from collections import Counter
from typing import Final

from caseworker.github_double.access import READ_CHECKS, require
from caseworker.github_double.derive.check_results import (
    is_required,
    latest_of,
    rollup,
    suite_conclusion,
    suite_status,
)
from caseworker.github_double.entities.check_records import CheckRun, CheckSuite, Status, WorkflowRun
from caseworker.github_double.entities.repository import PullRequest, Repository
from caseworker.github_double.graphql.ask import Ask, Fields
from caseworker.github_double.graphql.node_views import CommitView, Rollup, StateCount, WorkflowView
from caseworker.github_double.graphql.pages import CONNECTION, Page, page
from caseworker.github_double.moments import wire_time, wire_time_or_none
from caseworker.github_double.refusals import Unprocessable
from caseworker.github_double.shapes.repository_shapes import repository_page


def upper(text: str | None) -> str | None:
    return None if text is None else text.upper()


def home_of(ask: Ask, run_or_suite: CheckSuite | WorkflowRun) -> Repository:
    """The repository of a suite: the records point down only."""
    suite = run_or_suite if isinstance(run_or_suite, CheckSuite) else run_or_suite.suite
    return next(one for one in ask.github.repositories.values() if suite in one.records.suites)


def _judged_pull(ask: Ask, repository: Repository) -> PullRequest:
    """The pull request that `isRequired` is asked for."""
    node = ask.text_or_none("pullRequestId")
    if node is not None:
        found = ask.github.nodes.get(node)
        if isinstance(found, PullRequest):
            return found
    number = ask.number_or_none("pullRequestNumber")
    if number is not None:
        return ask.github.pull(repository, number)
    raise Unprocessable("A pull request ID or pull request number is required.")


def _run_is_required(run: CheckRun, ask: Ask) -> bool:
    return is_required(_judged_pull(ask, home_of(ask, run.suite)), run.name, run.suite.app.id)


def _status_is_required(status: Status, ask: Ask) -> bool:
    if status.state == "expected":
        return True
    home = next(one for one in ask.github.repositories.values() if status in one.records.statuses)
    return is_required(_judged_pull(ask, home), status.context)


def _run_name(run: CheckRun, ask: Ask) -> str:
    """It may not be null: so the whole run is not shown to whom it is refused."""
    require(ask.actor, home_of(ask, run.suite), READ_CHECKS)
    return run.name


def _run_page(run: CheckRun, ask: Ask) -> str:
    return f"{repository_page(ask.github, home_of(ask, run.suite))}/runs/{run.id}"


CHECK_RUN: Final[Fields[CheckRun]] = {
    "id": lambda run, _: run.node_id,
    "databaseId": lambda run, _: run.id,
    "name": _run_name,
    "status": lambda run, _: run.status.upper(),
    "conclusion": lambda run, _: upper(run.conclusion),
    "startedAt": lambda run, _: wire_time_or_none(run.started_at),
    "completedAt": lambda run, _: wire_time_or_none(run.completed_at),
    "detailsUrl": lambda run, ask: run.details_url or _run_page(run, ask),
    "url": _run_page,
    "externalId": lambda run, _: run.external_id,
    "title": lambda run, _: run.output.title,
    "summary": lambda run, _: run.output.summary,
    "text": lambda run, _: run.output.text,
    "checkSuite": lambda run, _: run.suite,
    "isRequired": _run_is_required,
    "repository": lambda run, ask: home_of(ask, run.suite),
}


def _suite_runs(suite: CheckSuite, ask: Ask) -> Page:
    narrow = ask.part("filterBy")
    found = list(suite.runs)
    if narrow.text_or_none("checkType") == "LATEST":
        found = latest_of(found)
    name, status = narrow.text_or_none("checkName"), narrow.text_or_none("status")
    found = [run for run in found if name in (None, run.name) and status in (None, run.status.upper())]
    return page(ask, found)


CHECK_SUITE: Final[Fields[CheckSuite]] = {
    "id": lambda suite, _: suite.node_id,
    "databaseId": lambda suite, _: suite.id,
    "app": lambda suite, _: suite.app,
    "status": lambda suite, _: suite_status(suite).upper(),
    "conclusion": lambda suite, _: upper(suite_conclusion(suite)),
    "checkRuns": _suite_runs,
    "commit": lambda suite, ask: CommitView(repository=home_of(ask, suite), sha=suite.head_sha),
    "createdAt": lambda suite, _: wire_time(suite.created_at),
    "updatedAt": lambda suite, _: wire_time(suite.updated_at),
    "repository": lambda suite, ask: home_of(ask, suite),
    "workflowRun": lambda suite, _: suite.workflow_run,
    "matchingPullRequests": lambda suite, ask: page(ask, _matching(suite, ask)),
}


def _matching(suite: CheckSuite, ask: Ask) -> list[PullRequest]:
    return [pull for pull in home_of(ask, suite).pulls.values() if pull.head.sha == suite.head_sha]


WORKFLOW_RUN: Final[Fields[WorkflowRun]] = {
    "id": lambda run, _: run.node_id,
    "databaseId": lambda run, _: run.id,
    "runNumber": lambda run, _: run.number,
    "event": lambda run, _: run.event,
    "url": lambda run, ask: f"{repository_page(ask.github, home_of(ask, run))}/actions/runs/{run.id}",
    "createdAt": lambda run, _: wire_time(run.created_at),
    "updatedAt": lambda run, _: wire_time(run.updated_at),
    "checkSuite": lambda run, _: run.suite,
    "workflow": lambda run, _: WorkflowView(run=run),
}
WORKFLOW: Final[Fields[WorkflowView]] = {
    "id": lambda view, _: f"W_{view.run.workflow_id}",
    "databaseId": lambda view, _: view.run.workflow_id,
    "name": lambda view, _: view.run.name,
    "state": lambda _, __: "ACTIVE",
}
STATUS_CONTEXT: Final[Fields[Status]] = {
    "id": lambda status, _: status.node_id,
    "context": lambda status, _: status.context,
    "state": lambda status, _: status.state.upper(),
    "description": lambda status, _: status.description,
    "targetUrl": lambda status, _: status.target_url,
    "createdAt": lambda status, _: wire_time(status.created_at),
    "creator": lambda status, _: status.creator,
    "avatarUrl": lambda _, __: None,
    "isRequired": _status_is_required,
}


def _rollup_state(found: Rollup, _ask: Ask) -> str:
    return rollup(found.repository, found.sha) or "PENDING"


ROLLUP: Final[Fields[Rollup]] = {
    "id": lambda found, _: f"SCR_{found.sha}",
    "state": _rollup_state,
    "commit": lambda found, _: CommitView(repository=found.repository, sha=found.sha),
    "contexts": lambda found, ask: page(ask, found.contexts()),
}


def _run_counts(found: Page, _ask: Ask) -> list[StateCount]:
    runs = [one for one in found.everything if isinstance(one, CheckRun)]
    counts = Counter(run.conclusion.upper() if run.conclusion else run.status.upper() for run in runs)
    return [StateCount(state=state, count=count) for state, count in counts.items()]


def _status_counts(found: Page, _ask: Ask) -> list[StateCount]:
    counts = Counter(one.state.upper() for one in found.everything if isinstance(one, Status))
    return [StateCount(state=state, count=count) for state, count in counts.items()]


CONTEXTS: Final[Fields[Page]] = {
    **CONNECTION,
    "checkRunCount": lambda found, _: sum(isinstance(one, CheckRun) for one in found.everything),
    "statusContextCount": lambda found, _: sum(isinstance(one, Status) for one in found.everything),
    "checkRunCountsByState": _run_counts,
    "statusContextCountsByState": _status_counts,
}
STATE_COUNT: Final[Fields[StateCount]] = {
    "state": lambda counted, _: counted.state,
    "count": lambda counted, _: counted.count,
}
