"""How messages get from Slack into a case: over HTTP, after a time without listening, and while Temporal is down."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from caseworker.core.base.roles import Role, Task
from caseworker.core.bug.case import About
from caseworker.engine.client import connect
from caseworker.engine.server import TemporalServer
from caseworker.engine.temporal_address import Address
from tests.world.agent import asked, found
from tests.world.office import ADA, RITA, Office, open_office
from tests.world.slack import UploadedFile
from tests.world.world import REPORTS, SUMMARIES

CLEAR = "since 9:40 order 1182 ends in Error 500 when I click pay"


@pytest.fixture
async def web_office(tmp_path: Path, temporal: Address) -> AsyncIterator[Office]:
    async with open_office(tmp_path / "home", await connect(temporal), way="http") as office:
        yield office
        await office.world.end()


async def test_a_bug_is_asked_about_answered_and_closed_over_http(web_office: Office) -> None:
    web_office.world.agent.does(Role.INVESTIGATOR, Task.BUG, asked("Which page?"), found())
    bug = await web_office.rita_reports("something is broken")
    await bug.expect_question("Which page?")
    await bug.in_reports(RITA, "The checkout page.", copies=10)
    await bug.expect_findings()
    await bug.in_summaries(ADA, "close code_fix deployed an hour ago")
    await bug.expect_end()
    assert len(await bug.messages()) == 3
    await bug.expect_told_once()


@pytest.mark.slow
async def test_files_edits_and_previews_work_over_http_as_over_the_socket(web_office: Office) -> None:
    bug = await web_office.rita_reports(CLEAR, files=[UploadedFile(name="app.log", content=b"Error 500")])
    await bug.expect_findings()
    await web_office.slack.unfurls(REPORTS, bug.anchor, "https://shop.example")
    await bug.rita_edits(CLEAR.replace("1182", "1183"))
    await bug.expect_findings(times=2)
    assert "app.log (text/plain, 9 bytes)" in web_office.world.agent.briefs[0].prompt
    assert "which now says" in web_office.world.agent.briefs[-1].prompt
    assert all(post.acknowledged for post in web_office.slack.deliveries)


@pytest.mark.slow
async def test_messages_written_while_nothing_listened_are_read_afterwards(office: Office) -> None:
    bug = await office.rita_reports(CLEAR)
    await bug.expect_findings()
    await office.stops_listening()
    office.slack.add_without_event(REPORTS, RITA, "Order 1183, too.", thread=bug.anchor)
    office.slack.add_without_event(SUMMARIES, ADA, "Is it the cart?", thread=await bug.summary_anchor())
    lost = office.slack.add_without_event(REPORTS, RITA, CLEAR.replace("pay", "search"))
    await office.listens()
    assert await office.catches_up() == 3
    other = await office.case_of(lost)
    await other.expect_findings()
    await bug.expect_all_answered()
    assert [message.text for message in await bug.messages()] == [CLEAR, "Order 1183, too.", "Is it the cart?"]
    for told in (bug, other):
        await told.expect_told_once()


async def test_messages_are_acknowledged_while_temporal_is_down_and_handled_afterwards(tmp_path: Path) -> None:
    server = TemporalServer(tmp_path / "temporal")
    await server.start()
    try:
        async with open_office(tmp_path / "home", await connect(server.address)) as office:
            bug = await office.rita_reports(CLEAR)
            await bug.expect_findings()
            await server.stop()
            other = await office.rita_reports(CLEAR.replace("1182", "1183"))
            await bug.in_reports(RITA, "Order 1184, too.")
            await bug.in_summaries(ADA, "Is it the cart?")
            assert [post.tries for post in office.slack.deliveries if not post.acknowledged] == []
            assert (await bug.receipts())[1:] == ["recorded"] * 2
            await server.restart()
            await office.world.reconciler_looks()  # as the host does every 30 s
            await other.expect_findings()
            await bug.expect_all_answered()
            assert len(await other.posts(About.ACKNOWLEDGED)) == 1
            for told in (bug, other):
                await told.expect_told_once()
            await office.world.end()
    finally:
        await server.stop()
