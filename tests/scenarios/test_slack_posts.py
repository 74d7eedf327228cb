"""The bot's posts appear in Slack once, in order and in one thread per case, also when Slack fails."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from temporalio.testing import ActivityEnvironment

from caseworker.activities.bug.sla import SlaKeeping
from caseworker.activities.shared.posts import Posting
from caseworker.contract.wire import CheckSla
from caseworker.core.base.roles import Role
from caseworker.core.bug.case import About, BugState
from caseworker.core.people.messages import Audience
from tests.edges.slack_world import chat_of
from tests.world.office import ADA, RITA, Office
from tests.world.phrasings import RECORDED
from tests.world.world import REPORTS, SUMMARIES

CLEAR = "since 9:40 order 1182 ends in Error 500 when I click pay"


@pytest.mark.slow
async def test_two_cases_at_once_have_one_summary_thread_each(office: Office) -> None:
    one, two = await asyncio.gather(office.rita_reports(CLEAR), office.rita_reports(CLEAR.replace("1182", "1183")))
    await asyncio.gather(one.expect_findings(), two.expect_findings())
    await asyncio.gather(one.in_summaries(ADA, "Is it the cart?"), two.in_summaries(ADA, "Is it the coupon?"))
    await asyncio.gather(one.expect_findings(times=2), two.expect_findings(times=2))
    begun = [post for post in office.slack.posts(SUMMARIES) if not post.thread]
    assert {post.ts for post in begun} == {await one.summary_anchor(), await two.summary_anchor()}
    for bug in (one, two):
        await bug.expect_told_once()
        assert bug.id in (await bug.told_in_summaries())[0]


async def test_a_post_is_not_repeated_when_slacks_answer_is_lost(office: Office) -> None:
    office.slack.trouble.lose_answer("chat.postMessage", times=2)  # of the acknowledgement and of the summary
    bug = await office.rita_reports(CLEAR)
    await bug.expect_findings()
    await bug.expect_told_once()
    assert [post.ts for post in office.slack.posts(SUMMARIES) if not post.thread] == [await bug.summary_anchor()]


async def test_posts_under_rate_limits_arrive_once_and_in_order(office: Office) -> None:
    office.slack.trouble.limit("chat.postMessage", times=2, retry_after=1)
    bug = await office.rita_reports(CLEAR)
    await bug.expect_findings()
    office.slack.trouble.limit("chat.postMessage", retry_after=1)
    await bug.in_summaries(ADA, "Is it the cart?")
    await bug.expect_findings(times=2)
    await bug.expect_told_once()
    keys = [post.key for post in office.slack.posts()]
    assert len(keys) == len(set(keys)) == 7


@pytest.mark.slow
async def test_a_limited_channel_is_left_alone_while_people_are_heard(office: Office) -> None:
    office.slack.trouble.limit_channel(REPORTS, seconds=600)
    bug = await office.rita_reports(CLEAR)
    await bug.expect_post(About.FINDINGS, Audience.DEVELOPERS)
    await bug.in_summaries(ADA, "Is it the cart?")
    await bug.expect_post(About.FINDINGS, Audience.DEVELOPERS, times=2)
    await bug.in_summaries(ADA, "close not_a_bug it was the coupon")
    await bug.expect_post(About.RESOLVED, Audience.DEVELOPERS)
    held = [About.ACKNOWLEDGED, About.FINDINGS, About.FINDINGS, About.RESOLVED]
    await bug.expect(lambda stored: [post.about for post in stored.case.outbox] == held, "the posts held back")
    assert office.slack.trouble.limited == [("chat.postMessage", REPORTS)]


@pytest.mark.slow
async def test_posts_are_made_during_a_turn_when_a_limit_has_passed(office: Office) -> None:
    office.slack.trouble.limit_channel(REPORTS, seconds=2)
    release = office.world.agent.holds_in(Role.INVESTIGATOR)
    bug = await office.rita_reports(CLEAR)
    await office.world.agent.reached(Role.INVESTIGATOR)
    await bug.expect_post(About.ACKNOWLEDGED, Audience.REPORTER)
    release()
    await bug.expect_findings()
    await bug.expect_told_once()
    assert office.slack.trouble.limited == [("chat.postMessage", REPORTS)]


@pytest.mark.slow
async def test_a_case_closed_under_a_rate_limit_ends_after_its_last_post(office: Office) -> None:
    office.slack.trouble.limit_channel(REPORTS, seconds=3)
    bug = await office.rita_reports(CLEAR)
    await bug.expect(lambda stored: bool(stored.case.outbox), "something to say")
    await bug.in_reports(RITA, "never mind")
    await bug.expect_state(BugState.RESOLVED)
    assert bug.told_in_reports() == []
    await bug.expect_end()
    assert bug.told_in_reports()[-1].startswith("This is closed")
    await bug.expect_told_once()


@pytest.mark.slow
async def test_a_rate_limit_of_the_look_before_a_repeat_is_kept_too(office: Office) -> None:
    office.slack.trouble.lose_answer("chat.postMessage")
    office.slack.trouble.limit("conversations.replies", retry_after=2)
    bug = await office.rita_reports(CLEAR)
    await bug.expect_findings()
    await bug.expect_told_once()
    assert office.slack.calls.count("conversations.replies") == 2


@pytest.mark.slow
async def test_the_clocks_words_wait_for_a_limited_channel(office: Office) -> None:
    bug = await office.rita_reports(CLEAR)
    await bug.expect_findings()
    office.slack.trouble.limit_channel(SUMMARIES, seconds=600)
    store, chats = office.world.store, {"slack": chat_of(office.slack)}
    keeping = SlaKeeping(store=store, posting=Posting(store=store, chats=chats, recorded_in=RECORDED))
    late = CheckSla(case=bug.id, now=datetime.now(UTC) + timedelta(days=5))
    postponed = await ActivityEnvironment().run(keeping.check_sla, late)
    assert postponed is not None
    assert postponed.channel == SUMMARIES
    assert timedelta(seconds=590) < postponed.until - datetime.now(UTC) <= timedelta(seconds=600)


@pytest.mark.slow
async def test_nothing_is_lost_while_slack_is_down(office: Office) -> None:
    bug = await office.rita_reports(CLEAR)
    await bug.expect_findings()
    office.slack.trouble.goes_down()
    await bug.in_summaries(ADA, "Is it the cart?")
    await bug.in_reports(RITA, "Order 1183, too.")
    await bug.expect(lambda stored: bool(stored.case.outbox), "something to say")
    assert len(await bug.posts(About.FINDINGS)) == 2
    office.slack.trouble.comes_back()
    await bug.expect_all_answered()
    await bug.expect_findings(times=2)
    await bug.expect_told_once()


@pytest.mark.slow
async def test_a_close_while_slack_is_down_is_posted_afterwards(office: Office) -> None:
    office.slack.trouble.goes_down()
    bug = await office.rita_reports(CLEAR)
    await bug.expect(lambda stored: bool(stored.case.outbox), "something to say")
    await bug.in_reports(RITA, "never mind")
    await bug.expect_state(BugState.RESOLVED)
    assert office.slack.posts() == []
    office.slack.trouble.comes_back()
    await bug.expect_end()
    assert (await bug.posts(audience=Audience.REPORTER))[-1].startswith("This is closed")
    await bug.expect_told_once()


@pytest.mark.slow
async def test_a_developers_thread_begins_with_the_whole_report_and_a_link(office: Office) -> None:
    long = CLEAR + "\nand so on" * 200
    bug = await office.rita_reports(long)
    await bug.expect_findings()
    first = office.slack.posts(SUMMARIES)[0]
    assert first.text.startswith(f"*{bug.id}* (P2), reported by @{RITA}: since 9:40")
    link = f"https://example.slack.com/archives/{REPORTS}/p{bug.anchor.replace('.', '')}"
    assert first.text.endswith(f"<{link}|The reporter's thread>")
    assert (first.thread, first.folded) == ("", long)
    assert [post.folded for post in office.slack.posts() if post.ts != first.ts] == [""] * 3
    await bug.expect_told_once()


@pytest.mark.slow
async def test_a_thread_that_begins_late_begins_with_the_report_too(office: Office) -> None:
    office.slack.workspace.without_bot.add(SUMMARIES)
    bug = await office.rita_reports(CLEAR)
    await bug.expect_findings()
    assert office.slack.posts(SUMMARIES) == []
    office.slack.workspace.without_bot.clear()
    await bug.in_reports(RITA, "Order 1183, too.")
    await bug.expect_findings(times=2)
    first, *others = office.slack.posts(SUMMARIES)
    assert first.text.startswith(f"*{bug.id}* (P2), reported by @{RITA}")
    assert f"What was said before could not be posted here: `caseworker show {bug.id}` has it." in first.text
    assert (first.thread, first.folded) == ("", CLEAR)
    assert others
    assert {post.thread for post in others} == {first.ts}


@pytest.mark.slow
async def test_developers_see_what_the_reporter_answers_also_in_a_takeover(office: Office) -> None:
    bug = await office.rita_reports(CLEAR)
    await bug.expect_findings()
    await bug.in_reports(RITA, "Order 1183, too.")
    await bug.expect_findings(times=2)
    await bug.in_summaries(ADA, "I'll take it")
    await bug.expect_state(BugState.DEV_TAKEOVER)
    written = await bug.in_reports(RITA, "And 1184.\nBoth with a coupon.")
    await bug.expect_reaction(written, REPORTS)
    said = await bug.expect_post(About.REPORTER_SAID, Audience.DEVELOPERS, times=2)
    assert said == "The reporter wrote:\n> And 1184.\n> Both with a coupon."
    await bug.expect_told_once()
    assert "reporter_said" not in [line.about for line in await bug.conversation()]
