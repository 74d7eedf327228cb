"""The bot's posts appear in Slack once, in order and in one thread per case, also when Slack fails."""

import asyncio

from caseworker.core.bug.case import About, BugState
from caseworker.core.people.messages import Audience
from tests.world.office import ADA, RITA, Office
from tests.world.world import SUMMARIES

CLEAR = "since 9:40 order 1182 ends in Error 500 when I click pay"


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
    office.slack.trouble.limit("chat.postMessage", times=1, retry_after=1)
    office.slack.trouble.limit("chat.postMessage", times=4)  # more than the client waits for by itself
    bug = await office.rita_reports(CLEAR)
    await bug.expect_findings()
    office.slack.trouble.limit("chat.postMessage")
    await bug.in_summaries(ADA, "Is it the cart?")
    await bug.expect_findings(times=2)
    await bug.expect_told_once()
    keys = [post.key for post in office.slack.posts()]
    assert len(keys) == len(set(keys)) == 7


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
