"""The fake Slack compared with the vendor's schemas: every answer and event has the right fields and types."""

import json
from collections.abc import AsyncIterator

import aiohttp
import httpx
import pytest

from tests.world import slack_shapes as shapes
from tests.world.slack import SlackDouble, UploadedFile
from tests.world.slack_state import Json

REPORTS, ADA = "C0REPORTS", "U0ADA"


@pytest.fixture
async def slack() -> AsyncIterator[SlackDouble]:
    double = SlackDouble(patience=0.05)
    await double.start()
    try:
        yield double
    finally:
        await double.stop()


async def call(slack: SlackDouble, method: str, *, token: str | None = None, **arguments: str) -> Json:
    headers = {"Authorization": f"Bearer {token or slack.bot_token}"}
    async with httpx.AsyncClient() as client:
        answer = await client.post(f"{slack.base_url}{method}", json=arguments, headers=headers)
    found = answer.json()
    assert isinstance(found, dict)
    return found


def missing(value: object, shape: shapes.Shape) -> list[str]:
    return shapes.missing(value, shape)


async def test_answers_have_the_vendors_fields(slack: SlackDouble) -> None:
    assert missing(await call(slack, "auth.test"), shapes.AUTH_TEST) == []
    assert missing(await call(slack, "apps.connections.open", token=slack.app_token), shapes.CONNECTION) == []
    first = slack.add_without_event(REPORTS, ADA, "broken")
    post = await call(slack, "chat.postMessage", channel=REPORTS, text="hello", thread_ts=first)
    assert missing(post, shapes.POSTED) == []
    assert missing(await call(slack, "conversations.replies", channel=REPORTS, ts=first), shapes.PAGE) == []
    assert missing(await call(slack, "conversations.history", channel=REPORTS), shapes.PAGE) == []


async def test_refusals_have_the_vendors_error_codes(slack: SlackDouble) -> None:
    refused = [
        await call(slack, "auth.test", token="xoxb-wrong"),
        await call(slack, "apps.connections.open"),
        await call(slack, "chat.postMessage", channel="C0NOWHERE", text="x"),
        await call(slack, "chat.postMessage", channel=REPORTS),
        await call(slack, "conversations.replies", channel=REPORTS, ts="1.1"),
        await call(slack, "no.such"),
    ]
    assert all(missing(answer, shapes.FAILURE) == [] for answer in refused)
    assert [answer["error"] for answer in refused] == [
        "invalid_auth",
        "not_allowed_token_type",
        "channel_not_found",
        "no_text",
        "thread_not_found",
        "unknown_method",
    ]


async def test_events_have_the_vendors_fields(slack: SlackDouble) -> None:
    space = slack.workspace
    first = space.say(REPORTS, ADA, "broken")
    name = str(first["ts"])
    shared = space.say(REPORTS, ADA, "see", files=[UploadedFile(name="a", content=b"b")], subtype="file_share")
    assert missing(space.event_of(first, REPORTS), shapes.MESSAGE) == []
    assert missing(space.event_of(shared, REPORTS), shapes.FILE_SHARE) == []
    assert missing(space.callback(space.event_of(first, REPORTS)), shapes.CALLBACK) == []
    assert missing(space.changed(REPORTS, *space.change(REPORTS, name, "broken!")), shapes.CHANGED) == []
    reply = space.say(REPORTS, ADA, "more", thread=name)
    broadcast = space.say(REPORTS, ADA, "all", thread=name, subtype="thread_broadcast")
    assert missing(space.event_of(reply, REPORTS), shapes.REPLY) == []
    assert missing(space.event_of(broadcast, REPORTS), shapes.BROADCAST) == []
    assert missing(space.delete(REPORTS, str(reply["ts"])), shapes.DELETED) == []
    assert missing(space.delete(REPORTS, name), shapes.TOMBSTONE) == []


async def test_the_socket_says_hello_and_sends_envelopes_with_the_vendors_fields(slack: SlackDouble) -> None:
    address = slack.delivery.new_address()
    async with aiohttp.ClientSession() as session, session.ws_connect(address) as socket:
        assert missing(json.loads(await socket.receive_str()), shapes.HELLO) == []
        await slack.user_writes(REPORTS, ADA, "broken")  # not acknowledged, so sent four times
        sent = [json.loads(await socket.receive_str()) for _ in range(4)]
    assert all(missing(envelope, shapes.ENVELOPE) == [] for envelope in sent)
    assert [envelope["retry_attempt"] for envelope in sent] == [0, 1, 2, 3]
    assert len({envelope["payload"]["event_id"] for envelope in sent}) == 1
    assert not slack.deliveries[0].acknowledged


async def test_an_address_of_the_socket_is_valid_for_one_connection(slack: SlackDouble) -> None:
    address = slack.delivery.new_address()
    async with aiohttp.ClientSession() as session:
        async with session.ws_connect(address):
            pass
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await session.ws_connect(address)


def test_a_field_that_is_missing_or_of_another_type_is_reported() -> None:
    shape: shapes.Shape = {"a": str, "b": [{"c": int}]}
    assert shapes.missing({"a": "x", "b": [{"c": 1}]}, shape) == []
    assert shapes.missing({"a": 1, "b": [{}]}, shape) == ["it.a is int", "it.b[0].c is missing"]


async def test_time_stamps_are_unique_and_increase(slack: SlackDouble) -> None:
    stamps = [slack.workspace.next_ts() for _ in range(1_000)]
    assert sorted(set(stamps)) == stamps
