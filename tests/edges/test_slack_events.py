"""Events from Slack by Socket Mode and HTTP, with the real library: acknowledged only after they were received."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, suppress

import httpx
import pytest
from slack_sdk.signature import SignatureVerifier
from starlette.requests import Request
from starlette.types import Message

from caseworker.chats.slack_app import Receive, SlackSocket, http_route
from caseworker.chats.slack_requests import NotTaken, read_signed
from caseworker.core.base.errors import Refused, Transient
from tests.edges.slack_world import Receiver, in_socket_mode, over_http, until
from tests.patience import PATIENCE
from tests.world.slack import SlackDouble

REPORTS = "C0REPORTS"


@pytest.fixture
async def slack() -> AsyncIterator[SlackDouble]:
    double = SlackDouble(patience=1.0)
    await double.start()
    try:
        yield double
    finally:
        await double.stop()


@pytest.fixture(params=["socket", "http"])
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def listening(
    slack: SlackDouble, receive: Receive, way: str, on_missed: Callable[[], None] = lambda: None
) -> AbstractAsyncContextManager[object]:
    listens = in_socket_mode if way == "socket" else over_http
    return listens(slack, receive, on_missed=on_missed)


async def test_an_event_is_passed_on_with_its_id_and_acknowledged_after_one_try(slack: SlackDouble, way: str) -> None:
    receiver = Receiver()
    async with listening(slack, receiver, way):
        ts = await slack.user_writes(REPORTS, "U0ADA", "checkout is broken")
    [(event_id, event)] = receiver.taken
    assert (event["channel"], event["user"], event["ts"]) == (REPORTS, "U0ADA", ts)
    [post] = slack.deliveries
    assert (post.event_id, post.tries, post.acknowledged) == (event_id, 1, True)


async def test_an_event_that_could_not_be_committed_is_not_acknowledged_and_comes_again(
    slack: SlackDouble, way: str
) -> None:
    receiver = Receiver()
    receiver.fails = [Transient("the database is away"), ValueError("a mistake of ours")]
    async with listening(slack, receiver, way):
        await slack.user_writes(REPORTS, "U0ADA", "checkout is broken")
    [post] = slack.deliveries
    assert (post.tries, post.acknowledged) == (3, True)
    assert post.reasons == (["timeout"] * 2 if way == "socket" else ["http_error"] * 2)
    assert receiver.texts == ["checkout is broken"]


async def test_nothing_is_acknowledged_while_the_event_is_being_processed(slack: SlackDouble, way: str) -> None:
    receiver = Receiver()
    receiver.gate.clear()
    async with listening(slack, receiver, way):
        writing = asyncio.create_task(slack.user_writes(REPORTS, "U0ADA", "checkout is broken"))
        await until(lambda: receiver.tries == 2)  # it was sent again, so the first try was not acknowledged
        assert not slack.deliveries[0].acknowledged
        receiver.gate.set()
        await writing
    assert slack.deliveries[0].acknowledged


async def test_no_call_of_the_web_api_comes_before_an_acknowledgement(slack: SlackDouble, way: str) -> None:
    async with listening(slack, Receiver(), way):
        before = list(slack.calls)
        await slack.user_writes(REPORTS, "U0ADA", "checkout is broken")
        assert slack.calls == before


async def test_edits_deletions_joins_and_bot_messages_are_passed_on_too(slack: SlackDouble, way: str) -> None:
    receiver = Receiver()
    async with listening(slack, receiver, way):
        ts = await slack.user_writes(REPORTS, "U0ADA", "checkout is broken")
        await slack.edits(REPORTS, ts, "the checkout is broken")
        await slack.deletes(REPORTS, ts)
        await slack.joins(REPORTS, "U0GRACE")
        await slack.bot_writes(REPORTS, "deployed")
    subtypes = [event.get("subtype") for _, event in receiver.taken]
    assert subtypes == [None, "message_changed", "message_deleted", "channel_join", None]
    assert all(post.tries == 1 for post in slack.deliveries)


async def test_events_of_unused_kinds_are_acknowledged_and_ignored(slack: SlackDouble, way: str) -> None:
    receiver = Receiver()
    async with listening(slack, receiver, way):
        await slack.delivery.deliver({"type": "reaction_added", "user": "U0ADA", "reaction": "eyes"})
    assert receiver.taken == []
    assert slack.deliveries[0].tries == 1


UNUSED = [
    {"type": "app_rate_limited", "team_id": "T0TEAM", "minute_rate_limited": 1_700_000_000, "api_app_id": "A0APP"},
    {"type": "block_actions", "user": {"id": "U0ADA"}, "actions": []},
    {"type": "shortcut", "callback_id": "anything"},
    {"command": "/caseworker", "text": "hello"},
    {"type": "of tomorrow", "odd": [1, {"two": None}]},
    {},
]
"""Payloads that are no event callback."""


@pytest.mark.parametrize("payload", UNUSED, ids=lambda payload: str(payload.get("type", "other")))
async def test_an_envelope_that_is_no_event_is_acknowledged_at_once(
    slack: SlackDouble, way: str, payload: dict[str, object]
) -> None:
    receiver, missed = Receiver(), list[bool]()
    async with listening(slack, receiver, way, on_missed=lambda: missed.append(True)):
        missed.clear()  # a new connection counts as well
        await slack.delivery.deliver_raw(payload)
    [post] = slack.deliveries
    assert (post.tries, post.acknowledged, receiver.taken) == (1, True, [])
    assert missed == [True] * (payload.get("type") == "app_rate_limited")


async def test_fifty_copies_of_one_event_are_all_passed_on_with_one_id(slack: SlackDouble, way: str) -> None:
    receiver = Receiver()
    async with listening(slack, receiver, way):
        await slack.user_writes(REPORTS, "U0ADA", "checkout is broken", copies=50)
    assert len(receiver.taken) == 50
    assert len({event_id for event_id, _ in receiver.taken}) == 1


# --- Socket Mode


async def test_a_wrong_app_token_is_refused_at_once_with_what_to_do(slack: SlackDouble) -> None:
    socket = SlackSocket(Receiver(), app_token="xapp-wrong", base_url=slack.base_url)
    with pytest.raises(Refused, match=r"invalid_auth.*Correct the Slack tokens"):
        await socket.run()


@pytest.mark.parametrize("trouble", ["asked to reconnect", "hung up", "hung up, addresses cancelled"])
async def test_a_lost_connection_is_made_again_and_events_come_through(slack: SlackDouble, trouble: str) -> None:
    receiver = Receiver()
    async with in_socket_mode(slack, receiver):
        await slack.user_writes(REPORTS, "U0ADA", "before")
        if trouble == "asked to reconnect":
            await slack.delivery.ask_to_reconnect()
        else:
            await slack.delivery.hang_up()
        if trouble.endswith("cancelled"):
            slack.delivery.cancel_addresses()
        await slack.user_writes(REPORTS, "U0ADA", "after")
    assert receiver.texts == ["before", "after"]


async def test_on_missed_is_called_after_each_connection(slack: SlackDouble) -> None:
    made: list[bool] = []
    async with in_socket_mode(slack, Receiver(), on_missed=lambda: made.append(True)):
        await until(lambda: len(made) == 1)
        await slack.delivery.hang_up()
        await until(lambda: len(made) == 2)
        await slack.delivery.ask_to_reconnect()
        await until(lambda: len(made) == 3)


async def test_an_outage_of_slack_is_waited_out(slack: SlackDouble) -> None:
    receiver = Receiver()
    async with in_socket_mode(slack, receiver) as socket:
        await slack.stop()
        await until(lambda: not socket.connected.is_set())
        await slack.start()
        async with asyncio.timeout(PATIENCE):
            await socket.connected.wait()
        await slack.user_writes(REPORTS, "U0ADA", "after")
    assert receiver.texts == ["after"]


async def test_an_address_that_went_stale_is_given_up_for_a_new_one(slack: SlackDouble) -> None:
    """The library alone would try the same address for ever."""
    receiver = Receiver()
    async with in_socket_mode(slack, receiver) as socket:
        issue = slack.delivery.new_address
        stale = iter([True])
        slack.delivery.new_address = lambda: issue().replace("ticket=", "ticket=gone") if next(stale, 0) else issue()  # type: ignore[method-assign]  # the double gives one bad address
        await slack.delivery.hang_up()
        await until(lambda: bool(slack.delivery.sockets) and socket.connected.is_set())
        await slack.user_writes(REPORTS, "U0ADA", "after")
    assert receiver.texts == ["after"]


# --- HTTP


async def test_slacks_check_of_the_address_is_answered(slack: SlackDouble) -> None:
    async with over_http(slack, Receiver()) as url, httpx.AsyncClient() as client:
        body = json.dumps({"token": "t", "challenge": "abc", "type": "url_verification"})
        answer = await client.post(url, content=body, headers=slack.delivery.signed(body))
    assert (answer.status_code, answer.json()) == (200, {"challenge": "abc"})


@pytest.mark.parametrize("forgery", ["unsigned", "wrongly signed", "old", "no time", "odd time", "another body"])
async def test_a_request_that_is_not_from_slack_is_refused(slack: SlackDouble, forgery: str) -> None:
    receiver = Receiver()
    body = json.dumps(slack.workspace.callback({"type": "message", "text": "x", "user": "U0ADA", "channel": REPORTS}))
    headers = slack.delivery.signed(body, at=int(time.time()) - 3_600 if forgery == "old" else None)
    match forgery:
        case "unsigned":
            del headers["X-Slack-Signature"]
        case "wrongly signed":
            headers["X-Slack-Signature"] = "v0=" + "0" * 64
        case "no time":
            del headers["X-Slack-Request-Timestamp"]
        case "odd time":
            headers["X-Slack-Request-Timestamp"] = "yesterday"
        case "another body":
            body = body.replace("U0ADA", "U0EVE")
    async with over_http(slack, receiver) as url, httpx.AsyncClient() as client:
        answer = await client.post(url, content=body, headers=headers)
    assert answer.status_code == 401
    assert receiver.taken == []


@pytest.mark.parametrize(
    "body",
    [
        *("no JSON", '{"type": ', "[]", '"text"', "", "payload=%7B%7D", "ssl_check=1", "[" * 100_000),
        *('{"type": "event_callback", "event": []}', '{"event": {"type": []}}', '{"authorizations": [7]}'),
    ],
)
async def test_a_body_that_is_no_object_is_refused_without_a_stack_trace(slack: SlackDouble, body: str) -> None:
    receiver = Receiver()
    async with over_http(slack, receiver) as url, httpx.AsyncClient() as client:
        signed = await client.post(url, content=body, headers=slack.delivery.signed(body))
        forged = await client.post(url, content=body, headers=slack.delivery.signed(f"{body} "))
    assert (signed.status_code, forged.status_code, receiver.taken) == (400, 401, [])


async def test_a_broken_frame_does_not_stop_socket_mode(slack: SlackDouble) -> None:
    receiver = Receiver()
    async with in_socket_mode(slack, receiver):
        for frame in ("no JSON", '{"type": ', "[]", '{"type": "of tomorrow"}'):
            await slack.delivery.sockets[0].send_str(frame)
        await slack.user_writes(REPORTS, "U0ADA", "after")
    assert receiver.texts == ["after"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X-Slack-Request-Timestamp", "\u00b2".encode("latin-1")),  # a digit for Python, and no number
        ("X-Slack-Request-Timestamp", b"9" * 5_000),
        ("X-Slack-Request-Timestamp", b"-1"),
        ("X-Slack-Request-Timestamp", b"1e9"),
        ("X-Slack-Signature", "v0=\u00e9".encode("latin-1")),
    ],
)
async def test_a_broken_header_is_refused_without_a_stack_trace(slack: SlackDouble, name: str, value: bytes) -> None:
    body = "{}"
    headers = {key.encode(): text.encode() for key, text in slack.delivery.signed(body).items()}
    async with over_http(slack, Receiver()) as url, httpx.AsyncClient() as client:
        answer = await client.post(url, content=body, headers=list({**headers, name.encode(): value}.items()))
    assert answer.status_code == 401


async def test_a_body_in_another_encoding_is_refused_without_a_stack_trace(slack: SlackDouble) -> None:
    async with over_http(slack, Receiver()) as url, httpx.AsyncClient() as client:
        answer = await client.post(url, content='{"type": "x"}'.encode("utf-16"), headers=slack.delivery.signed("{}"))
    assert answer.status_code == 400


async def test_a_chunked_body_is_counted_while_it_is_read(slack: SlackDouble) -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while sent < 50_000_000:
            sent += 100_000
            yield b" " * 100_000

    async with over_http(slack, Receiver()) as url, httpx.AsyncClient() as client:
        long = await client.post(url, content=b" " * 1_000_001)
        with suppress(httpx.TransportError):  # the connection may be closed before all is sent
            chunked = await client.post(url, content=endless())
            assert chunked.status_code == 413
    assert long.status_code == 413


async def test_a_body_that_never_ends_is_given_up(slack: SlackDouble) -> None:
    async def receive() -> Message:
        await asyncio.Event().wait()
        raise AssertionError("nothing ever comes")

    request = Request({"type": "http", "method": "POST", "headers": []}, receive)
    taken = await read_signed(request, SignatureVerifier("secret"), seconds=0.01)
    assert taken == NotTaken(408, "That took too long.")


def test_http_without_a_signing_secret_is_refused() -> None:
    with pytest.raises(Refused, match="slack_signing_secret"):
        http_route(Receiver(), signing_secret="")
