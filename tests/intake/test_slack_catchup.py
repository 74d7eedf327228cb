"""Catching up with Slack: messages written while nobody listened are taken once, and nothing else is."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from caseworker.core.base.errors import Transient
from caseworker.core.bug.case import BugState
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.messages import Standing
from caseworker.intake.slack_catchup import CatchUp, Pace
from caseworker.store.store import Store
from tests.edges.slack_world import chat_of, until
from tests.intake.slack_desk import ADA, GRACE, REPORTS, SUMMARY, Desk, open_desk

DAY = 24 * 3_600.0


@pytest.fixture
async def desk(store: Store) -> AsyncIterator[Desk]:
    async with open_desk(store) as desk:
        yield desk


def catch_up_of(desk: Desk, *, looks: float = 300.0) -> CatchUp:
    pace = Pace(looks=looks, reads=0.0)
    return CatchUp(store=desk.store, slack=chat_of(desk.slack), intake=desk.intake, channel=REPORTS, pace=pace)


async def texts(desk: Desk) -> list[str]:
    bugs = sorted(await desk.store.bugs.list(), key=lambda bug: bug.opened_at)
    return [message.text for bug in bugs for message in await desk.store.inbox.of(bug.case.id)]


async def arrives_late(desk: Desk, ts: str) -> None:
    message = desk.slack.workspace.find(REPORTS, ts)
    assert message is not None
    await desk.slack.delivery.deliver(desk.slack.workspace.event_of(message, REPORTS))


async def test_reports_and_replies_written_while_nobody_listened_are_taken_in_their_order(desk: Desk) -> None:
    known = await desk.slack.user_writes(REPORTS, ADA, "checkout is broken")
    anchor = await desk.summary_thread((await desk.only_bug()).case.id)
    desk.slack.add_without_event(REPORTS, ADA, "it says error 500", thread=known)
    desk.slack.add_without_event(SUMMARY, GRACE, "look at the cart", thread=anchor)
    lost = desk.slack.add_without_event(REPORTS, GRACE, "the search finds nothing")
    desk.slack.add_without_event(REPORTS, GRACE, "since 9:40", thread=lost)
    assert await catch_up_of(desk).look() == 4
    assert await texts(desk) == [
        "checkout is broken",
        "it says error 500",
        "look at the cart",
        "the search finds nothing",
        "since 9:40",
    ]
    first, second = sorted(await desk.store.bugs.list(), key=lambda bug: bug.opened_at)
    assert [message.standing for message in await desk.store.inbox.of(first.case.id)] == [
        Standing.REPORTER,
        Standing.REPORTER,
        Standing.DEVELOPER,
    ]
    assert second.reporter == GRACE


async def test_a_rate_limit_is_waited_out_and_the_reading_goes_on_where_it_was(desk: Desk) -> None:
    known = await desk.slack.user_writes(REPORTS, ADA, "checkout is broken")
    desk.slack.add_without_event(REPORTS, ADA, "it says error 500", thread=known)
    desk.slack.trouble.limit("conversations.replies", retry_after=1)
    before = len(desk.slack.calls)
    assert await catch_up_of(desk).look() == 1
    assert desk.slack.calls[before:] == ["conversations.history", *["conversations.replies"] * 2]


async def test_a_message_that_was_found_and_then_delivered_counts_once(desk: Desk) -> None:
    known = await desk.slack.user_writes(REPORTS, ADA, "checkout is broken")
    reply = desk.slack.add_without_event(REPORTS, ADA, "since 9:40", thread=known)
    lost = desk.slack.add_without_event(REPORTS, GRACE, "the search finds nothing")
    assert await catch_up_of(desk).look() == 2
    await arrives_late(desk, reply)
    await arrives_late(desk, lost)
    assert desk.kinds == ["reported", "duplicate", "duplicate"]
    assert await texts(desk) == ["checkout is broken", "since 9:40", "the search finds nothing"]


async def test_a_message_found_and_delivered_at_the_same_time_counts_once(desk: Desk) -> None:
    await desk.slack.user_writes(REPORTS, ADA, "checkout is broken")
    lost = [desk.slack.add_without_event(REPORTS, GRACE, f"report {number}") for number in range(10)]
    await asyncio.gather(*(catch_up_of(desk).look() for _ in range(3)), *(arrives_late(desk, ts) for ts in lost))
    assert sorted(await texts(desk)) == sorted(["checkout is broken", *(f"report {number}" for number in range(10))])


def old_message(desk: Desk, text: str, *, days: float) -> dict[str, object]:
    message = desk.slack.workspace.say(REPORTS, GRACE, text)
    message["ts"] = f"{time.time() - days * DAY:.6f}"
    return message


async def test_looking_again_finds_nothing_and_reads_only_what_is_new(desk: Desk) -> None:
    first = old_message(desk, "checkout is broken", days=3)
    await arrives_late(desk, str(first["ts"]))
    old_message(desk, "the search finds nothing", days=2)
    for number in range(250):
        alert = desk.slack.workspace.say_as_bot(REPORTS, "CPU is high", bot="B0OTHER", user="U0OTHERBOT")
        alert["ts"] = f"{time.time() - DAY + number:.6f}"
    catch_up, history = catch_up_of(desk), "conversations.history"
    assert (await catch_up.look(), desk.slack.calls.count(history)) == (1, 2)
    assert (await catch_up.look(), desk.slack.calls.count(history)) == (0, 3)
    desk.slack.add_without_event(REPORTS, GRACE, "one more")
    assert await catch_up.look() == 1


async def test_what_was_said_before_the_first_report_is_none_of_our_business(desk: Desk) -> None:
    desk.slack.add_without_event(REPORTS, GRACE, "good morning")
    assert await catch_up_of(desk).look() == 0
    await desk.slack.user_writes(REPORTS, ADA, "checkout is broken")
    assert await catch_up_of(desk).look() == 0
    assert await texts(desk) == ["checkout is broken"]


async def test_a_first_report_missed_after_the_start_is_found(desk: Desk) -> None:
    catch_up = catch_up_of(desk)
    desk.slack.add_without_event(REPORTS, GRACE, "the search finds nothing")
    assert await catch_up.look() == 1


async def test_nothing_older_than_a_week_is_taken(desk: Desk) -> None:
    first = old_message(desk, "a report of last month", days=30)
    old_message(desk, "lost", days=8)
    old_message(desk, "new", days=6)
    await arrives_late(desk, str(first["ts"]))
    assert await catch_up_of(desk).look() == 1
    assert await texts(desk) == ["a report of last month", "new"]


async def test_bots_and_our_own_posts_are_not_taken(desk: Desk) -> None:
    ts = await desk.slack.user_writes(REPORTS, ADA, "checkout is broken")
    await desk.summary_thread((await desk.only_bug()).case.id)
    await desk.slack.bot_writes(REPORTS, "CPU is high")
    await desk.slack.bot_writes(REPORTS, "CPU is low", thread=ts)
    await desk.slack.joins(REPORTS, GRACE)
    assert await catch_up_of(desk).look() == 0


async def test_threads_of_a_closed_case_are_read_for_a_week(desk: Desk) -> None:
    ts = await desk.slack.user_writes(REPORTS, ADA, "checkout is broken")
    bug = await desk.only_bug()
    await desk.store.bugs.save(bug.case.updated(state=BugState.RESOLVED), trace=bug.trace)
    desk.slack.add_without_event(REPORTS, ADA, "it is broken again", thread=ts)
    assert await catch_up_of(desk).look() == 1
    assert desk.bell.rung[-1][0] == bug.case.id


async def test_an_edit_is_taken_once_whether_found_or_delivered(desk: Desk) -> None:
    ts = await desk.slack.user_writes(REPORTS, ADA, "chekout is broken")
    other = await desk.slack.user_writes(REPORTS, ADA, "since 9:40", thread=ts)
    await desk.slack.edits(REPORTS, other, "since 9:45")
    before, after = desk.slack.workspace.change(REPORTS, ts, "checkout is broken")
    assert [await catch_up_of(desk).look() for _ in range(2)] == [1, 0]
    await desk.slack.delivery.deliver(desk.slack.workspace.changed(REPORTS, before, after))
    messages = await desk.messages()
    assert [(message.kind, message.text) for message in messages[2:]] == [
        (MessageKind.EDIT, "since 9:45"),
        (MessageKind.EDIT, "checkout is broken"),
    ]
    assert desk.received[-1].why == "changed to what it is known to say"


async def test_a_missing_thread_does_not_hide_others(desk: Desk) -> None:
    gone = await desk.slack.user_writes(REPORTS, ADA, "a mistake")
    ts = await desk.slack.user_writes(REPORTS, ADA, "checkout is broken")
    desk.slack.workspace.delete(REPORTS, gone)
    desk.slack.add_without_event(REPORTS, ADA, "since 9:40", thread=ts)
    assert await catch_up_of(desk).look() == 1


async def test_after_an_error_of_slack_the_next_look_finds_what_was_missed(desk: Desk) -> None:
    ts = await desk.slack.user_writes(REPORTS, ADA, "checkout is broken")
    desk.slack.add_without_event(REPORTS, ADA, "since 9:40", thread=ts)
    catch_up = catch_up_of(desk)
    desk.slack.trouble.fail("conversations.replies")
    with pytest.raises(Transient):
        await catch_up.look()
    assert await catch_up.look() == 1


@asynccontextmanager
async def running(catch_up: CatchUp) -> AsyncIterator[None]:
    task = asyncio.create_task(catch_up.run())
    yield
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def test_it_looks_again_by_itself_also_after_an_error(desk: Desk) -> None:
    await desk.slack.user_writes(REPORTS, ADA, "checkout is broken")
    desk.slack.trouble.fail("conversations.history", times=3)
    desk.slack.add_without_event(REPORTS, GRACE, "the search finds nothing")
    async with running(catch_up_of(desk, looks=0.05)):
        await until(lambda: len(desk.bell.rung) == 2)
    assert await texts(desk) == ["checkout is broken", "the search finds nothing"]


async def test_waking_it_makes_it_look_at_once(desk: Desk) -> None:
    catch_up = catch_up_of(desk)
    async with running(catch_up):
        await until(lambda: desk.slack.calls.count("conversations.history") == 1)
        catch_up.wake()
        await until(lambda: desk.slack.calls.count("conversations.history") == 2)


async def test_when_woken_it_finds_edits_of_messages_read_long_ago(desk: Desk) -> None:
    old = str(old_message(desk, "chekout is broken", days=2)["ts"])
    await arrives_late(desk, old)
    await desk.slack.user_writes(REPORTS, ADA, "the search finds nothing")
    catch_up = catch_up_of(desk)
    async with running(catch_up):
        await until(lambda: desk.slack.calls.count("conversations.replies") == 2)
        desk.slack.workspace.change(REPORTS, old, "checkout is broken")
        catch_up.wake()
        await until(lambda: len(desk.bell.rung) == 3)
    assert "checkout is broken" in await texts(desk)
