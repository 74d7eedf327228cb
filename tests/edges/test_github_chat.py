"""GitHub as a chat on our own GitHub: posts are comments under their key, cleaned, and found again."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from caseworker.chats.github_chat import GitHubChat
from caseworker.chats.rate_limits import RateLimits
from caseworker.chats.surface_phrasing import CommentPhrasing
from caseworker.core.base.errors import RateLimited, Refused
from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Milestone
from caseworker.core.base.redaction import Redactor
from caseworker.core.people.commands import MessageKind
from caseworker.ports import Thread
from tests.edges.clocks import Clock
from tests.edges.github_shop import Shop, opened_shop

KEY = "acme/shop#1/1/questions/1"


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Shop]:
    async with opened_shop(tmp_path) as opened:
        yield opened


def chat_of(shop: Shop, *, limits: RateLimits | None = None) -> GitHubChat:
    redactor = Redactor(["hunter2hunter2"])
    return GitHubChat(shop.forge.comments, web=shop.api.address.web, redactor=redactor, limits=limits)


THREAD = Thread(surface="github", channel="acme/shop", anchor="1")


async def test_a_post_is_a_comment_that_is_found_by_its_key(shop: Shop) -> None:
    issue, chat = shop.issue(), chat_of(shop)
    assert await chat.find(THREAD, KEY) is None
    name = await chat.post(THREAD, "Which page?", key=KEY)
    assert issue.comments[0].body == f"Which page?\n\n<!-- caseworker:{KEY} -->"
    assert await chat.find(THREAD, KEY) == name == str(issue.comments[0].id)
    assert await chat.find(THREAD, f"{KEY}0") is None


async def test_another_persons_comment_with_our_marker_is_not_found(shop: Shop) -> None:
    issue, chat = shop.issue(), chat_of(shop)
    shop.says("rita", issue, f"Which page?\n\n<!-- caseworker:{KEY} -->")
    assert await chat.find(THREAD, KEY) is None


async def test_a_post_calls_nobody_and_has_no_secret_in_it(shop: Shop) -> None:
    issue, chat = shop.issue(), chat_of(shop)
    await chat.post(THREAD, "@olga said hunter2hunter2", key=KEY)
    assert issue.comments[0].body.startswith("@\u200bolga said [redacted]\n")


async def test_a_rate_limit_is_told_with_its_end_and_asked_for_once(shop: Shop) -> None:
    shop.issue()
    clock = Clock()
    chat = chat_of(shop, limits=RateLimits(clock=clock))
    shop.double.limits.refuse_next(retry_after=40)
    for left in (40, 10):
        with pytest.raises(RateLimited) as limited:
            await chat.post(THREAD, "Which page?", key=KEY)
        assert (limited.value.seconds, limited.value.place) == (left, "acme/shop")
        clock.seconds += 30


async def test_a_comment_is_shown_as_seen_and_a_label_is_not(shop: Shop) -> None:
    comment = shop.says("rita", shop.issue(), "It is the checkout.")
    chat = chat_of(shop)
    assert await chat.react(f"{shop.ref} comment:{comment.id}")
    assert [one.content for one in comment.reactions] == ["eyes"]
    assert not await chat.react("acme/shop#1 labeled bot:triage")


async def test_files_and_new_discussions_are_refused(shop: Shop) -> None:
    chat = chat_of(shop)
    with pytest.raises(Refused, match="not read"):
        await chat.fetch("https://github.com/user-attachments/files/1", limit=10)
    with pytest.raises(Refused, match="needs an issue"):
        await chat.post(Thread(surface="github", channel="acme/shop"), "Hello", key=KEY)


def test_github_says_what_to_comment() -> None:
    phrasing, case = CommentPhrasing(), CaseId("acme/shop#1")
    kinds = (MessageKind.APPROVE, MessageKind.ANSWER, MessageKind.HAND_BACK, MessageKind.REJECT)
    assert [phrasing.command(case, kind) for kind in kinds] == [
        "the comment `approve`",
        "a comment",
        "the comment `hand back`",
        "the comment `reject: what should be different`",
    ]
    assert phrasing.command(case, MessageKind.BUDGET, "+5") == "the comment `budget +5`"
    assert phrasing.until(Milestone.PLAN) == "the label `bot:plan` instead"
