"""Messages from people on any surface, and the receipt that each gets."""

import re
from datetime import datetime
from enum import StrEnum
from pathlib import PurePath
from typing import Final, Literal

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
OURSELVES: Final = "caseworker"
"""The author of what Caseworker says and opens, whatever its login on a surface is."""
ANOTHER_CASE: Final = "case"
"""The surface of messages that another case sends. Agents wrote their text."""
WORK_ON_IT: Final = "Please work on this issue."
"""The text of the first message of a case that somebody opens without further words."""
NO_MESSAGE: Final = MessageId(0)
"""Id for a bell without a message: the case looks at its own state."""


ReceiptStage = Literal["recorded", "seen", "seen_by_turn", "settled"]
INTERRUPTING: Final = frozenset({MessageKind.CLOSE, MessageKind.TAKEOVER, MessageKind.STOP, MessageKind.ABORT})
"""Messages that stop a running turn."""
SPOKEN: Final = frozenset({MessageKind.WORDS, MessageKind.ANSWER, MessageKind.EDIT, MessageKind.DELETION})
"""Messages that an agent reads. Code carries out all others."""


class Standing(StrEnum):
    """The author's role in this case. Decided by code, never by a model."""

    OWNER = "owner"
    DEVELOPER = "developer"
    REPORTER = "reporter"
    OTHER = "other"


class Audience(StrEnum):
    """Whom a post is for. Decides its thread, and how much internal detail it has."""

    REPORTER = "reporter"
    DEVELOPERS = "developers"


_PLAIN_ENDING: Final = re.compile(r"\.[a-z0-9]{1,8}")


class NewAttachment(BaseModel):
    """A file that came with a message: its bytes, or where to download them."""

    model_config = ConfigDict(frozen=True)

    title: str = Field(max_length=300)
    """The author's name for it. Shown to people, never used as a file name."""
    media_type: str = ""
    size: int = Field(ge=0)
    source: str = ""
    """Its address on the surface. Empty: the bytes are in `content`."""
    content: bytes = Field(default=b"", repr=False)
    problem: str = ""
    """Why it could not be downloaded, or never can be."""


class Attachment(NewAttachment):
    id: int
    message: MessageId

    @property
    def plain_ending(self) -> str:
        """The only part of the title that is used in a file name: `.png`, or nothing."""
        ending = PurePath(self.title).suffix.lower()
        return ending if _PLAIN_ENDING.fullmatch(ending) else ""

    @property
    def is_missing(self) -> bool:
        return not self.content and not self.problem and self.size > 0

    @property
    def why_unreadable(self) -> str:
        """Why nobody can read it now. Empty: it can be read."""
        return self.problem or ("its server has asked us to wait" if self.is_missing else "")


class _Message(BaseModel):
    """Fields of new and stored messages. `external_id` is the surface's id, so that a second delivery does nothing."""

    model_config = ConfigDict(frozen=True)

    case: CaseId
    surface: str
    external_id: str
    author: str
    standing: Standing
    command: Command
    text: str = Field(default="", max_length=TEXT_LIMIT)
    """The text that people are shown. Code acts on the command instead."""
    trace: TraceId
    reference: str = ""
    """The surface's name for this message (Slack: channel and time stamp). Edits and deletions refer to it."""
    refers_to: str = ""
    outcome: str | None = None
    """Set at once if nothing will be done about it. Such a message rings no bell."""
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
    """The claim that took it. Null: still in the inbox. 0: it never needs to be claimed."""


class Claimed(BaseModel):
    """What a flow knows about a message: everything except its text."""

    model_config = ConfigDict(frozen=True)

    id: MessageId
    command: Command
    """Without the author's own words (see `bare`)."""
    author: str
    standing: Standing
    was_read: bool = False
    """A completed turn has read it already, in its review thread, before the message arrived."""

    @property
    def kind(self) -> MessageKind:
        return self.command.kind

    @property
    def resolution(self) -> Resolution | None:
        """The resolution that a close names."""
        return self.command.resolution if isinstance(self.command, Close | CloseIncomplete) else None

    @property
    def micros(self) -> int:
        """How much a budget command adds."""
        return self.command.micros if isinstance(self.command, RaiseBudget) else 0

    @property
    def until(self) -> Milestone | None:
        """How far an approval goes. Null: all the way."""
        return self.command.milestone if isinstance(self.command, Approve) else None

    @property
    def reopens(self) -> bool:
        """Whether it asks for work. A stranger's words never do: anybody can write below a public issue."""
        return self.command.reopens and not self.is_strangers

    @property
    def is_strangers(self) -> bool:
        return self.standing is Standing.OTHER


def receipt_stage(message: Message, turns: int) -> ReceiptStage:
    """How far its receipt has come. `turns`: how many turns there were."""
    if message.turn is not None and message.outcome:
        return "settled"
    if not message.turn:
        return "recorded"
    return "seen_by_turn" if message.turn <= turns else "seen"


def receipt(message: Message, turns: int) -> str:
    """The receipt of a message: recorded, then seen by turn n, then its outcome. `turns`: how many turns there were."""
    if message.turn is None:
        return "recorded"
    if message.turn == 0:
        return f"recorded: {message.outcome}" if message.outcome else "recorded"
    seen = f"seen by turn {message.turn}" if message.turn <= turns else "seen"
    return f"{seen}: {message.outcome}" if message.outcome else seen
