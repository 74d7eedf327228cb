"""A developers' thread that begins late, before another post: each post once, wherever the process is stopped."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest

from caseworker.activities.shared.posts import Posting
from caseworker.core.people.messages import Audience
from caseworker.core.people.posts import Post
from caseworker.core.record.entries import Posted
from caseworker.ports import Thread
from caseworker.store.store import Store
from tests.edges.slack_world import chat_of
from tests.edges.store_examples import open_bug
from tests.edges.test_acknowledgements import slack as slack  # the fixture
from tests.world.phrasings import RECORDED
from tests.world.slack import SlackDouble

CHANNEL = "C0SUMMARY"
WRITES = [("effects", "intend"), ("record", "append"), ("threads", "begin"), ("effects", "done")]


class Stopped(Exception):
    """The process is gone."""


def stopping(store: Store, part: str, name: str, at: int, *, after: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The `at`th call of this write does not return: it was not done, or (`after`) done and not heard of."""
    owner = getattr(store, part)
    write: Callable[..., Awaitable[Any]] = getattr(owner, name)
    calls = 0

    async def write_or_stop(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == at and not after:
            raise Stopped
        result = await write(*args, **kwargs)
        if calls == at:
            raise Stopped
        return result

    monkeypatch.setattr(owner, name, write_or_stop)


async def say(store: Store, slack: SlackDouble, case: Any) -> None:
    async def opening(_: object) -> Callable[[object], str]:
        return lambda _: "The report."

    stored = await store.bugs.load(case)
    assert stored is not None
    posting = Posting(
        store=store,
        chats={"slack": chat_of(slack)},
        recorded_in=RECORDED,
        developers=Thread(surface="slack", channel=CHANNEL),
        opening=opening,
    )
    await posting.say(
        stored, Post(about="resolved", audience=Audience.DEVELOPERS, epoch=1, number=1), lambda _: "It is over."
    )


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("at", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("part", "name"), WRITES)
async def test_a_stop_at_any_write_leaves_each_post_once_and_recorded(
    store: Store, slack: SlackDouble, monkeypatch: pytest.MonkeyPatch, part: str, name: str, at: int, after: bool
) -> None:
    case = await open_bug(store)
    with monkeypatch.context() as patch:
        stopping(store, part, name, at, after=after, monkeypatch=patch)
        with suppress(Stopped):
            await say(store, slack, case)
    await say(store, slack, case)
    texts = [post.text for post in slack.posts(CHANNEL)]
    assert [text.splitlines()[0] for text in texts] == ["The report.", "It is over."]
    posted = [r.entry.about for r in await store.record.whole(case) if isinstance(r.entry, Posted)]
    assert posted == ["summary", "resolved"]
    assert not await store.effects.beginning("post", {"channel": CHANNEL, "begins": "a thread"})
