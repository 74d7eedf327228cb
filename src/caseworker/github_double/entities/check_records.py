"""Check suites and runs, commit statuses, and runs of GitHub Actions."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from caseworker.github_double.entities.accounts import App, User

CheckStatus = Literal["queued", "in_progress", "completed", "waiting", "requested", "pending"]
Conclusion = Literal[
    "success",
    "failure",
    "neutral",
    "cancelled",
    "skipped",
    "timed_out",
    "action_required",
    "stale",
    "startup_failure",
]
StatusState = Literal["error", "failure", "pending", "success"]
ShownState = Literal["error", "expected", "failure", "pending", "success"]
"""`expected`: a rule demands it and nobody has reported it. Nobody can report this."""
CHECK_STATUSES: tuple[CheckStatus, ...] = get_args(CheckStatus)
CONCLUSIONS: tuple[Conclusion, ...] = get_args(Conclusion)
STATUS_STATES: tuple[StatusState, ...] = get_args(StatusState)


@dataclass(kw_only=True, eq=False)
class CheckOutput:
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    annotations: list["Annotation"] = field(default_factory=list)


@dataclass(kw_only=True, frozen=True)
class Annotation:
    path: str
    start_line: int
    end_line: int
    level: Literal["notice", "warning", "failure"]
    message: str
    title: str | None = None


@dataclass(kw_only=True, eq=False)
class CheckRun:
    id: int
    node_id: str
    suite: "CheckSuite"
    name: str
    status: CheckStatus = "queued"
    conclusion: Conclusion | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    details_url: str | None = None
    external_id: str = ""
    output: CheckOutput = field(default_factory=CheckOutput)

    @property
    def head_sha(self) -> str:
        return self.suite.head_sha


@dataclass(kw_only=True, eq=False)
class CheckSuite:
    """All check runs of one App, or of one workflow run, for one commit."""

    id: int
    node_id: str
    app: App
    head_sha: str
    head_branch: str | None
    before: str | None
    created_at: datetime
    updated_at: datetime
    runs: list[CheckRun] = field(default_factory=list)
    workflow_run: "WorkflowRun | None" = None
    awaits_approval: bool = False
    """A fork's workflow that a maintainer has not let run: no check runs, conclusion `action_required`."""


@dataclass(kw_only=True, eq=False)
class Status:
    """A commit status: the older way to report a check."""

    id: int
    node_id: str
    sha: str
    context: str
    state: ShownState
    description: str | None
    target_url: str | None
    creator: User
    created_at: datetime


@dataclass(kw_only=True, eq=False)
class WorkflowJob:
    """One job of one attempt; its check run has the result."""

    id: int
    run: "WorkflowRun"
    check_run: CheckRun
    attempt: int
    steps: list["JobStep"] = field(default_factory=list)
    log: str = ""


@dataclass(kw_only=True, frozen=True)
class JobStep:
    number: int
    name: str
    status: CheckStatus
    conclusion: Conclusion | None


@dataclass(kw_only=True, frozen=True)
class RunAttempt:
    """One try of a workflow run: the first, or one that somebody asked for."""

    number: int
    actor: User
    started_at: datetime
    kept: frozenset[str] = frozenset()
    """Jobs that are not tried again: their results of an earlier attempt stand."""


@dataclass(kw_only=True, eq=False)
class WorkflowRun:
    id: int
    node_id: str
    suite: CheckSuite
    name: str
    path: str
    """The workflow file, such as `.github/workflows/ci.yml`."""
    workflow_id: int
    event: str
    actor: User
    number: int
    attempts: list[RunAttempt]
    created_at: datetime
    updated_at: datetime
    jobs: list[WorkflowJob] = field(default_factory=list)
    pull_numbers: list[int] = field(default_factory=list)

    @property
    def attempt(self) -> int:
        return self.attempts[-1].number
