"""A repository: bare git on disk, and everything that is written beside the code. These records point to each other."""

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal

from caseworker.github_double.entities.accounts import App, Role, User
from caseworker.github_double.entities.check_records import CheckSuite, Status, WorkflowRun
from caseworker.github_double.entities.details import (
    AutoMerge,
    Base,
    Label,
    LastPush,
    LockReason,
    Merged,
    QueueEntry,
    Reaction,
    ReviewState,
    Side,
    TimelineEvent,
    Times,
    TrialMerge,
)
from caseworker.github_double.entities.hook_records import Hook
from caseworker.github_double.entities.protection import Protection, Ruleset


@dataclass(kw_only=True, eq=False)
class Comment:
    """A comment in the conversation of an issue or a pull request."""

    id: int
    node_id: str
    issue: "Issue"
    author: User
    app: App | None
    body: str
    created_at: datetime
    updated_at: datetime
    reactions: list[Reaction] = field(default_factory=list)
    is_minimized: bool = False


@dataclass(kw_only=True, eq=False)
class Discussion:
    comments: list[Comment] = field(default_factory=list)
    reactions: list[Reaction] = field(default_factory=list)
    timeline: list[TimelineEvent] = field(default_factory=list)
    is_locked: bool = False
    lock_reason: LockReason | None = None


@dataclass(kw_only=True, eq=False)
class Issue:
    """An issue, or the half of a pull request that it shares with issues."""

    id: int
    node_id: str
    repository: "Repository"
    number: int
    author: User
    app: App | None
    title: str
    body: str | None
    state: Literal["open", "closed"] = "open"
    state_reason: Literal["completed", "not_planned", "duplicate", "reopened"] | None = None
    closed_by: User | None = None
    labels: list[Label] = field(default_factory=list)
    assignees: list[User] = field(default_factory=list)
    discussion: Discussion = field(default_factory=Discussion)
    times: Times

    @property
    def is_pull(self) -> bool:
        return self.number in self.repository.pulls

    @property
    def comments(self) -> list[Comment]:
        return self.discussion.comments


@dataclass(kw_only=True, eq=False)
class Head:
    repository: "Repository | None"
    """None: the fork was deleted."""
    ref: str
    sha: str


@dataclass(kw_only=True, eq=False)
class ReviewComment:
    """One comment in a review thread."""

    id: int
    node_id: str
    thread: "ReviewThread"
    review: "Review"
    author: User
    body: str
    commit: str
    original_commit: str
    diff_hunk: str
    in_reply_to: int | None
    created_at: datetime
    updated_at: datetime
    reactions: list[Reaction] = field(default_factory=list)


@dataclass(kw_only=True, eq=False)
class ReviewThread:
    id: int
    node_id: str
    pull: "PullRequest"
    path: str
    line: int | None
    """None: the thread is about the file."""
    start_line: int | None
    side: Side
    original_line: int | None
    is_outdated: bool = False
    resolved_by: User | None = None
    comments: list[ReviewComment] = field(default_factory=list)


@dataclass(kw_only=True, eq=False)
class Review:
    id: int
    node_id: str
    pull: "PullRequest"
    author: User
    state: ReviewState
    body: str
    commit: str
    submitted_at: datetime | None
    comments: list[ReviewComment] = field(default_factory=list)


@dataclass(kw_only=True, eq=False)
class PullRequest:
    id: int
    node_id: str
    issue: Issue
    """The half it shares with issues: number, title, body, author, labels, conversation, state, times."""
    head: Head
    base: Base
    is_draft: bool = False
    maintainer_can_modify: bool = True
    reviews: list[Review] = field(default_factory=list)
    threads: list[ReviewThread] = field(default_factory=list)
    requested_reviewers: list[User] = field(default_factory=list)
    merged: Merged | None = None
    auto_merge: AutoMerge | None = None
    queue_entry: QueueEntry | None = None
    trial_merge: TrialMerge | None = None
    last_push: LastPush | None = None
    """For rules that want an approval after the last push."""

    @property
    def number(self) -> int:
        return self.issue.number

    @property
    def repository(self) -> "Repository":
        return self.issue.repository

    @property
    def author(self) -> User:
        return self.issue.author

    @property
    def is_open(self) -> bool:
        return self.issue.state == "open"

    @property
    def is_cross_repository(self) -> bool:
        return self.head.repository is not self.repository


@dataclass(kw_only=True, eq=False)
class Records:
    """What a repository holds beside the code, in the order in which it came."""

    issues: dict[int, Issue] = field(default_factory=dict)
    pulls: dict[int, PullRequest] = field(default_factory=dict)
    gone: dict[int, "Issue | None"] = field(default_factory=dict)
    """Numbers of deleted issues (None) and of transferred ones (what each is now)."""
    labels: dict[str, Label] = field(default_factory=dict)
    """By name in lower case."""
    protections: dict[str, Protection] = field(default_factory=dict)
    """By pattern."""
    rulesets: list[Ruleset] = field(default_factory=list)
    hooks: list[Hook] = field(default_factory=list)
    suites: list[CheckSuite] = field(default_factory=list)
    statuses: list[Status] = field(default_factory=list)
    workflow_runs: list[WorkflowRun] = field(default_factory=list)
    last_number: int = 0


@dataclass(kw_only=True, eq=False)
class Repository:
    id: int
    node_id: str
    owner: User
    name: str
    path: Path
    """The bare git repository."""
    is_private: bool = False
    description: str | None = None
    default_branch: str = "main"
    parent: "Repository | None" = None
    """What it was forked from."""
    is_archived: bool = False
    needs_ci_approval: bool = True
    """Whether workflows of pull requests from forks wait for a maintainer."""
    collaborators: dict[str, Role] = field(default_factory=dict)
    """By login."""
    records: Records = field(default_factory=Records)
    created_at: datetime
    pushed_at: datetime

    @property
    def full_name(self) -> str:
        return f"{self.owner.login}/{self.name}"

    @property
    def issues(self) -> dict[int, Issue]:
        """Issues and the issue half of pull requests, by number."""
        return self.records.issues

    @property
    def pulls(self) -> dict[int, PullRequest]:
        return self.records.pulls

    @property
    def labels(self) -> dict[str, Label]:
        return self.records.labels
