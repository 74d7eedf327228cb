"""Reactions that acknowledge people's messages, and when a text has to say it instead."""

from collections.abc import AsyncIterator

import pytest

from caseworker.activities.shared.posts import Posting
from caseworker.core.base.ids import CaseId
from caseworker.core.people.messages import Message
from caseworker.store.store import Store
from tests.edges.slack_world import chat_of
from tests.edges.store_examples import open_bug, said
from tests.world.phrasings import RECORDED
from tests.world.slack import SlackDouble

CHANNEL = "C0SUMMARY"


@pytest.fixture
async def slack() -> AsyncIterator[SlackDouble]:
    double = SlackDouble()
    await double.start()
    try:
        yield double
    finally:
        await double.stop()


def posting(store: Store, slack: SlackDouble) -> Posting:
    return Posting(store=store, chats={"slack": chat_of(slack)}, recorded_in=RECORDED)


async def written(store: Store, case: CaseId, slack: SlackDouble | None = None) -> Message:
    """A message that somebody wrote in Slack, or else in the terminal."""
    message = said(case)
    if slack is not None:
        ts = slack.add_without_event(CHANNEL, "U0ADA", message.text)
        message = message.model_copy(update={"surface": "slack", "reference": f"{CHANNEL}:{ts}"})
    stored = await store.inbox.put(message)
    assert stored is not None
    return stored


async def test_messages_of_a_surface_with_reactions_need_no_text(store: Store, slack: SlackDouble) -> None:
    case = await open_bug(store)
    first, second = await written(store, case, slack), await written(store, case, slack)
    assert await posting(store, slack).react(case, [first.id, second.id])
    assert all(slack.reactions(CHANNEL, one.reference.partition(":")[2]) == ["eyes"] for one in (first, second))


async def test_a_text_is_needed_where_a_reaction_is_not_possible(store: Store, slack: SlackDouble) -> None:
    case = await open_bug(store)
    typed, posted = await written(store, case), await written(store, case, slack)
    assert not await posting(store, slack).react(case, [typed.id, posted.id])
    slack.workspace.without_bot.add(CHANNEL)
    assert not await posting(store, slack).react(case, [posted.id])
