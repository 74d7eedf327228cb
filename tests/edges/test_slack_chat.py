"""The Slack client with the real library: posts that arrive once, files, and what each refusal says."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from caseworker.chats.rate_limits import RateLimits
from caseworker.chats.slack_errors import retry_after
from caseworker.core.base.errors import RateLimited, Refused, Transient
from caseworker.ports import Thread
from tests.edges.clocks import Clock
from tests.edges.slack_world import chat_of
from tests.world.slack import BOT_USER, SlackDouble, UploadedFile

CHANNEL = Thread(surface="slack", channel="C0SUMMARY")


@pytest.fixture
async def slack() -> AsyncIterator[SlackDouble]:
    double = SlackDouble(patience=0.05)
    await double.start()
    try:
        yield double
    finally:
        await double.stop()


async def thread_in(slack: SlackDouble) -> Thread:
    ts = slack.add_without_event("C0REPORTS", "U0ADA", "checkout is broken")
    return Thread(surface="slack", channel="C0REPORTS", anchor=ts)


async def test_a_post_is_in_its_thread_with_its_own_id_and_key(slack: SlackDouble) -> None:
    thread = await thread_in(slack)
    name = await chat_of(slack).post(thread, "**Seen.** I am on it.", key="bug-7F3K/1/post/1")
    [post] = slack.posts(channel="C0REPORTS", thread=thread.anchor)
    assert (post.ts, post.text, post.key) == (name, "*Seen.* I am on it.", "bug-7F3K/1/post/1")


async def test_a_post_without_an_anchor_begins_a_thread_in_the_channel(slack: SlackDouble) -> None:
    chat = chat_of(slack)
    anchor = await chat.post(CHANNEL, "bug-7F3K", key="summary")
    await chat.post(Thread(surface="slack", channel="C0SUMMARY", anchor=anchor), "more", key="more")
    assert [(post.text, post.thread) for post in slack.posts()] == [("bug-7F3K", ""), ("more", anchor)]


async def test_a_reaction_is_added_once_however_often_it_is_asked_for(slack: SlackDouble) -> None:
    chat, thread = chat_of(slack), await thread_in(slack)
    for _ in range(2):
        assert await chat.react(f"C0REPORTS:{thread.anchor}")
    assert slack.reactions("C0REPORTS", thread.anchor) == ["eyes"]
    assert await chat.react("C0REPORTS:1.000000")  # the message was deleted meanwhile


async def test_a_post_is_found_by_its_key_in_its_thread_and_nowhere_else(slack: SlackDouble) -> None:
    chat, thread = chat_of(slack), await thread_in(slack)
    name = await chat.post(thread, "hello", key="one")
    assert await chat.find(thread, "one") == name
    assert await chat.find(thread, "two") is None
    assert await chat.find(await thread_in(slack), "one") is None
    assert await chat.find(CHANNEL, "one") is None


@pytest.mark.parametrize("where", ["thread", "channel"])
async def test_a_post_is_found_behind_many_others(slack: SlackDouble, where: str) -> None:
    chat, thread = chat_of(slack), await thread_in(slack)
    place = thread if where == "thread" else Thread(surface="slack", channel="C0REPORTS")
    for number in range(250):
        slack.add_without_event("C0REPORTS", "U0ADA", f"word {number}", thread=place.anchor or None)
    name = await chat.post(place, "hello", key="one")
    for number in range(250):
        slack.add_without_event("C0REPORTS", "U0ADA", f"more {number}", thread=place.anchor or None)
    assert await chat.find(place, "one") == name
    pages = [call for call in slack.calls if call.startswith("conversations")]
    assert len(pages) == 2


@pytest.mark.parametrize("where", ["thread", "channel"])
async def test_messages_since_a_moment_are_read_page_by_page_newest_last(slack: SlackDouble, where: str) -> None:
    thread = await thread_in(slack)
    place = thread if where == "thread" else Thread(surface="slack", channel="C0REPORTS")
    named = [
        slack.add_without_event("C0REPORTS", "U0ADA", f"word {n}", thread=place.anchor or None) for n in range(450)
    ]
    said = await chat_of(slack).said_in(place, since=float(named[9]), most=1_000)
    first = [thread.anchor] if where == "thread" else []
    assert [message["ts"] for message in said] == first + named[10:]
    assert {message["channel"] for message in said} == {"C0REPORTS"}
    few = await chat_of(slack).said_in(place, since=0, most=100)
    assert [message["ts"] for message in few] == ([*first, *named[:99]] if where == "thread" else named[-100:])


@pytest.mark.parametrize("trouble", ["lose_answer", "hang"])
async def test_a_post_whose_answer_is_lost_was_sent_once_and_can_be_found(slack: SlackDouble, trouble: str) -> None:
    chat, thread = chat_of(slack, timeout=1), await thread_in(slack)
    if trouble == "hang":
        slack.trouble.hang("chat.postMessage")
    else:
        slack.trouble.lose_answer("chat.postMessage")
    with pytest.raises(Transient):
        await chat.post(thread, "hello", key="one")
    [post] = slack.posts()
    assert await chat.find(thread, "one") == post.ts


@pytest.mark.parametrize("seconds", [1, 31, 3_600])
async def test_a_rate_limit_says_how_long_to_wait(slack: SlackDouble, seconds: int) -> None:
    slack.trouble.limit("chat.postMessage", retry_after=seconds)
    with pytest.raises(RateLimited, match="ratelimited") as limited:
        await chat_of(slack).post(CHANNEL, "hello", key="one")
    assert (limited.value.seconds, limited.value.place) == (seconds, "C0SUMMARY")
    assert slack.calls == ["chat.postMessage"]
    assert slack.posts() == []


async def test_a_limited_channel_is_not_asked_again_and_others_are_not_affected(slack: SlackDouble) -> None:
    clock = Clock()
    chat, thread = chat_of(slack, limits=RateLimits(clock=clock)), await thread_in(slack)
    slack.trouble.limit_channel("C0SUMMARY", seconds=600)
    for left in (600, 400, 200):
        with pytest.raises(RateLimited) as limited:
            await chat.post(CHANNEL, "hello", key="one")
        assert limited.value.seconds == left
        clock.seconds += 200
    assert slack.trouble.limited == [("chat.postMessage", "C0SUMMARY")]
    await chat.post(thread, "hello", key="two")
    assert await chat.find(CHANNEL, "one") is None  # posts and look-ups have limits of their own


async def test_look_ups_say_how_long_to_wait_too(slack: SlackDouble) -> None:
    chat, thread = chat_of(slack), await thread_in(slack)
    slack.trouble.limit("conversations.replies", retry_after=60)
    for _ in range(2):
        with pytest.raises(RateLimited):
            await chat.find(thread, "one")
    assert slack.calls == ["conversations.replies"]


@pytest.mark.parametrize("status", [500, 502, 503])
async def test_an_outage_is_transient(slack: SlackDouble, status: int) -> None:
    slack.trouble.fail("chat.postMessage", status=status)
    with pytest.raises(Transient):
        await chat_of(slack).post(CHANNEL, "hello", key="one")
    assert slack.posts() == []


async def test_an_unreachable_slack_is_transient(slack: SlackDouble) -> None:
    chat = chat_of(slack)
    await slack.stop()
    with pytest.raises(Transient, match="can't be reached"):
        await chat.post(CHANNEL, "hello", key="one")
    with pytest.raises(Transient):
        await chat.fetch(f"{slack.workspace.home}/files-pri/x/file", limit=10)


async def test_refusals_say_what_to_do(slack: SlackDouble) -> None:
    slack.workspace.without_bot.add("C0SUMMARY")
    with pytest.raises(Refused, match=r"not_in_channel.*/invite @caseworker"):
        await chat_of(slack).post(CHANNEL, "hello", key="one")
    with pytest.raises(Refused, match=r"channel_not_found.*Correct the channel's id"):
        await chat_of(slack).post(Thread(surface="slack", channel="C0NOWHERE"), "hello", key="one")
    with pytest.raises(Refused, match=r"invalid_auth.*Correct the Slack tokens"):
        await chat_of(slack, token="xoxb-wrong").post(CHANNEL, "hello", key="one")
    with pytest.raises(Refused, match="thread_not_found"):
        await chat_of(slack).find(Thread(surface="slack", channel="C0REPORTS", anchor="1.000001"), "one")


async def test_a_good_token_tells_who_the_bot_is(slack: SlackDouble) -> None:
    assert await chat_of(slack).whoami() == BOT_USER


async def test_a_very_long_post_keeps_both_ends(slack: SlackDouble) -> None:
    await chat_of(slack).post(CHANNEL, "first " + "<x> " * 30_000 + "last", key="one")
    [post] = slack.posts()
    assert len(post.text) <= 40_000
    assert post.text.startswith("first &lt;x&gt;")
    assert "[cut: " in post.text
    assert post.text.endswith("last")


# --- files


async def shared(slack: SlackDouble, content: bytes, *, media_type: str = "text/plain") -> str:
    file = UploadedFile(name="app.log", content=content, media_type=media_type)
    message = slack.workspace.say("C0REPORTS", "U0ADA", "see the log", files=[file])
    files = message["files"]
    assert isinstance(files, list)
    return str(files[0]["url_private_download"])


async def test_a_file_is_fetched_with_the_bots_token(slack: SlackDouble) -> None:
    content = bytes(range(256)) * 1_000
    assert await chat_of(slack).fetch(await shared(slack, content), limit=256_000) == content


async def test_an_attached_html_page_is_not_mistaken_for_a_log_in_page(slack: SlackDouble) -> None:
    source = await shared(slack, b"<html>", media_type="text/html")
    assert await chat_of(slack).fetch(source, limit=100) == b"<html>"


async def test_a_file_over_the_limit_is_refused(slack: SlackDouble) -> None:
    with pytest.raises(Refused, match=r"larger than 0.001 MB"):
        await chat_of(slack).fetch(await shared(slack, b"x" * 1_001), limit=1_000)


async def test_a_file_of_unknown_length_is_read_up_to_the_limit_only(slack: SlackDouble) -> None:
    async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
        try:
            while True:
                writer.write(b"x" * 65_536)
                await writer.drain()
        except ConnectionError:
            writer.close()

    server = await asyncio.start_server(endless, "127.0.0.1", 0)
    home = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    slack.workspace.home = home  # for the chat, this is Slack now
    with pytest.raises(Refused, match="larger than"):
        await chat_of(slack).fetch(f"{home}/file", limit=1_000_000)
    server.close()


async def test_a_redirect_to_the_log_in_is_a_refusal(slack: SlackDouble) -> None:
    source = await shared(slack, b"secret")
    with pytest.raises(Refused, match="files:read"):
        await chat_of(slack, token="xoxb-wrong").fetch(source, limit=100)
    with pytest.raises(Refused, match="files:read"):
        await chat_of(slack).fetch(f"{slack.workspace.home}/login", limit=100)


async def test_the_token_is_not_sent_along_with_a_redirect(slack: SlackDouble) -> None:
    asked: list[bytes] = []

    async def elsewhere(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        writer.close()

    async def moved(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"HTTP/1.1 302 Found\r\nLocation: {address(other)}\r\nContent-Length: 0\r\n\r\n".encode())
        writer.close()

    def address(server: asyncio.Server) -> str:
        return f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"

    other = await asyncio.start_server(elsewhere, "127.0.0.1", 0)
    async with other, await asyncio.start_server(moved, "127.0.0.1", 0) as home:
        slack.workspace.home = address(home)
        with pytest.raises(Refused, match="files:read"):
            await chat_of(slack).fetch(f"{address(home)}/file", limit=100)
    assert asked == []


async def test_a_file_that_is_gone_is_a_refusal(slack: SlackDouble) -> None:
    with pytest.raises(Refused, match="gone"):
        await chat_of(slack).fetch(f"{slack.workspace.home}/files-pri/T-F99/file", limit=100)


@pytest.mark.parametrize(
    "source",
    [
        "",
        "https://example.com/file",
        "http://files.slack.com/file",
        "https://files.slack.com.example.com/file",
        "https://evilslack.com/file",
        "https://files.slack.com:8443/file",
        "https://slack.com@example.com/file",
        "http://127.0.0.1:1/file",
        "file:///etc/passwd",
        "https://[::1/file",
    ],
)
async def test_the_token_is_sent_to_slack_only(slack: SlackDouble, source: str) -> None:
    with pytest.raises(Refused, match="does not lie with Slack"):
        await chat_of(slack).fetch(source, limit=100)


async def test_a_restarted_process_is_refused_once_not_once_for_each_case(slack: SlackDouble) -> None:
    slack.trouble.limit_channel("C0SUMMARY", seconds=60)
    restarted = chat_of(slack)  # it knows nothing of the limit that its predecessor was told of
    posts = [restarted.post(CHANNEL, "hello", key=f"case {number}") for number in range(20)]
    ends = await asyncio.gather(*posts, return_exceptions=True)
    assert all(isinstance(end, RateLimited) and end.seconds > 0 for end in ends)
    assert slack.trouble.limited == [("chat.postMessage", "C0SUMMARY")]


async def test_after_a_limit_one_post_goes_first_and_the_others_follow(slack: SlackDouble) -> None:
    slack.trouble.limit("chat.postMessage", retry_after=1)
    chat = chat_of(slack)
    with pytest.raises(RateLimited) as limited:
        await chat.post(CHANNEL, "hello", key="first")
    await asyncio.sleep(limited.value.seconds)  # the time that the service named
    await asyncio.gather(*(chat.post(CHANNEL, "hello", key=f"case {number}") for number in range(5)))
    assert len(slack.posts()) == 5


@pytest.mark.parametrize(
    ("named", "seconds"),
    [("40", 40.0), ("1.5", 1.5), ("0", 1.0), ("", 30.0), ("soon", 30.0), ("nan", 30.0), ("-5", 30.0)],
)
def test_how_long_to_wait_after_a_rate_limit(named: str, seconds: float) -> None:
    assert retry_after({"Retry-After": named}) == seconds
