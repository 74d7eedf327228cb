"""Parses a Slack event: a message, an edit, a deletion, or nothing for us. No I/O."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from caseworker.core.people.messages import NewAttachment
from caseworker.intake.slack_text import string, text_of
from caseworker.ports import POST_MARK

_MOST_FILES: Final = 10
_TITLE: Final = 300
_SAID: Final = frozenset({"", "file_share", "thread_broadcast", "me_message"})
"""Subtypes of messages in which a person says something; joins, topics and pins are not among them."""


@dataclass(frozen=True, kw_only=True)
class SlackMessage:
    channel: str
    ts: str
    author: str
    text: str
    thread: str = ""
    """The first message of the thread that it answers in. Empty: it is in the channel itself."""
    thread_author: str = ""
    files: tuple[NewAttachment, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Edited:
    channel: str
    ts: str
    """Of the message that was changed."""
    author: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Deleted:
    channel: str
    ts: str
    author: str
    """The author of the message: Slack does not say who deleted it."""


@dataclass(frozen=True, kw_only=True)
class Nothing:
    why: str


SlackEvent = SlackMessage | Edited | Deleted | Nothing


def parse_event(event: Mapping[str, object], *, bot_user: str = "") -> SlackEvent:
    """`bot_user`: our bot's user id, if it is known. Its messages are nothing to us."""
    subtype = string(event, "subtype")
    if string(event, "type") != "message":
        return Nothing(why=f"an event of type {string(event, 'type')}")
    if subtype == "message_changed":
        return _edited(event, bot_user)
    if subtype == "message_deleted":
        return _deleted(event, string(event, "deleted_ts"))
    if subtype not in _SAID:
        return Nothing(why=f"a message of subtype {subtype}")
    return _said(event, bot_user)


def _said(event: Mapping[str, object], bot_user: str) -> SlackMessage | Nothing:
    channel, ts, author = string(event, "channel"), string(event, "ts"), string(event, "user")
    if machine := _machine(event, bot_user):
        return Nothing(why=f"said by {machine}")
    if not channel or not ts:
        return Nothing(why="without a channel or a time stamp")
    files, more = _files(event)
    text = "\n".join(filter(None, [text_of(event), more]))
    if not text and not files:
        return Nothing(why="without words")
    thread = string(event, "thread_ts")
    return SlackMessage(
        channel=channel,
        ts=ts,
        author=author,
        text=text or "Attached: " + ", ".join(file.title for file in files),
        thread="" if thread == ts else thread,
        thread_author=string(event, "parent_user_id") or string(_mapping(event, "root"), "user"),
        files=files,
    )


def _edited(event: Mapping[str, object], bot_user: str) -> Edited | Deleted | Nothing:
    message, before = _mapping(event, "message"), _mapping(event, "previous_message")
    if string(message, "subtype") == "tombstone":  # a deleted first message of a thread leaves a tombstone
        return _deleted(event, string(message, "ts"))
    if machine := _machine(message, bot_user):
        return Nothing(why=f"changed by {machine}")
    text, channel = text_of(message), string(event, "channel")
    ts = string(message, "ts") or string(before, "ts")
    if not channel or not ts:
        return Nothing(why="changed, without a channel or a time stamp")
    if before and text_of(before) == text:
        return Nothing(why="changed, but not its words")  # a link preview, a reply or a pin was added
    author = string(_mapping(message, "edited"), "user") or string(message, "user")
    return Edited(channel=channel, ts=ts, author=author, text=text)


def _deleted(event: Mapping[str, object], ts: str) -> Deleted | Nothing:
    before, channel = _mapping(event, "previous_message"), string(event, "channel")
    ts = ts or string(before, "ts")
    if not channel or not ts:
        return Nothing(why="deleted, without a channel or a time stamp")
    return Deleted(channel=channel, ts=ts, author=string(before, "user"))


def _machine(message: Mapping[str, object], bot_user: str) -> str:
    """Which machine wrote a message. Empty: a person did. Our own posts are also known by our bot's user and by our
    metadata: a server that does not mark bots must not make us answer ourselves."""
    author = string(message, "user")
    if (author and author == bot_user) or string(_mapping(message, "metadata"), "event_type") == POST_MARK:
        return "us"
    is_bot = string(message, "bot_id") or _mapping(message, "bot_profile")
    return "a bot" if is_bot or author in ("", "USLACKBOT") else ""


def _files(event: Mapping[str, object]) -> tuple[tuple[NewAttachment, ...], str]:
    """The first ten files, and a note on the rest. The size limit is checked when a file is fetched."""
    value = event.get("files")
    files = [file for file in value if isinstance(file, Mapping)] if isinstance(value, list) else []
    taken = tuple(map(_file, files[:_MOST_FILES]))
    left = len(files) - len(taken)
    return taken, f"[{left} more files were not taken: {_MOST_FILES} a message are]" if left else ""


def _file(file: Mapping[str, object]) -> NewAttachment:
    size = file.get("size")
    title = string(file, "title") or string(file, "name") or string(file, "id") or "a file"
    source = string(file, "url_private_download") or string(file, "url_private")
    return NewAttachment(
        title=title[:_TITLE],
        media_type=string(file, "mimetype"),
        size=size if isinstance(size, int) and size > 0 else 0,
        source=source,
        problem="" if source else "Slack gives no address for it: it was deleted, or lies elsewhere",
    )


def _mapping(part: Mapping[str, object], name: str) -> Mapping[str, object]:
    value = part.get(name)
    return value if isinstance(value, Mapping) else {}
