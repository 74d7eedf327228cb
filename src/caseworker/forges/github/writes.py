"""The closed list of what Caseworker may change on GitHub, as values. What is not here can't be asked for.

There is no merge, no approval, no request for changes, no dismissal, no auto-merge, no queue, and no change of a base.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from caseworker.core.base.ids import Sha
from caseworker.ports import PullUpdate, Workspace

Reaction = Literal["eyes", "rocket", "+1", "confused", "-1", "heart", "hooray", "laugh"]
Target = Literal["issue", "comment", "review_comment"]


@dataclass(frozen=True, kw_only=True)
class AddComment:
    """Below an issue or a pull request; once under its key."""

    number: int
    text: str
    key: str


@dataclass(frozen=True, kw_only=True)
class EditComment:
    """One of our own. Its hidden marker stays."""

    comment: int
    text: str


@dataclass(frozen=True, kw_only=True)
class DeleteComment:
    """One of our own."""

    comment: int


@dataclass(frozen=True, kw_only=True)
class OpenIssue:
    """For work that was asked for elsewhere; once under its key."""

    title: str
    body: str
    labels: tuple[str, ...]
    key: str
    since: datetime
    """No try is older than this."""


@dataclass(frozen=True, kw_only=True)
class AddLabel:
    number: int
    label: str


@dataclass(frozen=True, kw_only=True)
class RemoveLabel:
    number: int
    label: str


@dataclass(frozen=True, kw_only=True)
class PushBranch:
    """As `Source.push` says."""

    workspace: Workspace
    commit: Sha
    branch: str
    expected: Sha | None
    update: PullUpdate | None = None


@dataclass(frozen=True, kw_only=True)
class OpenPull:
    """One open pull request per branch: a second call finds the first."""

    title: str
    body: str
    head: str
    base: str


@dataclass(frozen=True, kw_only=True)
class UpdatePull:
    """Title and text only."""

    number: int
    title: str
    body: str


@dataclass(frozen=True, kw_only=True)
class AddReviewComment:
    """On a line of the new side of the diff; begins a thread."""

    number: int
    commit: Sha
    path: str
    line: int
    text: str
    key: str


@dataclass(frozen=True, kw_only=True)
class ReplyInThread:
    """`comment`: the first one of the thread."""

    number: int
    comment: int
    text: str
    key: str


@dataclass(frozen=True, kw_only=True)
class ResolveThread:
    thread: str
    """Its node id."""


@dataclass(frozen=True, kw_only=True)
class React:
    on: Target
    number: int
    """Of the issue, or the id of the comment."""
    reaction: Reaction


@dataclass(frozen=True, kw_only=True)
class ReportCheck:
    """A check run of ours, made or updated under its key."""

    name: str
    commit: Sha
    key: str
    status: Literal["queued", "in_progress", "completed"]
    conclusion: Literal["success", "failure", "neutral", "cancelled", "skipped"] | None = None
    title: str = ""
    summary: str = ""


@dataclass(frozen=True, kw_only=True)
class ReportStatus:
    """A commit status of ours. GitHub keeps all of one context and shows the newest: the same one is not made again."""

    context: str
    commit: Sha
    state: Literal["pending", "success"]
    description: str
    url: str


@dataclass(frozen=True, kw_only=True)
class RerunFailedJobs:
    """Of a workflow run, only if nobody has begun another attempt since."""

    run: int
    attempt: int
    """The attempt that failed."""


Write: TypeAlias = (
    AddComment
    | EditComment
    | DeleteComment
    | OpenIssue
    | AddLabel
    | RemoveLabel
    | PushBranch
    | OpenPull
    | UpdatePull
    | AddReviewComment
    | ReplyInThread
    | ResolveThread
    | React
    | ReportCheck
    | ReportStatus
    | RerunFailedJobs
)


@dataclass(frozen=True, kw_only=True)
class Written:
    """What is there now."""

    id: str = ""
    """As GitHub names it: the id of the comment or check run, the number of the issue or pull request."""
    url: str = ""
    new: bool = True
    """False: it was there already, and nothing was changed."""
