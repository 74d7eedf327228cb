"""Parsing of Slack events."""

from typing import Any

import pytest

from caseworker.core.people.messages import NewAttachment
from caseworker.intake.slack_events import Deleted, Edited, Nothing, SlackEvent, SlackMessage, parse_event


def parsed(**event: Any) -> SlackEvent:
    said = {"type": "message", "channel": "C1", "user": "U1", "ts": "100.000001", "text": "it is broken"}
    known = {name: value for name, value in (said | event).items() if value is not None}
    return parse_event(known, bot_user="U0BOT")


@pytest.mark.parametrize("subtype", [None, "me_message"])
def test_a_message_of_a_person_is_parsed_as_a_message(subtype: str | None) -> None:
    assert parsed(subtype=subtype) == SlackMessage(channel="C1", ts="100.000001", author="U1", text="it is broken")


def test_a_reply_knows_its_thread_and_who_began_it() -> None:
    reply = parsed(thread_ts="90.000001", parent_user_id="U2")
    assert isinstance(reply, SlackMessage)
    assert (reply.thread, reply.thread_author) == ("90.000001", "U2")
    broadcast = parsed(subtype="thread_broadcast", thread_ts="90.000001", root={"user": "U2"})
    assert isinstance(broadcast, SlackMessage)
    assert (broadcast.thread, broadcast.thread_author) == ("90.000001", "U2")


def test_the_first_message_of_a_thread_is_no_reply() -> None:
    first = parsed(thread_ts="100.000001")
    assert isinstance(first, SlackMessage)
    assert first.thread == ""


@pytest.mark.parametrize(
    ("event", "why"),
    [
        ({"type": "reaction_added"}, "an event of type reaction_added"),
        ({"subtype": "channel_join"}, "a message of subtype channel_join"),
        ({"subtype": "bot_message"}, "a message of subtype bot_message"),
        ({"bot_id": "B1"}, "said by a bot"),
        ({"bot_profile": {"id": "B1"}}, "said by a bot"),
        ({"user": "U0BOT"}, "said by us"),
        ({"metadata": {"event_type": "caseworker_post", "event_payload": {"key": "one"}}}, "said by us"),
        ({"user": None}, "said by a bot"),
        ({"user": "USLACKBOT"}, "said by a bot"),
        ({"text": " "}, "without words"),
        ({"channel": None}, "without a channel or a time stamp"),
        ({"ts": 5}, "without a channel or a time stamp"),
    ],
)
def test_events_without_a_persons_message_are_nothing(event: dict[str, Any], why: str) -> None:
    assert parsed(**event) == Nothing(why=why)


def test_files_keep_their_title_and_their_address() -> None:
    files = [
        {"title": "../../etc/passwd", "mimetype": "text/plain", "size": 12, "url_private_download": "https://d"},
        {"name": "shot.png", "size": "odd", "url_private": "https://p"},
        {"id": "F1", "mode": "tombstone"},
        "odd",
    ]  # fmt: skip
    said = parsed(subtype="file_share", files=files)
    assert isinstance(said, SlackMessage)
    assert said.files == (
        NewAttachment(title="../../etc/passwd", media_type="text/plain", size=12, source="https://d"),
        NewAttachment(title="shot.png", size=0, source="https://p"),
        NewAttachment(title="F1", size=0, problem="Slack gives no address for it: it was deleted, or lies elsewhere"),
    )


def test_a_file_without_text_is_a_message() -> None:
    said = parsed(subtype="file_share", text="", files=[{"title": "shot.png", "size": 1, "url_private": "u"}])
    assert isinstance(said, SlackMessage)
    assert said.text == "Attached: shot.png"


def test_ten_files_are_taken_and_the_rest_is_mentioned() -> None:
    said = parsed(subtype="file_share", files=[{"title": "x" * 400, "size": 1}] * 13)
    assert isinstance(said, SlackMessage)
    assert (len(said.files), len(said.files[0].title)) == (10, 300)
    assert said.text.endswith("[3 more files were not taken: 10 a message are]")


def message(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "message", "user": "U1", "text": text, "ts": "90.000001"} | more


def test_a_changed_text_is_an_edit_of_its_message() -> None:
    edited = message("new", edited={"user": "U1", "ts": "1"})
    assert parsed(subtype="message_changed", message=edited, previous_message=message("old")) == Edited(
        channel="C1", ts="90.000001", author="U1", text="new"
    )


@pytest.mark.parametrize(
    "after", [{"attachments": [{"from_url": "https://a", "title": "A"}]}, {"reply_count": 1}, {"pinned_to": ["C1"]}]
)
def test_a_preview_a_reply_and_a_pin_are_no_edits(after: dict[str, Any]) -> None:
    changed = parsed(subtype="message_changed", message=message("same", **after), previous_message=message("same"))
    assert changed == Nothing(why="changed, but not its words")


def test_an_edit_by_a_bot_is_nothing() -> None:
    changed = parsed(subtype="message_changed", message=message("b", bot_id="B1"), previous_message=message("a"))
    assert changed == Nothing(why="changed by a bot")
    changed = parsed(subtype="message_changed", message=message("b", user="U0BOT"), previous_message=message("a"))
    assert changed == Nothing(why="changed by us")


def test_a_deleted_message_is_a_deletion_also_if_a_tombstone_remains() -> None:
    gone = Deleted(channel="C1", ts="90.000001", author="U1")
    assert parsed(subtype="message_deleted", deleted_ts="90.000001", previous_message=message("old")) == gone
    stone = message("This message was deleted.", subtype="tombstone", user="USLACKBOT")
    assert parsed(subtype="message_changed", message=stone, previous_message=message("old")) == gone
    assert parsed(subtype="message_deleted", deleted_ts="90.000001") == Deleted(channel="C1", ts="90.000001", author="")
