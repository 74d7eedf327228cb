"""The closed union of GitHub events that Caseworker decides on, with what it needs to know of each. No parsing, no I/O.

Every event has a `subject`: a name that is the same whichever way the event came, as a webhook or found by a look at
GitHub. Events with the same subject are one event.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.people.registry import TargetKind
from caseworker.core.runs.delivery_outcomes import IgnoreReason


class Change(StrEnum):
    """What happened to a comment, an issue or a pull request."""

    CREATED = "created"
    OPENED = "opened"
    EDITED = "edited"
    CLOSED = "closed"
    REOPENED = "reopened"
    TRANSFERRED = "transferred"
    DELETED = "deleted"
    LOCKED = "locked"
    UNLOCKED = "unlocked"
    SYNCHRONIZED = "synchronized"
    READY = "ready_for_review"
    DRAFTED = "converted_to_draft"
    LABELED = "labeled"
    UNLABELED = "unlabeled"
    REVIEWED = "reviewed"
    """Reviews or review threads are otherwise than before: one was dismissed, asked for, resolved."""
    AUTO_MERGE = "auto_merge"
    """Switched on or off."""
    QUEUED = "queued"
    """Put into the merge queue, or taken out."""


@dataclass(frozen=True, kw_only=True)
class Person:
    login: str
    is_bot: bool = False


@dataclass(frozen=True, kw_only=True)
class OnTarget:
    """Fields of events about an issue or a pull request."""

    repository: RemoteRepository
    number: int
    target: TargetKind
    actor: Person

    @property
    def lane(self) -> str:
        """Events of one lane are processed one after the other."""
        return f"{name_of(self.repository)}#{self.number}"

    @property
    def at(self) -> datetime | None:
        """When it happened. Events with the same subject are one event only if these times are close."""
        return None


@dataclass(frozen=True, kw_only=True)
class LabelChanged(OnTarget):
    change: Change
    label: str
    changed_at: datetime

    @property
    def subject(self) -> str:
        return f"{self.lane} {self.change} {self.label.lower()} by {self.actor.login.lower()}"

    @property
    def at(self) -> datetime | None:
        """GitHub tells no id of a labelling in a webhook, and its two sources may differ by a second or two."""
        return self.changed_at


@dataclass(frozen=True, kw_only=True)
class Comment:
    id: int
    author: Person
    text: str
    written_at: datetime
    changed_at: datetime
    text_before: str | None = None
    """What an edited comment said before, if the event tells."""
    place: str = ""
    """`path:line` of a review comment."""
    source: Literal["comment", "review_comment", "review"] = "comment"
    """`review`: the text of a whole review."""

    @property
    def name(self) -> str:
        return f"{self.source}:{self.id}"


@dataclass(frozen=True, kw_only=True)
class CommentChanged(OnTarget):
    """A comment on an issue or a pull request, or on a line of its diff, was created, edited or deleted; or a review
    with a text was submitted."""

    change: Change
    comment: Comment

    @property
    def reference(self) -> str:
        """Names the comment in reactions, edits and deletions."""
        return f"{self.repository} {self.comment.name}"

    @property
    def reaction_to(self) -> str:
        """The comment, for reactions. Empty: GitHub takes none on a review."""
        return "" if self.comment.source == "review" else self.reference

    @property
    def created_subject(self) -> str:
        """The subject of the event that created the comment."""
        return f"{self.lane} {self.comment.name} {Change.CREATED}"

    @property
    def subject(self) -> str:
        named = f"{self.lane} {self.comment.name} {self.change}"
        return f"{named} {self.comment.changed_at.isoformat()}" if self.change is Change.EDITED else named

    @property
    def at(self) -> datetime | None:
        return self.comment.changed_at if self.change is Change.EDITED else self.comment.written_at


@dataclass(frozen=True, kw_only=True)
class IssueChanged(OnTarget):
    change: Change
    title: str
    text: str
    changed_at: datetime

    @property
    def subject(self) -> str:
        return f"{self.lane} {self.change}"

    @property
    def at(self) -> datetime | None:
        return self.changed_at


@dataclass(frozen=True, kw_only=True)
class PullChanged(OnTarget):
    change: Change
    head: str
    is_merged: bool

    @property
    def subject(self) -> str:
        return ""


@dataclass(frozen=True, kw_only=True)
class ChecksChanged:
    repository: RemoteRepository
    commit: str
    source: str
    """The event that told it: check_run, check_suite, status or workflow_run."""
    name: str = ""
    """Of a check run."""


@dataclass(frozen=True, kw_only=True)
class PushReceived:
    repository: RemoteRepository
    ref: str
    commit: str
    actor: Person


@dataclass(frozen=True, kw_only=True)
class InstallationChanged:
    action: str
    account: str


@dataclass(frozen=True, kw_only=True)
class Pinged:
    pass


@dataclass(frozen=True, kw_only=True)
class NotUsed:
    reason: IgnoreReason
    detail: str = ""


TargetEvent = LabelChanged | CommentChanged | IssueChanged | PullChanged
Event = TargetEvent | ChecksChanged | PushReceived | InstallationChanged | Pinged | NotUsed


def name_of(repository: RemoteRepository) -> str:
    """`owner/repo`, as GitHub writes it."""
    return f"{repository.owner}/{repository.name}"
