"""Slack as a surface: a fake workspace, the real client library, the real store."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from caseworker.core.base.errors import Transient
from caseworker.core.bug.case import BugState
from caseworker.core.people.caps import CapName
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.messages import Audience, Message, NewMessage, Standing
from caseworker.core.people.receipts import NOT_THE_REPORTER
from caseworker.core.record.entries import Noted
from caseworker.ports import POST, Thread, begins_thread
from caseworker.store.store import Store
from tests.edges.slack_world import chat_of, until
from tests.intake.slack_desk import ADA, GRACE, REPORTS, SUMMARY, Desk, open_desk
from tests.world.slack import UploadedFile


@pytest.fixture
async def desk(store: Store) -> AsyncIterator[Desk]:
    async with open_desk(store) as desk:
        yield desk


async def test_a_message_in_the_reports_channel_is_a_report(desk: Desk) -> None:
    ts = await desk.slack.user_writes(REPORTS, ADA, "checkout is broken")
    bug = await desk.only_bug()
    assert (bug.reporter, bug.report, bug.policy.attempts) == (ADA, "checkout is broken", 2)
    assert dict(await desk.store.threads.bound(bug.case.id)) == {
        Audience.REPORTER: Thread(surface="slack", channel=REPORTS, anchor=ts)
    }
    assert desk.kinds == ["reported"]


async def test_a_report_goes_to_the_repository_of_the_service_that_it_names(desk: Desk) -> None:
    await desk.slack.user_writes(REPORTS, ADA, "The invoices of Monday are empty")
    assert (await desk.only_bug()).repository == "local/billing"


async def test_fifty_copies_of_a_report_make_one_case(desk: Desk) -> None:
    await desk.slack.user_writes(REPORTS, ADA, "checkout is broken", copies=50)
    assert len(await desk.messages()) == 1
    assert desk.kinds.count("reported") == 1
    assert desk.kinds.count("duplicate") == len(desk.kinds) - 1 >= 49  # Slack repeats deliveries that took long


async def test_the_same_message_under_two_event_ids_counts_once(desk: Desk) -> None:
    ts = await desk.slack.user_writes(REPORTS, ADA, "checkout is broken")
    reply = await desk.slack.user_writes(REPORTS, ADA, "since 9:40", thread=ts)
    for name in (ts, reply):
        message = desk.slack.workspace.find(REPORTS, name)
        assert message is not None
        await desk.slack.delivery.deliver(desk.slack.workspace.event_of(message, REPORTS))
    assert [message.text for message in await desk.messages()] == ["checkout is broken", "since 9:40"]
    assert desk.kinds == ["reported", "said", "duplicate", "duplicate"]


async def test_replies_of_the_reporter_ring_and_those_of_others_are_only_recorded(desk: Desk) -> None:
    ts = await desk.slack.user_writes(REPORTS, ADA, "checkout is broken")
    await desk.slack.user_writes(REPORTS, ADA, "since 9:40", thread=ts)
    await desk.slack.user_writes(REPORTS, GRACE, "never mind", thread=ts)
    _, own, other = await desk.messages()
    assert (own.standing, own.outcome) == (Standing.REPORTER, None)
    assert (other.standing, other.outcome) == (Standing.OTHER, NOT_THE_REPORTER)
    assert len(desk.bell.rung) == 2


async def test_slack_repeats_an_answer_to_a_summary_that_is_not_on_record_yet(desk: Desk) -> None:
    await desk.slack.user_writes(REPORTS, ADA, "checkout is broken")
    bug = await desk.only_bug()
    await desk.store.effects.intend("summary", bug.case.id, POST, begins_thread(SUMMARY))
    anchor = await chat_of(desk.slack).post(Thread(surface="slack", channel=SUMMARY), "bug", key="summary")
    answer = {"type": "message", "channel": SUMMARY, "user": GRACE, "text": "on it", "ts": "9.1", "thread_ts": anchor}
    with pytest.raises(Transient, match="being begun"):
        await desk.intake.receive("Ev9", answer)
    begun = Thread(surface="slack", channel=SUMMARY, anchor=anchor)
    await desk.store.threads.add(bug.case.id, Audience.DEVELOPERS, begun)
    await desk.store.effects.done("summary", {"place": anchor})
    assert (await desk.intake.receive("Ev9", answer)).kind == "said"


async def test_in_the_summary_thread_everybody_is_a_developer(desk: Desk) -> None:
    await desk.slack.user_writes(REPORTS, ADA, "checkout is broken")
    anchor = await desk.summary_thread((await desk.only_bug()).case.id)
    await desk.slack.user_writes(SUMMARY, GRACE, "I'll take it", thread=anchor)
    await desk.slack.user_writes(SUMMARY, ADA, "look at the cart", thread=anchor)
    assert [(message.standing, message.kind) for message in (await desk.messages())[1:]] == [
        (Standing.DEVELOPER, MessageKind.TAKEOVER),
        (Standing.DEVELOPER, MessageKind.WORDS),
    ]


async def test_messages_elsewhere_and_of_bots_are_ignored(desk: Desk) -> None:
    await desk.slack.user_writes("C0RANDOM", ADA, "lunch?")
    await desk.slack.user_writes(SUMMARY, GRACE, "good morning")
    await desk.slack.joins(REPORTS, GRACE)
    alert = await desk.slack.bot_writes(REPORTS, "CPU is high")
    await desk.slack.user_writes(REPORTS, GRACE, "on it", thread=alert)
    assert await desk.store.bugs.list() == []
    assert [received.why for received in desk.received] == [
        "neither in the reports channel nor in a thread of a case",
        "neither in the reports channel nor in a thread of a case",
        "a message of subtype channel_join",
        "said by a bot",
        "in a thread that is no case",
    ]


async def test_our_own_posts_are_ignored(desk: Desk) -> None:
    ts = await desk.slack.user_writes(REPORTS, ADA, "checkout is broken")
    await chat_of(desk.slack).post(Thread(surface="slack", channel=REPORTS, anchor=ts), "Seen.", key="one")
    await until(lambda: len(desk.received) == 2)  # the post's own event comes by itself
    assert desk.kinds == ["reported", "ignored"]


async def test_our_own_posts_are_ignored_when_the_server_does_not_mark_bots(desk: Desk) -> None:
    desk.slack.workspace.marks_bots = False
    await desk.slack.user_writes(REPORTS, ADA, "checkout is broken")
    anchor = await desk.summary_thread((await desk.only_bug()).case.id)
    await chat_of(desk.slack).post(Thread(surface="slack", channel=SUMMARY, anchor=anchor), "Found it.", key="two")
    await until(lambda: len(desk.received) == 3)
    assert [received.why for received in desk.received] == ["", "said by us", "said by us"]
    assert len(await desk.messages()) == 1


# --- a reply whose first message is missing


async def test_a_reply_to_a_report_whose_event_was_lost_opens_its_case_in_the_same_thread(desk: Desk) -> None:
    ts = desk.slack.add_without_event(REPORTS, ADA, "checkout is broken")
    await desk.slack.user_writes(REPORTS, GRACE, "me too", thread=ts)
    await desk.slack.user_writes(REPORTS, ADA, "it says error 500", thread=ts)
    bug = await desk.only_bug()
    assert (bug.reporter, bug.report) == (ADA, "it says error 500")
    found = await desk.store.threads.find(Thread(surface="slack", channel=REPORTS, anchor=ts))
    assert found == (bug.case.id, Audience.REPORTER)
    assert desk.kinds == ["ignored", "reported"]


async def test_a_report_that_comes_after_its_reply_is_in_the_same_case(desk: Desk) -> None:
    ts = desk.slack.add_without_event(REPORTS, ADA, "checkout is broken")
    await desk.slack.user_writes(REPORTS, ADA, "it says error 500", thread=ts)
    late = desk.slack.workspace.find(REPORTS, ts)
    assert late is not None
    await desk.slack.delivery.deliver(desk.slack.workspace.event_of(late, REPORTS))
    assert [message.text for message in await desk.messages()] == ["it says error 500", "checkout is broken"]
    assert {message.standing for message in await desk.messages()} == {Standing.REPORTER}


async def test_a_report_and_its_replies_that_arrive_at_once_make_one_case(desk: Desk) -> None:
    workspace = desk.slack.workspace
    first = workspace.say(REPORTS, ADA, "checkout is broken")
    replies = [workspace.say(REPORTS, ADA, f"word {number}", thread=str(first["ts"])) for number in range(9)]
    events = [workspace.event_of(message, REPORTS) for message in [*replies, first]]
    await asyncio.gather(*(desk.slack.delivery.deliver(event) for event in events))
    texts = {message.text for message in await desk.messages()}
    assert texts == {"checkout is broken"} | {f"word {number}" for number in range(9)}


async def test_a_reply_in_an_old_thread_opens_no_case(desk: Desk) -> None:
    old = desk.slack.workspace.say(REPORTS, ADA, "an old talk")
    old["ts"] = "1000000000.000001"
    await desk.slack.user_writes(REPORTS, ADA, "thanks again", thread="1000000000.000001")
    assert await desk.store.bugs.list() == []


# --- changes


async def test_an_edit_is_recorded_with_the_new_text(desk: Desk) -> None:
    ts = await desk.slack.user_writes(REPORTS, ADA, "chekout is broken")
    await desk.slack.edits(REPORTS, ts, "checkout is broken")
    await desk.slack.edits(REPORTS, ts, "chekout is broken")
    _, edit, back = await desk.messages()
    assert (edit.kind, edit.text, edit.refers_to) == (MessageKind.EDIT, "checkout is broken", f"{REPORTS}:{ts}")
    assert (edit.standing, back.text) == (Standing.REPORTER, "chekout is broken")
    assert len(desk.bell.rung) == 3


async def test_a_link_preview_is_no_edit(desk: Desk) -> None:
    ts = await desk.slack.user_writes(REPORTS, ADA, "broken: <https://shop.example/cart>")
    await desk.slack.unfurls(REPORTS, ts, "https://shop.example/cart")
    assert len(await desk.messages()) == 1
    assert desk.received[-1].why == "changed, but not its words"


@pytest.mark.parametrize("with_replies", [False, True])
async def test_a_deletion_is_recorded_with_the_deleted_text(desk: Desk, with_replies: bool) -> None:
    ts = await desk.slack.user_writes(REPORTS, ADA, "checkout is broken")
    if with_replies:
        await desk.slack.user_writes(REPORTS, ADA, "since 9:40", thread=ts)
    await desk.slack.deletes(REPORTS, ts)
    deletion = (await desk.messages())[-1]
    assert (deletion.kind, deletion.text) == (MessageKind.DELETION, "checkout is broken")
    assert (deletion.standing, deletion.refers_to) == (Standing.REPORTER, f"{REPORTS}:{ts}")


async def test_a_deletion_names_the_last_edit(desk: Desk) -> None:
    ts = await desk.slack.user_writes(REPORTS, ADA, "checkout is broken")
    await desk.slack.edits(REPORTS, ts, "the search is broken")
    await desk.slack.edits(REPORTS, ts, "the search finds nothing")
    await desk.slack.deletes(REPORTS, ts)
    assert (await desk.messages())[-1].text == "the search finds nothing"


async def test_edits_of_and_by_third_persons_do_not_count(desk: Desk) -> None:
    ts = await desk.slack.user_writes(REPORTS, ADA, "checkout is broken")
    other = await desk.slack.user_writes(REPORTS, GRACE, "me too", thread=ts)
    await desk.slack.edits(REPORTS, other, "me three")
    await desk.slack.edits(REPORTS, ts, "nothing is broken", user=GRACE)
    assert [message.outcome for message in await desk.messages()] == [None, *[NOT_THE_REPORTER] * 3]
    assert len(desk.bell.rung) == 1


async def test_changes_of_what_was_never_taken_are_ignored(desk: Desk) -> None:
    ts = desk.slack.add_without_event(REPORTS, ADA, "long ago")
    await desk.slack.edits(REPORTS, ts, "longer ago")
    await desk.slack.deletes(REPORTS, ts)
    assert desk.kinds == ["ignored", "ignored"]
    assert await desk.store.bugs.list() == []


async def test_an_edit_to_a_command_is_no_command(desk: Desk) -> None:
    ts = await desk.slack.user_writes(REPORTS, ADA, "checkout is broken")
    await desk.slack.edits(REPORTS, ts, "never mind")
    assert (await desk.messages())[-1].kind is MessageKind.EDIT


# --- other events


async def test_attachments_are_noted_and_can_be_fetched_later(desk: Desk) -> None:
    file = UploadedFile(name="../../app.log", content=b"Traceback")
    await desk.slack.user_writes(REPORTS, ADA, "see the log", files=[file])
    [attachment] = await desk.store.attachments.of((await desk.only_bug()).case.id)
    assert (attachment.title, attachment.size, attachment.is_missing) == ("../../app.log", 9, True)
    assert await chat_of(desk.slack).fetch(attachment.source, limit=100) == b"Traceback"


async def test_a_reply_that_is_also_sent_to_the_channel_is_a_reply(desk: Desk) -> None:
    ts = await desk.slack.user_writes(REPORTS, ADA, "checkout is broken")
    await desk.slack.user_writes(REPORTS, ADA, "since 9:40", thread=ts, subtype="thread_broadcast")
    assert [message.text for message in await desk.messages()] == ["checkout is broken", "since 9:40"]


async def test_never_mind_closes_and_a_new_complaint_rings_the_closed_case(desk: Desk) -> None:
    ts = await desk.slack.user_writes(REPORTS, ADA, "checkout is broken")
    await desk.slack.user_writes(REPORTS, ADA, "never mind", thread=ts)
    bug = await desk.only_bug()
    await desk.store.inbox.claim(bug.case.id, turn=1)
    await desk.store.bugs.save(bug.case.updated(state=BugState.RESOLVED), trace=bug.trace)
    await desk.slack.user_writes(REPORTS, ADA, "thank you!", thread=ts)
    await desk.slack.user_writes(REPORTS, ADA, "it is broken again", thread=ts)
    assert desk.bell.kinds == [MessageKind.WORDS, MessageKind.CLOSE, MessageKind.WORDS]


async def test_a_short_outage_of_the_database_loses_nothing(store: Store, desk: Desk) -> None:
    """The event is not acknowledged, so Slack sends it again."""
    ts = await desk.slack.user_writes(REPORTS, ADA, "checkout is broken")
    put, failures = store.inbox.put, iter([True])

    async def away(message: NewMessage) -> Message | None:
        if next(failures, False):
            raise Transient("the database is away")
        return await put(message)

    store.inbox.put = away  # type: ignore[method-assign]  # the real one, made to fail once
    await desk.slack.user_writes(REPORTS, ADA, "since 9:40", thread=ts)
    assert [message.text for message in await desk.messages()] == ["checkout is broken", "since 9:40"]
    assert desk.slack.deliveries[-1].tries == 2


async def test_a_burst_of_reports_opens_a_bounded_number_of_cases_and_is_told_once(desk: Desk) -> None:
    for number in range(25):
        await desk.slack.user_writes(REPORTS, ADA, f"checkout is broken, order {number}")
    await desk.slack.user_writes(REPORTS, GRACE, "search is broken")  # pays nothing for the other's burst
    bugs = await desk.store.bugs.list()
    assert sorted(bug.reporter for bug in bugs) == [*[ADA] * 20, GRACE]
    newest = (await desk.store.bugs.opened_by(ADA, "slack", seconds=3_600))[-1]
    notes = [entry.entry.text for entry in await desk.store.record.whole(newest) if isinstance(entry.entry, Noted)]
    assert notes == [f"{ADA} has opened 20 cases within an hour. Further reports open none for a while."]
    [(thread, told)] = desk.answered  # its author, in the thread of the first report that opened none
    assert thread.channel == REPORTS
    assert told == f"{notes[0]} Write to {newest}, or wait."


async def test_an_owner_raises_the_number_of_cases_an_hour_while_it_runs(desk: Desk) -> None:
    await desk.store.caps.set(CapName.CASES_PER_HOUR, 2, by="grace")
    for number in range(4):
        await desk.slack.user_writes(REPORTS, ADA, f"checkout is broken, order {number}")
    assert len(await desk.store.bugs.list()) == 2

    await desk.store.caps.set(CapName.CASES_PER_HOUR, 30, by="grace")
    await desk.slack.user_writes(REPORTS, ADA, "checkout is broken, order 5")

    assert len(await desk.store.bugs.list()) == 3


async def test_messages_that_once_froze_the_intake_are_taken_like_any_other(desk: Desk) -> None:
    for hard in ("a" + "\n" * 39_000 + "b", "`" * 39_900 + "x", "please " * 5_000, "x <" + " " * 39_000 + ">"):
        await desk.slack.user_writes(REPORTS, GRACE, hard)
    assert desk.kinds == ["reported"] * 4
    assert all(len(bug.report) <= 40_000 for bug in await desk.store.bugs.list())
