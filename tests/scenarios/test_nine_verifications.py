"""The nine acceptance checks of the bug bot's design, in their order and with their names, in two Slack channels."""

from pathlib import Path

from temporalio.api.enums.v1 import EventType

from caseworker.contract.names import workflow_id
from caseworker.core.base.roles import Role, Task
from caseworker.core.bug.case import About, BugState
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.people.messages import Audience
from caseworker.core.record.entries import WorkspaceRemoved
from tests.world.agent import asked, found
from tests.world.office import ADA, GRACE, RITA, STRANGER, Office

S = BugState
CLEAR = "since 9:40 order 1182 ends in Error 500 when I click pay"
QUESTION = "Which page shows the error?"


def the_agent_asks_once(office: Office) -> None:
    office.world.agent.does(Role.INVESTIGATOR, Task.BUG, asked(QUESTION), found())


async def test_1_start_the_worker(office: Office) -> None:
    await office.world.worker_stops()
    bug = await office.rita_reports(CLEAR)
    assert await bug.receipts() == ["recorded"]
    await office.world.worker_starts()
    await bug.expect_findings()


async def test_2_send_a_vague_bug(office: Office) -> None:
    the_agent_asks_once(office)
    bug = await office.rita_reports("something is broken")
    await bug.expect_question(QUESTION)
    acknowledged, question = bug.told_in_reports()
    assert bug.id in acknowledged
    assert question == QUESTION
    assert await bug.status() == "awaiting_reporter"


async def test_3_reply_as_reporter(office: Office) -> None:
    the_agent_asks_once(office)
    bug = await office.rita_reports("something is broken")
    await bug.expect_question(QUESTION)
    await bug.in_reports(RITA, "The checkout page.")
    await bug.expect_findings()
    assert "*Root cause*: cart.py:12" in (await bug.told_in_summaries())[-1]
    assert bug.told_in_reports()[-1] == "We know why: discounts are counted twice."
    assert {post.thread or post.ts for post in office.slack.posts("C0SUMMARY")} == {await bug.summary_anchor()}


async def test_4_reporter_sends_a_second_message_mid_investigation(office: Office) -> None:
    the_agent_asks_once(office)
    bug = await office.rita_reports("something is broken")
    await bug.expect_question(QUESTION)
    release = office.world.agent.holds_in(Role.INVESTIGATOR)
    await bug.in_reports(RITA, "The checkout page.")
    await office.world.agent.reached(Role.INVESTIGATOR)
    await bug.in_reports(RITA, "Since 9:40, order 1182.")  # while the agent runs
    assert [message.text for message in await bug.messages()][-1] == "Since 9:40, order 1182."
    release()
    await bug.expect_findings(times=2)  # it came too late for this turn, so another turn follows
    assert "Since 9:40, order 1182." in [line.text for line in office.world.agent.read[-1]]
    assert [r.partition(":")[0] for r in await bug.receipts()] == [f"seen by turn {n}" for n in (1, 2, 3)]


async def test_5_reply_as_a_third_party(office: Office) -> None:
    the_agent_asks_once(office)
    bug = await office.rita_reports("something is broken")
    await bug.expect_question(QUESTION)
    before = office.slack.posts()
    await bug.in_reports(STRANGER, "The login page! Never mind.")
    await bug.in_reports(STRANGER, "never mind")
    assert (await bug.receipts())[1:] == ["recorded: not the reporter"] * 2
    assert (await bug.stored()).case.state is S.AWAITING_REPORTER
    assert office.slack.posts() == before


async def test_6_reply_from_dev_in_bug_summaries(office: Office) -> None:
    bug = await office.rita_reports(CLEAR)
    await bug.expect_findings()
    await bug.in_summaries(ADA, "We changed the cart on Monday.")
    await bug.in_summaries(GRACE, "And the coupons.")
    await bug.expect_all_answered()
    await bug.in_summaries(ADA, "Anything new?")
    await bug.expect_all_answered()
    last = [line.text for line in office.world.agent.read[-1]]
    assert last.index("We changed the cart on Monday.") < last.index("And the coupons.")
    assert all(receipt.startswith("seen by turn") for receipt in await bug.receipts())


async def test_7_agent_skips_clarification(office: Office) -> None:
    def asks_unless_it_is_answered(workspace: Path) -> Outcome:
        known = [line.text for line in office.world.agent.read[-1]]
        return (found() if any("order 1182" in text for text in known) else asked("Which order?"))(workspace)  # type: ignore[return-value] # neither fails

    office.world.agent.does(Role.INVESTIGATOR, Task.BUG, asked(QUESTION), asks_unless_it_is_answered)
    bug = await office.rita_reports("something is broken")
    await bug.expect_question(QUESTION)
    await bug.in_reports(RITA, "The checkout page, it was order 1182.")
    await bug.expect_findings()
    assert len(await bug.posts(About.QUESTION, Audience.REPORTER)) == 1


async def test_8_close_intent(office: Office) -> None:
    the_agent_asks_once(office)
    bug = await office.rita_reports("something is broken")
    await bug.expect_question(QUESTION)
    await bug.in_reports(RITA, "never mind")
    await bug.expect_end()
    assert await bug.status() == "resolved"
    assert any(isinstance(recorded.entry, WorkspaceRemoved) for recorded in await bug.record())
    assert not list((office.world.home / "workspaces").glob("*/tree"))
    assert "This is closed" in bug.told_in_reports()[-1]


async def test_9_temporal_ui(office: Office) -> None:
    the_agent_asks_once(office)
    bug = await office.rita_reports("something is broken")
    await bug.expect_question(QUESTION)
    await bug.in_reports(RITA, "The checkout page.")
    await bug.expect_findings()
    await bug.in_summaries(ADA, "close code_fix deployed an hour ago")
    await bug.expect_end()
    runs = [run async for run in office.world.histories() if run.workflow_id == workflow_id(bug.id)]
    shown = [
        office.world.client.data_converter.payload_converter.from_payload(event.user_metadata.summary)
        for run in reversed(runs)
        for event in run.events
        if event.event_type == EventType.EVENT_TYPE_MARKER_RECORDED and event.user_metadata.HasField("summary")
    ]
    assert shown == [
        "investigating → awaiting_reporter",
        "awaiting_reporter → investigating",
        "investigating → awaiting_dev",
        "awaiting_dev → resolved",
    ]
