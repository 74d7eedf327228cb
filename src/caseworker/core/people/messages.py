"""What people say and command, from any surface, and the receipt each of them gets."""

import re
from datetime import datetime
from enum import StrEnum
from pathlib import PurePath
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from caseworker.core.base.ids import CaseId, MessageId, TraceId
from caseworker.core.base.policy import Milestone
from caseworker.core.people.commands import (
    Approve,
    Close,
    CloseIncomplete,
    Command,
    MessageKind,
    RaiseBudget,
    Resolution,
)

TEXT_LIMIT: Final = 64_000
NOBODY: Final = MessageId(0)
"""Rings a case without a message: look for yourself."""


INTERRUPTING: Final = frozenset({MessageKind.CLOSE, MessageKind.TAKEOVER})
"""What stops a running turn."""
SPOKEN: Final = frozenset({MessageKind.WORDS, MessageKind.ANSWER, MessageKind.EDIT, MessageKind.DELETION})
"""What an agent is given to read; everything else is obeyed by code."""


class Standing(StrEnum):
    """Who the author is to this case; decided by code, never by a model."""

    OWNER = "owner"
    DEVELOPER = "developer"
    REPORTER = "reporter"
    OTHER = "other"


class Audience(StrEnum):
    """Whom a post is for: it decides the thread, and how much of the inside it tells."""

    REPORTER = "reporter"
    DEVELOPERS = "developers"


_PLAIN_ENDING: Final = re.compile(r"\.[a-z0-9]{1,8}")


class NewAttachment(BaseModel):
    """A file that came with a message: its bytes, or where they are to be had."""

    model_config = ConfigDict(frozen=True)

    title: str = Field(max_length=300)
    """What its author called it: shown, never used as a file's name."""
    media_type: str = ""
    size: int = Field(ge=0)
    source: str = ""
    """The surface's own address. Empty: the bytes are here."""
    content: bytes = Field(default=b"", repr=False)


class Attachment(NewAttachment):
    id: int
    message: MessageId
    problem: str = ""
    """Why it could not be had."""

    @property
    def plain_ending(self) -> str:
        """All that a file's name takes over from what its author called it: `.png`, or nothing."""
        ending = PurePath(self.title).suffix.lower()
        return ending if _PLAIN_ENDING.fullmatch(ending) else ""

    @property
    def is_missing(self) -> bool:
        return not self.content and not self.problem and self.size > 0


class _Message(BaseModel):
    """`external_id` is the surface's own id: a second delivery is a no-op."""

    model_config = ConfigDict(frozen=True)

    case: CaseId
    surface: str
    external_id: str
    author: str
    standing: Standing
    command: Command
    text: str = Field(default="", max_length=TEXT_LIMIT)
    """What was said, as people are shown it. Code acts on the command."""
    trace: TraceId
    reference: str = ""
    """The surface's own name for what was said (Slack: channel and time stamp): edits and deletions point at it."""
    refers_to: str = ""
    outcome: str | None = None
    """Set at once where nothing will come of it: such a message rings no bell."""
    refused: bool = False
    """The command was not carried out; the outcome says why."""

    @property
    def kind(self) -> MessageKind:
        return self.command.kind


class NewMessage(_Message):
    """A message before it is stored."""

    attachments: tuple[NewAttachment, ...] = ()


class Message(_Message):
    id: MessageId
    received_at: datetime
    turn: int | None = None
    """The claim that took it. Null: still in the inbox. 0: nobody needs to."""


class Claimed(BaseModel):
    """What a flow knows of a message: everything but what it says."""

    model_config = ConfigDict(frozen=True)

    id: MessageId
    command: Command
    """Bare: without its author's own words."""
    author: str
    standing: Standing

    @property
    def kind(self) -> MessageKind:
        return self.command.kind

    @property
    def resolution(self) -> Resolution | None:
        """Of a close."""
        return self.command.resolution if isinstance(self.command, Close | CloseIncomplete) else None

    @property
    def micros(self) -> int:
        """Of a budget: how much more may be spent."""
        return self.command.micros if isinstance(self.command, RaiseBudget) else 0

    @property
    def until(self) -> Milestone | None:
        """Of an approval: how far it goes. Null: all the way."""
        return self.command.milestone if isinstance(self.command, Approve) else None

    @property
    def reopens(self) -> bool:
        return self.command.reopens


def receipt(message: Message, turns: int) -> str:
    """recorded -> seen by turn n -> what came of it. `turns`: how many there were, for what was read between turns."""
    if message.turn is None:
        return "recorded"
    if message.turn == 0:
        return f"recorded: {message.outcome}" if message.outcome else "recorded"
    seen = f"seen by turn {message.turn}" if message.turn <= turns else "seen"
    return f"{seen}: {message.outcome}" if message.outcome else seen
