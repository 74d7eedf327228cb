"""Bug cases with silent people, restarted workers, lost bells and long histories."""

import pytest

from caseworker.contract.names import workflow_id
from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Role, Task
from caseworker.core.bug.case import About, BugState
from caseworker.core.people.messages import Audience
from tests.world.agent import asked, found
from tests.world.world import World

S = BugState
CLEAR = "since 9:40 order 1182 ends in Error 500 when I click pay"


@pytest.mark.slow
async def test_a_reporter_who_does_not_answer_is_told_that_work_goes_on_without_it(world: World) -> None:
    world.agent.does(Role.INVESTIGATOR, Task.BUG, asked(), found())
    bug = await world.reporter_writes("something is broken", policy=Policy(reporter_wait_seconds=0.5))
    await bug.expect_findings()
    assert "without your answer" in (await bug.posts(About.NO_ANSWER, Audience.REPORTER))[0]
    assert await bug.states() == [S.AWAITING_REPORTER, S.INVESTIGATING, S.AWAITING_DEV]
    assert "has not answered in time" in world.agent.briefs[-1].prompt


@pytest.mark.slow
async def test_a_question_repeated_after_a_time_out_is_an_open_one_for_developers(world: World) -> None:
    world.agent.does(Role.INVESTIGATOR, Task.BUG, asked("Which order was it?"))
    bug = await world.reporter_writes("something is broken", policy=Policy(reporter_wait_seconds=0.5))
    told = await bug.expect_post(About.OPEN_QUESTION, Audience.DEVELOPERS)
    assert told.startswith("The reporter has not answered, and this is still open:\n1. Which order was it?\n")
    await bug.expect_state(S.AWAITING_DEV)
    assert (await bug.posts(About.FINDINGS), await bug.status()) == ([], "awaiting_dev")


@pytest.mark.slow
async def test_silence_after_findings_leads_to_one_reminder_and_then_no_response(world: World) -> None:
    bug = await world.reporter_writes(CLEAR, policy=Policy(reminder_seconds=0.5, developer_wait_seconds=1))
    stored = await bug.expect_end()
    assert stored.case.ending.resolution == "no_response"
    assert len(await bug.posts(About.REMINDER, Audience.DEVELOPERS)) == 1
    await bug.reporter_says("I was away. It still happens, order 1183.")
    await bug.expect_post(About.REOPENED, Audience.REPORTER)
    await bug.expect_post(About.FINDINGS, Audience.REPORTER, times=2)


@pytest.mark.slow
async def test_an_escalated_case_is_never_resolved_by_silence(world: World) -> None:
    world.agent.does(Role.INVESTIGATOR, Task.BUG, found(action="escalate"))
    policy = Policy(reminder_seconds=0.3, developer_wait_seconds=0.6, contacts=(("ada", "grace"),))
    bug = await world.reporter_writes(CLEAR, policy=policy)
    paged = await bug.expect_post(About.ESCALATION, Audience.DEVELOPERS)
    assert "@ada, @grace" in paged
    await bug.expect_post(About.REMINDER, Audience.DEVELOPERS)
    stored = await bug.stored()
    assert (stored.case.state, stored.case.waiting.until, stored.case.waiting.remind_at) == (S.AWAITING_DEV, None, None)


async def test_a_long_conversation_continues_as_new_without_lost_or_repeated_posts(world: World) -> None:
    bug = await world.reporter_writes(CLEAR, policy=Policy(history_events=50))
    await bug.expect_findings()
    for number in range(2, 7):
        await bug.developer_says(f"And what of case {number}?")
        await bug.expect_findings(times=number)
    history = await world.client.get_workflow_handle(workflow_id(bug.id)).fetch_history()
    started = history.events[0].workflow_execution_started_event_attributes
    assert started.continued_execution_run_id
    assert len(await bug.posts(About.FINDINGS)) == 12
    assert len(await bug.posts(About.ACKNOWLEDGED)) == 1
    assert [r.split(":")[0] for r in await bug.receipts()] == [f"seen by turn {turn}" for turn in range(1, 7)]


@pytest.mark.slow
async def test_messages_sent_while_no_worker_runs_are_read_by_the_next_one(world: World) -> None:
    bug = await world.reporter_writes(CLEAR)
    await bug.expect_findings()
    await world.worker_stops()
    await bug.developer_says("Anybody there?")
    await bug.reporter_says("Me, too.")
    await world.worker_starts()
    await bug.expect_findings(times=2)
    assert all(r.startswith("seen by turn 2") for r in (await bug.receipts())[1:])


async def test_a_message_whose_bell_was_lost_is_found_by_the_reconciler(world: World) -> None:
    bug = await world.reporter_writes(CLEAR)
    await bug.expect_findings()

    class LostBell:
        async def ring(self, *_: object) -> None:
            """Does nothing, as if the process had died between the commit and the bell."""

    # This crash can't be caused from outside, so the private bell is replaced.
    bell, world.conversation._doorbell = world.conversation._doorbell, LostBell()
    await bug.developer_says("Is anybody there?")
    world.conversation._doorbell = bell
    assert (await bug.receipts())[-1] == "recorded"
    await world.reconciler_looks()
    await bug.expect_findings(times=2)
