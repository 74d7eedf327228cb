"""The conversation of a bug case from its record: who said what, in order."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from caseworker.core.people.commands import MessageKind
from caseworker.core.people.messages import OURSELVES, SPOKEN, Audience, Standing
from caseworker.core.people.posts import Post
from caseworker.core.record.entries import MessageRecorded, Posted, Recorded

_NEWS: Final = frozenset(
    {MessageKind.FIX_READY, MessageKind.FIX_WAITING, MessageKind.FIX_MERGED, MessageKind.FIX_ENDED}
)
"""Messages between cases. People are told of them by a post."""


_RELAYED: Final = "reporter_said"
"""Posts that show developers what the reporter said: the conversation has the message itself."""


SAID: Final = ("message_recorded", "posted")
"""The kinds of entries that make a conversation."""


class Delivery(StrEnum):
    """What became of a line on its way to people."""

    SAID = "said"
    PARTLY = "partly delivered"
    """One of its threads refused it for good."""
    UNDELIVERED = "not delivered"
    """Every thread refused it for good."""
    PENDING = "not said yet"
    """In the case's outbox. Its text is made when it is said."""


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
    delivery: Delivery = Delivery.SAID
    entry: int | None = None
    """The number of the record's entry. Null: it is not said yet."""


def conversation(record: Sequence[Recorded], outbox: Sequence[Post] = (), *, buttons: bool = False) -> list[Line]:
    """Everything said by people and by the bot, oldest first, then the posts that are not said yet. `buttons`: for the
    dashboard."""
    lines = []
    for recorded in record:
        match recorded.entry:
            case MessageRecorded(message_kind=kind) as said if kind not in _NEWS:
                lines.append(
                    Line(
                        entry=recorded.sequence,
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
                        entry=recorded.sequence,
                        at=recorded.at,
                        speaker="bot",
                        author=OURSELVES,
                        about=posted.about,
                        text=text_for_reader(posted, buttons=buttons),
                        audience=posted.audience,
                        delivery=_delivery(posted),
                    )
                )
            case _:
                continue
    return lines + _pending(record, outbox)


def text_for_reader(posted: Posted, *, buttons: bool) -> str:
    """The text of a post for readers of the record: on the dashboard, which has buttons, or in a terminal."""
    return (posted.text_with_buttons if buttons else "") or posted.text


def _delivery(posted: Posted) -> Delivery:
    if not posted.undelivered:
        return Delivery.SAID
    return Delivery.PARTLY if posted.place else Delivery.UNDELIVERED


def _pending(record: Sequence[Recorded], outbox: Sequence[Post]) -> list[Line]:
    """The posts of the outbox that are not on the record. The snapshot may be older than the record by one save."""
    entries = (one.entry for one in record)
    said = {(one.about, one.audience, one.number) for one in entries if isinstance(one, Posted)}
    return [
        Line(
            at=record[-1].at,
            speaker="bot",
            author=OURSELVES,
            about=post.about,
            text="",
            audience=post.audience,
            delivery=Delivery.PENDING,
        )
        for post in outbox
        if record and post.about != _RELAYED and (post.about, post.audience, post.number) not in said
    ]


def for_the_agent(lines: Sequence[Line]) -> list[Line]:
    """The lines without words of people who have no say in this case."""
    return [line for line in lines if line.speaker != Standing.OTHER.value or line.about not in SPOKEN]


def text_of(post: Post, record: Sequence[Recorded], *, buttons: bool = False) -> str:
    """The text of a sent post. Empty: it was not sent yet."""
    said = (one.entry for one in record if isinstance(one.entry, Posted))
    same = (one for one in said if one.about == post.about and one.number == post.number)
    return next((text_for_reader(one, buttons=buttons) for one in same), "")
