"""Parts of issues and pull requests that point to nothing above them: labels, reactions, events, trial merges."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from caseworker.github_double.entities.accounts import User

Content = Literal["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"]
CONTENTS: tuple[Content, ...] = ("+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes")
LockReason = Literal["off-topic", "too heated", "resolved", "spam"]
ReviewState = Literal["APPROVED", "CHANGES_REQUESTED", "COMMENTED", "DISMISSED", "PENDING"]
Side = Literal["LEFT", "RIGHT"]
MergeMethod = Literal["merge", "squash", "rebase"]


@dataclass(kw_only=True, frozen=True)
class LastPush:
    """The last push to a head that changed the diff."""

    by: User
    heads: tuple[str, ...]
    """The head that it made, and those of later pushes that did not change the diff."""


@dataclass(kw_only=True, eq=False)
class Label:
    id: int
    node_id: str
    name: str
    color: str = "ededed"
    description: str | None = None
    is_default: bool = False


@dataclass(kw_only=True, eq=False)
class Reaction:
    id: int
    node_id: str
    user: User
    content: Content
    created_at: datetime


@dataclass(kw_only=True, eq=False)
class TimelineEvent:
    """Something that happened to an issue and is no comment: `labeled`, `closed`, `assigned`, ..."""

    id: int
    node_id: str
    event: str
    actor: User
    created_at: datetime
    label: Label | None = None
    subject: User | None = None
    """Who was assigned or asked to review."""
    commit: str | None = None
    before: str | None = None
    """The earlier title of a renamed issue, or the earlier head of a force-pushed pull request."""
    after: str | None = None


@dataclass(kw_only=True, eq=False)
class Times:
    created_at: datetime
    updated_at: datetime
    closed_at: datetime | None = None


@dataclass(kw_only=True, eq=False)
class Base:
    ref: str
    sha: str
    """The base branch when it was last looked at; after the merge, what was merged into."""


@dataclass(kw_only=True, eq=False)
class Merged:
    at: datetime
    by: User
    commit: str


@dataclass(kw_only=True, eq=False)
class AutoMerge:
    enabled_by: User
    method: MergeMethod
    enabled_at: datetime


@dataclass(kw_only=True, eq=False)
class QueueEntry:
    """A pull request in the merge queue of its base."""

    id: int
    node_id: str
    enqueued_by: User
    enqueued_at: datetime


@dataclass(kw_only=True, frozen=True)
class TrialMerge:
    """A trial of the merge for one pair of commits. GitHub makes it after somebody has asked for it."""

    base: str
    head: str
    is_clean: bool
    commit: str | None
    """The merge commit of the trial, if it was clean."""
