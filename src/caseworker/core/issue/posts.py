"""The typed posts of an issue case."""

from enum import StrEnum
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import MessageId
from caseworker.core.base.roles import Role
from caseworker.core.issue.subjects import Subject
from caseworker.core.people.posts import Post


class IssueAbout(StrEnum):
    """The topics of an issue case's posts."""

    QUESTIONS = "questions"
    REPLY = "reply"
    COMMAND_NEEDED = "command_needed"
    """A reply which adds that only a command moves the case."""
    NOT_REHEARSED = "not_rehearsed"
    """The script of a rehearsed case has no answer to what people said."""
    REJECTED = "rejected"
    SENSITIVE = "sensitive"
    PLAN = "plan"
    ESCALATION = "escalation"
    ROLE_ASKS = "role_asks"
    ARCHITECTURE = "architecture"
    TOUCHES = "touches"
    WAIVER = "waiver"
    CURE = "cure"
    """What has to be put right outside of the case."""
    BUDGET_NEAR = "budget_near"
    BUDGET_USED = "budget_used"
    REMINDER = "reminder"
    ANSWERS = "answers"
    LEFT_OPEN = "left_open"
    PULL_REQUEST = "pull_request"
    MILESTONE = "milestone"
    PARKED = "parked"
    ENDED = "ended"


_TOLD_BY_THE_RECORD: Final = frozenset(
    {IssueAbout.PULL_REQUEST, IssueAbout.MILESTONE, IssueAbout.PARKED, IssueAbout.ENDED}
)


class Draft(BaseModel):
    """What a move tells people. It becomes a post in the case's outbox."""

    model_config = ConfigDict(frozen=True)

    about: IssueAbout
    role: Role | None = None
    """The role that asks, if it is not the pm."""
    note: str = ""
    also: str = ""
    """A second request in the same post: an escalation."""
    messages: tuple[MessageId, ...] = ()
    """The remarks that it answers, or reports as left open."""


class IssuePost(Post):
    kind: Literal["issue"] = "issue"
    about: IssueAbout
    turn: int = 0
    """The turn whose outcome it is about."""
    subject: Subject | None = None
    role: Role | None = None
    also: str = ""
    messages: tuple[MessageId, ...] = ()
    spent_micros: int = 0
    """Of the case, when a post is about its budget."""

    @property
    def is_told_by_the_record(self) -> bool:
        return self.about in _TOLD_BY_THE_RECORD
