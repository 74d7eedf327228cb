"""The conversation of a bug case from its record: who said what, in order."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from caseworker.core.people.commands import MessageKind
from caseworker.core.people.messages import SPOKEN, Audience, Standing
from caseworker.core.people.posts import Post
from caseworker.core.record.entries import MessageRecorded, Posted, Recorded

_NEWS: Final = (MessageKind.FIX_NEWS, MessageKind.FIX_MERGED, MessageKind.FIX_ENDED)
"""Messages between cases. People are told of them by a post."""


_RELAYED: Final = "reporter_said"
"""Posts that show developers what the reporter said: the conversation has the message itself."""


SAID: Final = ("message_recorded", "posted")
"""The kinds of entries that make a conversation."""


class Line(BaseModel):
    model_config = ConfigDict(frozen=True)

    at: datetime
    speaker: Literal["reporter", "developer", "owner", "other", "bot"]
    author: str
    about: str
    """For a person the kind of message, for the bot the topic of the post."""
    text: str
    audience: Audience | None = None
    """Whom the bot's post was for."""
    message: int | None = None
    """The message's id, to find its receipt."""


def conversation(record: Sequence[Recorded]) -> list[Line]:
    """Everything said by people and by the bot, oldest first."""
    lines = []
    for recorded in record:
        match recorded.entry:
            case MessageRecorded(message_kind=kind) as said if kind not in _NEWS:
                lines.append(
                    Line(
                        at=recorded.at,
                        speaker=said.standing.value,
                        author=said.author,
                        about=kind.value,
                        text=said.text,
                        message=said.message,
                    )
                )
            case Posted(about=about) as posted if about != _RELAYED:
                lines.append(
                    Line(
                        at=recorded.at,
                        speaker="bot",
                        author="caseworker",
                        about=posted.about,
                        text=posted.text,
                        audience=posted.audience,
                    )
                )
            case _:
                continue
    return lines


def for_the_agent(lines: Sequence[Line]) -> list[Line]:
    """The lines without words of people who have no say in this case."""
    return [line for line in lines if line.speaker != Standing.OTHER.value or line.about not in SPOKEN]


def text_of(post: Post, record: Sequence[Recorded]) -> str:
    """The text of a sent post. Empty: it was not sent yet."""
    said = (one.entry for one in record if isinstance(one.entry, Posted))
    return next((one.text for one in said if one.about == post.about and one.number == post.number), "")
