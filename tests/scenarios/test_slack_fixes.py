"""A fix posts once in the developers' thread of its bug, and answers, approvals and feedback there count."""

import asyncio
import time
from pathlib import Path

import pytest

from caseworker.core.base.roles import Role, Task
from caseworker.core.bug.case import About
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.outcomes.pm import Topic
from caseworker.core.people.messages import Audience
from tests.patience import PATIENCE
from tests.permutations import mostly_slow
from tests.world.agent import bug_outcome, found, reads_people, triaged, unclear, writes_greeting
from tests.world.office import ADA, RITA, Office, SlackBug
from tests.world.slack import UploadedFile
from tests.world.world import SUMMARIES, CaseInWorld

CLEAR = "since 9:40 order 1182 ends in Error 500 when I click pay"
SEEN = {"source": "git log -1", "shows": "nothing else changed"}
S = IssueState


def sensitive(workspace: Path) -> Outcome:
    return triaged(workspace).model_copy(update={"topics": [Topic.AUTHENTICATION], "status": "NEEDS_APPROVAL"})


async def open_fix(office: Office) -> tuple[SlackBug, CaseInWorld]:
    """Opens a bug and its fix: Rita reports, and Ada asks for the fix in the developers' thread."""
    office.world.agent.does(Role.INVESTIGATOR, Task.BUG, found(), found(action="create_fix"))
    bug = await office.rita_reports(CLEAR)
    await bug.expect_findings()
    await bug.in_summaries(ADA, "Please fix it.")
    return bug, await office.world.expect_fix(bug)


async def expect_in_thread(bug: SlackBug, words: str, *, times: int = 1) -> None:
    deadline = time.monotonic() + PATIENCE
    while (said := await _count(bug, words)) < times:
        assert time.monotonic() < deadline, await bug.told_in_summaries()
        await asyncio.sleep(0.02)
    assert said == times


async def _count(bug: SlackBug, words: str) -> int:
    return sum(words in text for text in await bug.told_in_summaries())


async def test_a_fix_asks_in_the_thread_of_its_bug_and_an_approval_there_counts(office: Office) -> None:
    office.world.agent.does(Role.PM, Task.TRIAGE, sensitive)
    bug, fix = await open_fix(office)
    await fix.expect_waiting(WaitingFor.APPROVAL)
    await expect_in_thread(bug, "A person has to agree before this is worked on")
    await bug.expect_post(About.FIX_NEWS, Audience.REPORTER)
    assert bug.told_in_reports()[-1] == "The fix can't go on by itself at the moment; it is in the hands of the team."
    await bug.in_summaries(ADA, "approve")
    await fix.expect_waiting(WaitingFor.MERGE)
    pull = await fix.expect_pull_request()
    await expect_in_thread(bug, f"Branch `{pull.head}` is ready")
    assert (await fix.stored()).case.people.grants[0].by == ADA
    assert "approved" in (await fix.receipts())[-1]


@pytest.mark.slow
async def test_a_fix_begins_with_what_all_turns_of_its_bug_found_and_the_developers_words(office: Office) -> None:
    wanted = bug_outcome("create_fix", summary="They want it.", for_reporter="It is being fixed.", evidence=[SEEN])
    office.world.agent.does(Role.INVESTIGATOR, Task.BUG, found("The sum is wrong."), lambda _: wanted)
    bug = await office.rita_reports(CLEAR)
    await bug.expect_findings()
    await bug.in_summaries(ADA, "Please fix it, and mind the tax.")
    file = (await (await office.world.expect_fix(bug)).stored()).file
    for words in (CLEAR, "> Please fix it, and mind the tax.", "The sum is wrong.", "They want it.", "1 failed"):
        assert file.issue.original_body.count(words) == 1, words
    assert file.analysis.must_do == ["Apply the discount once."]
    assert "The sum is wrong." in file.analysis.brief


@pytest.mark.slow
async def test_the_end_of_a_fix_is_posted_once_in_the_bugs_thread(office: Office) -> None:
    bug, fix = await open_fix(office)
    pull = await fix.expect_pull_request()
    await fix.person_merges()
    await fix.expect_end(S.COMPLETED)
    await bug.expect_end()
    await expect_in_thread(bug, f"Branch `{pull.head}` was merged")
    assert [text for text in bug.told_in_reports() if "accepted the fix" in text] == ["The team has accepted the fix."]


@pytest.mark.slow
async def test_feedback_in_the_thread_changes_the_pull_request(office: Office) -> None:
    office.world.agent.does(Role.PM, Task.INTERPRET, reads_people("CONTINUE", "It will say goodbye."))
    office.world.agent.does(Role.DEVELOPER, Task.ADDRESS_FEEDBACK, writes_greeting("Hello world\nBye.\n"))
    bug, fix = await open_fix(office)
    await fix.expect_pull_request()
    await bug.in_summaries(ADA, "It should say goodbye, too.")
    await fix.expect(
        lambda stored: stored.case.limits.round == 2 and stored.case.waits_for is WaitingFor.MERGE, "an update"
    )
    assert await fix.file_on_branch("greeting.txt") == "Hello world\nBye."
    await expect_in_thread(bug, "It will say goodbye.")


@pytest.mark.slow
async def test_a_message_that_begins_with_the_bugs_name_is_for_the_bug(office: Office) -> None:
    office.world.agent.does(Role.PM, Task.TRIAGE, sensitive)
    bug, fix = await open_fix(office)
    await fix.expect_waiting(WaitingFor.APPROVAL)
    office.world.agent.does(Role.INVESTIGATOR, Task.BUG, found("It is the coupon as well."))
    await bug.in_summaries(ADA, f"{bug.id}: is it the coupon as well?")
    await bug.expect_findings(times=2)
    await fix.expect_waiting(WaitingFor.APPROVAL)
    assert all(message.author != ADA for message in await office.world.store.inbox.of(fix.id))


@pytest.mark.slow
async def test_a_close_with_a_resolution_closes_the_bug_and_not_its_fix(office: Office) -> None:
    bug, fix = await open_fix(office)
    await fix.expect_pull_request()
    await bug.in_summaries(ADA, "close config_fix the coupon service had the old key")
    stored = await bug.expect(lambda stored: stored.case.is_over, "resolved")
    assert stored.case.ending.resolution == "config_fix"
    assert (await fix.stored()).case.waits_for is WaitingFor.MERGE


@pytest.mark.slow
async def test_developers_are_asked_whether_to_stop_the_fix_of_a_withdrawn_report(office: Office) -> None:
    bug, fix = await open_fix(office)
    await fix.expect_pull_request()
    await bug.in_reports(RITA, "never mind")
    await expect_in_thread(bug, f"Shall it stop? Answer `yes` or `no` here; the reply `{fix.id}: close` stops it")
    assert (await fix.stored()).case.waits_for is WaitingFor.MERGE
    await bug.in_summaries(ADA, f"{fix.id}: close because nobody needs it")
    await fix.expect_end(S.CLOSED)


@pytest.mark.slow
async def test_the_reporters_messages_never_reach_the_fix(office: Office) -> None:
    office.world.agent.does(Role.PM, Task.TRIAGE, sensitive)
    bug, fix = await open_fix(office)
    await fix.expect_waiting(WaitingFor.APPROVAL)
    await bug.in_reports(RITA, "approve")
    await bug.expect_all_answered()
    assert (await fix.stored()).case.waits_for is WaitingFor.APPROVAL


@pytest.mark.slow
async def test_a_fix_does_not_repeat_a_post_when_slacks_answer_is_lost(office: Office) -> None:
    office.world.agent.does(Role.PM, Task.TRIAGE, sensitive)
    release = office.world.agent.holds_in(Task.TRIAGE)
    bug, fix = await open_fix(office)
    await bug.posts(About.FIX_OPENED)
    office.slack.trouble.lose_answer("chat.postMessage", times=1)
    release()
    await fix.expect_waiting(WaitingFor.APPROVAL)
    await expect_in_thread(bug, "A person has to agree before this is worked on")
    keys = [post.key for post in office.slack.posts()]
    assert len(keys) == len(set(keys))


@pytest.mark.slow
async def test_posts_of_a_fix_are_kept_while_slack_is_down(office: Office) -> None:
    office.world.agent.does(Role.PM, Task.TRIAGE, sensitive)
    release = office.world.agent.holds_in(Task.TRIAGE)
    bug, fix = await open_fix(office)
    office.slack.trouble.goes_down()
    release()
    deadline = time.monotonic() + PATIENCE
    while not (await fix.stored()).case.outbox:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)
    office.slack.trouble.comes_back()
    await fix.expect_waiting(WaitingFor.APPROVAL)
    await expect_in_thread(bug, "A person has to agree before this is worked on")


@pytest.mark.slow
async def test_a_post_of_a_fix_appears_once_when_the_worker_stops_meanwhile(office: Office) -> None:
    office.world.agent.does(Role.ANALYST, Task.ANALYZE, unclear("Which page?"))
    office.world.agent.does(Role.PM, Task.TRIAGE, sensitive)
    release = office.world.agent.holds_in(Task.TRIAGE)
    bug, fix = await open_fix(office)
    office.slack.trouble.goes_down()
    release()
    deadline = time.monotonic() + PATIENCE
    while not (await fix.stored()).case.outbox:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)
    await office.world.worker_stops()
    office.slack.trouble.comes_back()
    await office.world.worker_starts()
    await fix.expect_waiting(WaitingFor.APPROVAL)
    await expect_in_thread(bug, "A person has to agree before this is worked on")
    on_record = [post for post in await fix.told() if "has to agree" in post]
    assert len(on_record) == 1
    assert Audience.DEVELOPERS in dict(await office.world.store.threads.bound(fix.id))


@pytest.mark.slow
async def test_a_file_sent_to_a_fix_is_fetched_for_its_next_turn(office: Office) -> None:
    bug, fix = await open_fix(office)
    await fix.expect_pull_request()
    before = (await fix.stored()).case.progress.turns
    log = UploadedFile(name="app.log", content=b"Error 500")
    anchor = await bug.summary_anchor()
    await office.slack.user_writes(SUMMARIES, ADA, f"{fix.id}: See the log.", thread=anchor, files=[log])
    await fix.expect(lambda stored: stored.case.progress.turns > before, "a turn about it")
    assert "app.log (text/plain, 9 bytes)" in office.world.agent.briefs[-1].prompt


@pytest.mark.slow
@pytest.mark.parametrize("answer", mostly_slow([("yes",), ("Yes, please stop it.",), ("stop the fix",)], always=1))
async def test_a_plain_yes_stops_the_fix_of_a_withdrawn_report(office: Office, answer: str) -> None:
    office.world.agent.holds_in(Role.DEVELOPER)
    bug, fix = await open_fix(office)
    await office.world.agent.reached(Role.DEVELOPER)
    await bug.in_reports(RITA, "never mind")
    await expect_in_thread(bug, "Shall it stop?")
    await bug.in_summaries(ADA, answer)
    await fix.expect_end(S.CLOSED)
    assert (await bug.stored()).case.is_over


@pytest.mark.slow
async def test_a_no_lets_the_fix_of_a_withdrawn_report_go_on(office: Office) -> None:
    go_on = office.world.agent.holds_in(Role.DEVELOPER)
    bug, fix = await open_fix(office)
    await office.world.agent.reached(Role.DEVELOPER)
    await bug.in_reports(RITA, "never mind")
    await expect_in_thread(bug, "Shall it stop?")
    await bug.in_summaries(ADA, "no, let it go on")
    await expect_in_thread(bug, "Then the fix goes on.")
    go_on()
    await fix.expect_pull_request()
    assert (await bug.stored()).case.is_over


@pytest.mark.slow
async def test_an_unclear_answer_about_stopping_the_fix_is_asked_about(office: Office) -> None:
    go_on = office.world.agent.holds_in(Role.DEVELOPER)
    bug, fix = await open_fix(office)
    await office.world.agent.reached(Role.DEVELOPER)
    await bug.in_reports(RITA, "never mind")
    await expect_in_thread(bug, "Shall it stop?")
    await bug.in_summaries(ADA, "I would stop it only if nobody else needs it")
    await expect_in_thread(bug, "Shall it stop?", times=2)
    assert (await bug.stored()).case.is_over
    go_on()
    await fix.expect_pull_request()
