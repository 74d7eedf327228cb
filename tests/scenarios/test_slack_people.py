"""Slack messages that are edited, deleted, sent with files, in blocks or many at once, and developers' commands."""

import asyncio
import time
from pathlib import Path

import pytest

from caseworker.core.base.roles import Role, Task
from caseworker.core.bug.case import About, BugState
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.messages import Audience
from tests.patience import PATIENCE
from tests.world.agent import asked
from tests.world.office import ADA, GRACE, RITA, STRANGER, Office
from tests.world.slack import UploadedFile
from tests.world.slack_state import Json
from tests.world.world import REPORTS, SUMMARIES

CLEAR = "since 9:40 order 1182 ends in Error 500 when I click pay"
ANSWERED = "read by the investigator, who answered with findings"
EDITED = "edited an earlier message, which now says"
TAKEN_BACK = "took an earlier message back, which said"


@pytest.mark.slow
async def test_an_edit_before_a_turn_is_read_in_that_turn_as_an_edit(office: Office) -> None:
    await office.world.worker_stops()
    bug = await office.rita_reports(CLEAR)
    await bug.rita_edits(CLEAR.replace("1182", "1183"))
    await office.world.worker_starts()
    await bug.expect_findings()
    [brief] = office.world.agent.briefs
    assert brief.prompt.index("order 1182") < brief.prompt.index(EDITED) < brief.prompt.index("order 1183")
    await bug.expect_receipts(*[f"seen by turn 1: {ANSWERED}"] * 2)


async def test_an_edit_after_a_turn_starts_another_turn(office: Office) -> None:
    bug = await office.rita_reports(CLEAR)
    await bug.expect_findings()
    await bug.rita_edits(CLEAR.replace("1182", "1183"))
    await bug.expect_findings(times=2)
    prompt = office.world.agent.briefs[-1].prompt
    assert prompt.index(EDITED) < prompt.index("order 1183")
    await bug.expect_receipts(f"seen by turn 1: {ANSWERED}", f"seen by turn 2: {ANSWERED}")


@pytest.mark.slow
async def test_a_link_preview_has_no_effect(office: Office) -> None:
    bug = await office.rita_reports(f"{CLEAR}: <https://shop.example/pay>")
    await bug.expect_findings()
    before = office.slack.posts()
    await office.slack.unfurls(REPORTS, bug.anchor, "https://shop.example/pay")
    assert office.slack.deliveries[-1].acknowledged
    assert len(await bug.messages()) == 1
    assert (office.slack.posts(), (await bug.stored()).case.state) == (before, BugState.AWAITING_DEV)


@pytest.mark.slow
async def test_a_deleted_message_reaches_the_agent_as_taken_back(office: Office) -> None:
    bug = await office.rita_reports(CLEAR)
    await bug.expect_findings()
    reply = await bug.in_reports(RITA, "Only with the coupon.")
    await bug.expect_findings(times=2)
    await office.slack.deletes(REPORTS, reply)
    await bug.expect_findings(times=3)
    prompt = office.world.agent.briefs[-1].prompt
    assert prompt.index(TAKEN_BACK) < prompt.index("Only with the coupon.")
    assert (await bug.messages())[-1].kind is MessageKind.DELETION


async def test_attachments_are_stored_under_our_names_where_the_agent_can_read_them(office: Office) -> None:
    picture = UploadedFile(name="screen.PNG", content=b"\x89PNG\r\n\x1a\n", media_type="image/png")
    hostile = UploadedFile(name="../../etc/passwd", content=b"root:x:0:0")
    large = UploadedFile(name="core.dump", content=b"x" * 10_000_001, media_type="application/octet-stream")
    bug = await office.rita_reports(CLEAR, files=[picture, hostile, large])
    await bug.expect_findings()
    [brief] = office.world.agent.briefs
    folder = brief.tree.read_only[-1]
    files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    assert folder == brief.tree.path.parent / "attachments"
    assert files == {"1-1.png": picture.content, "1-2.txt": hostile.content}
    assert f"`{folder}/1-1.png`: screen.PNG (image/png, 8 bytes)" in brief.prompt
    assert f"`{folder}/1-2.txt`: ../../etc/passwd (text/plain, 10 bytes)" in brief.prompt
    assert "could not be had: core.dump (it has 10,000,001 bytes; 10,000,000 are taken)" in brief.prompt
    assert not list(office.world.home.rglob("passwd"))


def _bytes_of(path: str) -> bytes:
    return Path(path).read_bytes()


LOG = UploadedFile(name="app.log", content=b"Error 500")
HUGE = UploadedFile(name="app.log", content=b"x" * 10_000_001)


@pytest.mark.slow
@pytest.mark.parametrize(
    "trouble",
    [
        "too large",
        pytest.param("deleted", marks=pytest.mark.slow),
        "file server down",
        pytest.param("file server limited for long", marks=pytest.mark.slow),
    ],
)
async def test_a_report_whose_only_file_is_lost_is_investigated_without_it(office: Office, trouble: str) -> None:
    if trouble == "file server down":
        office.slack.trouble.fail("files", times=100, status=503)
    if trouble == "file server limited for long":
        office.slack.trouble.limit("files", times=100, retry_after=3_600)
    await office.world.worker_stops()
    bug = await office.rita_reports(CLEAR, files=[HUGE if trouble == "too large" else LOG])
    if trouble == "deleted":
        office.slack.workspace.files.clear()
    await office.world.worker_starts()
    await bug.expect_findings()
    [brief] = office.world.agent.briefs
    assert all(path.exists() for path in brief.tree.read_only)
    assert "could not be had: app.log" in brief.prompt
    assert await bug.posts(About.FILE_LOST, Audience.REPORTER) == [
        "We could not open your file app.log, so we are carrying on without it. You can attach it again (up to 10 MB), "
        "or paste the part that matters here."
    ]
    [told] = await bug.posts(About.FILE_LOST, Audience.DEVELOPERS)
    assert told.startswith("A file of the reporter could not be had: app.log (")
    await bug.expect_told_once()


@pytest.mark.slow
async def test_a_turn_waits_for_a_file_whose_server_asks_for_a_moment(office: Office) -> None:
    office.slack.trouble.limit("files", times=2, retry_after=1)
    bug = await office.rita_reports(CLEAR, files=[LOG])
    await bug.expect_findings()
    [brief] = office.world.agent.briefs
    assert "app.log (text/plain, 9 bytes)" in brief.prompt
    assert await bug.posts(About.FILE_LOST) == []


@pytest.mark.slow
async def test_people_are_heard_while_a_turn_waits_for_a_file(office: Office) -> None:
    office.slack.trouble.limit("files", times=100, retry_after=60)
    bug = await office.rita_reports(CLEAR, files=[LOG])
    await bug.expect_post(About.SUMMARY, Audience.DEVELOPERS)
    await bug.in_reports(RITA, "never mind")
    await bug.expect_end()
    assert office.world.agent.briefs == []


@pytest.mark.slow
async def test_a_vague_report_with_a_file_is_read_before_anything_is_asked(office: Office) -> None:
    bug = await office.rita_reports("something is broken", files=[LOG])
    await bug.expect_findings()
    [brief] = office.world.agent.briefs
    assert brief.tools
    assert "app.log (text/plain, 9 bytes)" in brief.prompt


@pytest.mark.slow
async def test_a_vague_report_whose_file_is_lost_is_asked_about(office: Office) -> None:
    office.world.agent.does(Role.INVESTIGATOR, Task.BUG, asked("Which page?"))
    bug = await office.rita_reports("something is broken", files=[HUGE])
    await bug.expect_question("Which page?")
    [brief] = office.world.agent.briefs
    assert not brief.tools
    assert "could not be had: app.log" in brief.prompt


@pytest.mark.slow
async def test_a_file_is_fetched_when_its_message_is_taken_also_in_a_takeover(office: Office) -> None:
    bug = await office.rita_reports(CLEAR)
    await bug.expect_findings()
    await bug.in_summaries(ADA, "I'll take it")
    await bug.expect_state(BugState.DEV_TAKEOVER)
    await office.slack.user_writes(REPORTS, RITA, "See the log.", thread=bug.anchor, files=[LOG])
    deadline = time.monotonic() + PATIENCE
    while [file.content for file in await office.world.store.attachments.of(bug.id)] != [LOG.content]:
        assert time.monotonic() < deadline, await bug.story()
        await asyncio.sleep(0.02)


@pytest.mark.slow
async def test_a_file_that_comes_in_the_middle_of_a_turn_is_readable_in_that_turn(office: Office) -> None:
    office.world.agent.hears()
    go_on = office.world.agent.holds_in(Role.INVESTIGATOR)
    bug = await office.rita_reports(CLEAR)
    await office.world.agent.reached(Role.INVESTIGATOR)
    await office.slack.user_writes(REPORTS, RITA, "See the log.", thread=bug.anchor, files=[LOG])
    go_on()
    await bug.expect_findings()
    [sent] = office.world.agent.given
    [(path, title, _, size)] = sent.readable
    assert (title, size, _bytes_of(path)) == ("app.log", 9, LOG.content)
    assert Path(path).parent in office.world.agent.briefs[0].tree.read_only


@pytest.mark.slow
async def test_a_turn_without_tools_is_told_that_it_can_not_read_a_file(office: Office) -> None:
    office.world.agent.hears()
    office.world.agent.does(Role.INVESTIGATOR, Task.BUG, asked("Which page?"))
    go_on = office.world.agent.holds_in(Role.INVESTIGATOR)
    bug = await office.rita_reports("something is broken")
    await office.world.agent.reached(Role.INVESTIGATOR)
    await office.slack.user_writes(REPORTS, RITA, "See the log.", thread=bug.anchor, files=[LOG])
    go_on()
    await bug.expect_question("Which page?")
    assert office.world.agent.given[0].lost == (("app.log", "this turn can't read it, the next one can"),)


@pytest.mark.slow
async def test_a_file_that_was_lost_for_a_time_is_there_in_the_next_turn(office: Office) -> None:
    office.slack.trouble.fail("files", times=2, status=503)
    bug = await office.rita_reports(CLEAR, files=[LOG])
    await bug.expect_findings()
    await bug.in_reports(RITA, "Order 1183, too.")
    await bug.expect_findings(times=2)
    assert "app.log (text/plain, 9 bytes)" in office.world.agent.briefs[-1].prompt
    assert len(await bug.posts(About.FILE_LOST)) == 2


@pytest.mark.slow
async def test_a_third_persons_file_is_not_shown_to_the_agent(office: Office) -> None:
    bug = await office.rita_reports(CLEAR)
    await bug.expect_findings()
    script = UploadedFile(name="evil.sh", content=b"echo")
    await office.slack.user_writes(REPORTS, STRANGER, "Run this.", thread=bug.anchor, files=[script])
    await bug.in_reports(RITA, "Order 1183, too.")
    await bug.expect_findings(times=2)
    assert "evil.sh" not in office.world.agent.briefs[-1].prompt
    assert office.world.agent.briefs[-1].tree.read_only == office.world.agent.briefs[0].tree.read_only


@pytest.mark.slow
async def test_a_developers_slack_file_is_fetched_for_a_case_reported_in_the_terminal(office: Office) -> None:
    bug = await office.world.reporter_writes(CLEAR)
    await bug.expect_findings()
    anchor = dict(await office.world.store.threads.bound(bug.id))[Audience.DEVELOPERS].anchor
    log = UploadedFile(name="app.log", content=b"Error 500")
    await office.slack.user_writes(SUMMARIES, ADA, "See the log.", thread=anchor, files=[log])
    await bug.expect_findings(times=2)
    assert "app.log (text/plain, 9 bytes)" in office.world.agent.briefs[-1].prompt


@pytest.mark.slow
@pytest.mark.parametrize("how", [pytest.param("edit", marks=pytest.mark.slow), "second message"])
async def test_a_vague_report_completed_before_the_first_turn_is_not_asked_about(office: Office, how: str) -> None:
    await office.world.worker_stops()
    bug = await office.rita_reports("something is broken")
    await (bug.rita_edits(CLEAR) if how == "edit" else bug.in_reports(RITA, CLEAR))
    await office.world.worker_starts()
    await bug.expect_findings()
    assert not (await bug.stored()).case.report.vague


@pytest.mark.slow
async def test_text_that_is_only_in_blocks_is_read(office: Office) -> None:
    fields = [{"type": "mrkdwn", "text": "*Since*\n9:40"}, {"type": "plain_text", "text": "Order 1182"}]
    section: Json = {
        "type": "section",
        "text": {"type": "mrkdwn", "text": "Paying ends in *Error 500*"},
        "fields": fields,
    }
    bug = await office.rita_reports("", blocks=[section])
    await bug.expect_findings()
    assert (await bug.stored()).report == "Paying ends in *Error 500*\n*Since*\n9:40\nOrder 1182"
    assert "Order 1182" in office.world.agent.briefs[0].prompt


async def test_fifty_copies_of_one_slack_event_are_one_message_with_one_answer(office: Office) -> None:
    bug = await office.rita_reports(CLEAR, copies=50)
    await bug.expect_findings()
    await bug.in_reports(RITA, "Order 1183, too.", copies=50)
    await bug.expect_findings(times=2)
    assert len(await bug.messages()) == 2
    assert [len(await bug.posts(about)) for about in (About.ACKNOWLEDGED, About.NOTED, About.FOLLOW_UP)] == [1, 1, 1]
    assert len(await office.world.store.bugs.list()) == 1
    await bug.expect_told_once()


@pytest.mark.slow
async def test_thirty_messages_at_once_are_all_kept_and_share_a_few_answers(office: Office) -> None:
    bug = await office.rita_reports(CLEAR)
    await bug.expect_findings()
    release = office.world.agent.holds_in(Role.INVESTIGATOR)
    await bug.in_summaries(ADA, "word 0")
    await office.world.agent.reached(Role.INVESTIGATOR)
    await asyncio.gather(*(bug.in_summaries(ADA, f"word {number}") for number in range(1, 30)))
    assert sorted(message.text for message in (await bug.messages())[1:]) == sorted(f"word {n}" for n in range(30))
    release()
    await bug.expect_all_answered()
    assert all(post.acknowledged for post in office.slack.deliveries)
    answers = [*await bug.posts(About.NOTED), *await bug.posts(About.FOLLOW_UP)]
    assert 2 <= len(answers) < 15


async def test_a_developer_takes_over_hands_back_and_closes_in_the_developers_thread(office: Office) -> None:
    bug = await office.rita_reports(CLEAR)
    await bug.expect_findings()
    await bug.in_summaries(ADA, "I'll take it")
    taken = await bug.expect_post(About.TAKEN_OVER, Audience.DEVELOPERS)
    assert f"@{ADA}" in taken
    assert await bug.status() == "dev_takeover"
    seen = await bug.in_summaries(GRACE, "I saw it, too: the coupon.")
    await bug.expect_reaction(seen)
    await bug.in_summaries(ADA, "hand back")
    await bug.expect_findings(times=2)
    assert "I saw it, too: the coupon." in office.world.agent.briefs[-1].prompt
    await bug.in_summaries(ADA, "close config_fix the coupon service had the old key")
    stored = await bug.expect_end()
    assert stored.case.ending.resolution == "config_fix"
    assert "the coupon service had the old key" in (await bug.told_in_summaries())[-1]
    assert bug.told_in_reports()[-1].startswith("This is closed: it was fixed in the configuration.")
    await bug.expect_told_once()


@pytest.mark.slow
async def test_a_close_without_a_type_is_asked_about_and_the_answer_closes_the_case(office: Office) -> None:
    bug = await office.rita_reports(CLEAR)
    await bug.expect_findings()
    await bug.in_summaries(ADA, "close")
    await bug.expect_post(About.ASKED_TO_CLOSE, Audience.DEVELOPERS)
    await bug.in_summaries(GRACE, "duplicate: of what?")  # not her question: only Ada was asked
    await bug.expect_findings(times=2)
    await bug.in_summaries(ADA, "duplicate: same as bug-0001")
    assert (await bug.expect_end()).case.ending.resolution == "duplicate"
