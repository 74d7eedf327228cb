"""The checks of the bot and its channels, and what they log."""

from collections.abc import AsyncIterator

import pytest
from structlog.testing import capture_logs

from caseworker.chats.slack_watch import SlackWatch
from tests.edges.slack_world import chat_of
from tests.world.slack import BOT_USER, SlackDouble


@pytest.fixture
async def slack() -> AsyncIterator[SlackDouble]:
    double = SlackDouble()
    await double.start()
    try:
        yield double
    finally:
        await double.stop()


def watch_of(slack: SlackDouble, bots: list[str]) -> SlackWatch:
    channels = {"slack_reports_channel": "C0REPORTS", "slack_summaries_channel": "C0SUMMARY", "unset": ""}
    return SlackWatch(chat=chat_of(slack), channels=channels, on_bot=bots.append)


async def test_a_channel_without_the_bot_is_logged_once_and_when_it_was_invited(slack: SlackDouble) -> None:
    slack.workspace.without_bot.add("C0SUMMARY")
    bots: list[str] = []
    watch = watch_of(slack, bots)
    with capture_logs() as logs:
        await watch.look()
        await watch.look()
        slack.workspace.without_bot.clear()
        await watch.look()
    assert [(entry["log_level"], entry["setting"]) for entry in logs] == [
        ("warning", "slack_summaries_channel"),
        ("info", "slack_summaries_channel"),
    ]
    assert "Invite the bot there: type `/invite @caseworker` in the channel." in logs[0]["error"]
    assert bots == [BOT_USER] * 3


async def test_the_bot_is_learned_after_an_outage(slack: SlackDouble) -> None:
    bots: list[str] = []
    watch = watch_of(slack, bots)
    slack.trouble.goes_down()
    await watch.look()
    assert bots == []
    slack.trouble.comes_back()
    await watch.look()
    assert bots == [BOT_USER]
