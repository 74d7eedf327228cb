"""What we read of GitHub's answers about failed checks. Names are GitHub's; nothing of this leaves the package."""

from datetime import datetime

from caseworker.forges.github.payloads import CheckRunData, CommitData, Payload, StatusData, WorkflowRunData


class SuiteId(Payload):
    id: int


class DatedRunData(CheckRunData):
    """A check run with what ties it to a workflow run."""

    completed_at: datetime | None = None
    details_url: str | None = None
    check_suite: SuiteId | None = None


class DatedRunsData(Payload):
    check_runs: list[DatedRunData] = []


class DatedStatusData(StatusData):
    id: int = 0
    created_at: datetime | None = None


class StartedRunData(WorkflowRunData):
    event: str = ""
    path: str = ""
    check_suite_id: int = 0


class StartedRunsData(Payload):
    workflow_runs: list[StartedRunData] = []


class JobData(Payload):
    id: int
    name: str
    run_id: int
    run_attempt: int = 1
    started_at: datetime | None = None
    completed_at: datetime | None = None


class JobsData(Payload):
    jobs: list[JobData] = []


class AnnotationData(Payload):
    path: str = ""
    start_line: int = 1
    annotation_level: str | None = None
    title: str | None = None
    message: str | None = None


class ComparisonData(Payload):
    base_commit: CommitData
    merge_base_commit: CommitData
