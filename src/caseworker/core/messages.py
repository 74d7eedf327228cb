"""What people say and command, from any surface, and the receipt each of them gets."""

from datetime import datetime
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from caseworker.core.ids import CaseId, MessageId, TraceId

TEXT_LIMIT: Final = 64_000


class MessageKind(StrEnum):
    WORDS = "words"
    ANSWER = "answer"
    APPROVE = "approve"
    REJECT = "reject"
    TAKEOVER = "takeover"
    HAND_BACK = "hand_back"
    BUDGET = "budget"
    RETRY = "retry"
    CLOSE = "close"
    MERGED = "merged"
    """A person merged the pull request: an act on the forge that moves the case like a word does."""
    PULL_CLOSED = "pull_closed"


class Standing(StrEnum):
    """Who the author is to this case; decided by code, never by a model."""

    OWNER = "owner"
    DEVELOPER = "developer"
    REPORTER = "reporter"
    OTHER = "other"


class NewMessage(BaseModel):
    """A message before it is stored. `external_id` is the surface's own id: a second delivery is a no-op."""

    model_config = ConfigDict(frozen=True)

    case: CaseId
    surface: str
    external_id: str
    author: str
    standing: Standing
    kind: MessageKind
    text: str = Field(default="", max_length=TEXT_LIMIT)
    trace: TraceId


class Message(NewMessage):
    id: MessageId
    received_at: datetime
    turn: int | None = None
    """The claim that took it. Null: still in the inbox."""
    outcome: str | None = None


def receipt(message: Message, turns: int) -> str:
    """recorded -> seen by turn n -> what came of it. `turns`: how many there were, for what was read between turns."""
    if message.turn is None:
        return "recorded"
    seen = f"seen by turn {message.turn}" if message.turn <= turns else "seen"
    return f"{seen}: {message.outcome}" if message.outcome else seen
