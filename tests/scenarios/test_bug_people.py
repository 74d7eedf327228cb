"""Messages, commands and closes at any moment of a bug case, and the receipts that people get."""

import asyncio

import pytest

from caseworker.core.base.roles import Role, Task
from caseworker.core.bug.case import About, BugState
from caseworker.core.people.messages import Audience, Standing
from caseworker.core.record.entries import WorkspaceRemoved
from caseworker.ports import AgentFailed, BugBrief
from tests.world.agent import asked, found
from tests.world.bugs import words
from tests.world.world import World

S = BugState
CLEAR = "since 9:40 order 1182 ends in Error 500 when I click pay"
ANSWERED = "read by the investigator, who answered with findings"


async def test_developer_messages_wait_and_are_read_with_the_reporters_answer(
    world: World,
) -> None:
    world.agent.does(Role.INVESTIGATOR, Task.BUG, asked(), found())
    bug = await world.reporter_writes("something is broken")
    await bug.expect_question("Which page shows the error?")
    await bug.developer_says("Could be the new cart.")
    await bug.expect_post(About.NOTED, Audience.DEVELOPERS)
    assert (await bug.stored()).case.state is S.AWAITING_REPORTER
    await bug.reporter_says("The checkout page.")
    await bug.expect_findings()
    prompt = world.agent.briefs[-1].prompt
    assert prompt.index("Could be the new cart.") < prompt.index("The checkout page.")
    await bug.expect_receipts(
        "seen by turn 1: read by the investigator, who asked the reporter",
        f"seen by turn 2: {ANSWERED}",
        f"seen by turn 2: {ANSWERED}",
    )


@pytest.mark.slow
async def test_a_third_persons_message_is_recorded_and_has_no_effect(world: World) -> None:
    bug = await world.reporter_writes(CLEAR)
    await bug.expect_findings()
    before = len(await bug.posts())
    await bug.stranger_says("I have that, too. Close this.")
    await bug.developer_says("Go on.")
    await bug.expect_findings(times=2)
    assert (await bug.receipts())[1] == "recorded: not the reporter"
    assert len(await bug.posts()) == before + 3  # one follow-up post, and the findings for two audiences
    assert not any("I have that, too" in brief.prompt for brief in world.agent.briefs)


@pytest.mark.slow
async def test_messages_during_a_takeover_are_read_after_the_hand_back(world: World) -> None:
    release = world.agent.holds_in(Role.INVESTIGATOR)
    bug = await world.reporter_writes(CLEAR)
    await world.agent.reached(Role.INVESTIGATOR)
    await bug.developer_says("I'll take it")
    await bug.expect_state(S.DEV_TAKEOVER)
    assert world.agent.stopped == [Role.INVESTIGATOR]
    assert await bug.status() == "dev_takeover"
    await bug.reporter_says("It happens with coupons only.")
    assert await bug.expect_post(About.NOTED, Audience.REPORTER) == "Thank you, noted."
    await bug.developer_says("I am looking at the coupons.")
    assert await bug.expect_post(About.KEPT, Audience.DEVELOPERS) == "Noted, and kept for the hand-back."
    release()
    await bug.developer_says("hand back")
    await bug.expect_findings()
    assert "It happens with coupons only." in world.agent.briefs[-1].prompt
    assert (await bug.receipts())[1:] == [
        "seen by turn 1: the agent stopped: a developer has the case",
        "seen by turn 1: kept for the hand-back: a developer has the case",
        "seen by turn 1: kept for the hand-back: a developer has the case",
        "seen by turn 1: the investigation goes on",
    ]


async def test_a_close_in_the_middle_of_a_turn_stops_it_and_cleans_up(world: World) -> None:
    world.agent.holds_in(Role.INVESTIGATOR)
    bug = await world.reporter_writes(CLEAR)
    await world.agent.reached(Role.INVESTIGATOR)
    await bug.reporter_says("Never mind!")
    stored = await bug.expect_end()
    assert world.agent.stopped == [Role.INVESTIGATOR]
    assert stored.case.ending.resolution is None
    assert not list((world.home / "workspaces").glob("*/tree"))
    assert any(isinstance(recorded.entry, WorkspaceRemoved) for recorded in await bug.record())
    assert (await bug.receipts())[-1] == "seen: closed the case"


@pytest.mark.slow
async def test_never_mind_closes_only_when_it_is_the_whole_message(world: World) -> None:
    bug = await world.reporter_writes(CLEAR)
    await bug.expect_findings()
    await bug.reporter_says("Never mind the first order, order 1183 fails, too.")
    await bug.expect_findings(times=2)
    assert (await bug.stored()).case.state is S.AWAITING_DEV


@pytest.mark.slow
async def test_a_developer_who_closes_is_asked_for_the_type_and_the_reason(world: World) -> None:
    bug = await world.reporter_writes(CLEAR)
    await bug.expect_findings()
    await bug.developer_says("close")
    question = await bug.expect_post(About.ASKED_TO_CLOSE, Audience.DEVELOPERS)
    assert "--resolution KIND --reason" in question
    await bug.developer_says("duplicate: same as bug-0001")
    stored = await bug.expect_end()
    assert stored.case.ending.resolution == "duplicate"
    assert "same as bug-0001" in (await bug.posts(About.RESOLVED, Audience.DEVELOPERS))[0]
    assert "bug-0001" not in (await bug.posts(About.RESOLVED, Audience.REPORTER))[0]


@pytest.mark.slow
async def test_a_message_reopens_a_resolved_case_but_thanks_do_not(world: World) -> None:
    bug = await world.reporter_writes(CLEAR)
    await bug.expect_findings()
    await bug.developer_says("close not_a_bug works as designed")
    await bug.expect_end()
    await bug.reporter_says("Thanks!")
    assert (await bug.receipts())[-1] == "recorded: the case was over: kept on the record"
    await bug.stranger_says("Please open it again.")
    assert (await bug.stored()).case.is_over
    await bug.reporter_says("It happens again, order 1190.")
    await bug.expect_findings(times=2)
    stored = await bug.stored()
    assert (stored.case.epoch, stored.case.progress.turns) == (2, 2)
    assert world.agent.briefs[-1].resume == world.agent.briefs[0].attempt.session


@pytest.mark.slow
async def test_each_turn_resumes_the_session_of_the_last_completed_turn(world: World) -> None:
    world.agent.does(Role.INVESTIGATOR, Task.BUG, asked(), found(), found())
    bug = await world.reporter_writes("something is broken")
    await bug.expect_question("Which page shows the error?")
    await bug.reporter_says("checkout")
    await bug.expect_findings()
    await bug.developer_says("Is it the cart?")
    await bug.expect_findings(times=2)
    first, second, third = (brief for brief in world.agent.briefs if isinstance(brief, BugBrief))
    assert (second.resume, third.resume) == (first.attempt.session, second.attempt.session)
    assert (first.tools, first.conversation) == ((), False)  # a vague report: the first turn can only ask
    assert (second.tools, second.conversation) == (("Bash", "Read"), True)


async def test_a_failed_turn_escalates_the_bug_and_the_case_stays_open(world: World) -> None:
    def fails(_: object) -> AgentFailed:
        return AgentFailed(why="model", reason="the model refused")

    world.agent.does(Role.INVESTIGATOR, Task.BUG, fails)
    bug = await world.reporter_writes(CLEAR)
    await bug.expect_state(S.AWAITING_DEV)
    assert await bug.status() == "escalated"
    failed = await bug.expect_post(About.FAILED_TURN, Audience.DEVELOPERS)
    assert "the model refused" in failed
    assert "model" not in await bug.expect_post(About.FAILED_TURN, Audience.REPORTER)
    world.agent.does(Role.INVESTIGATOR, Task.BUG, found())
    await bug.developer_says("Try again, please.")
    await bug.expect_findings()


@pytest.mark.slow
async def test_the_agent_can_resolve_only_after_a_developer_has_spoken(world: World) -> None:
    world.agent.does(Role.INVESTIGATOR, Task.BUG, found(action="resolved"))
    bug = await world.reporter_writes(CLEAR)
    await bug.expect_findings()
    await bug.developer_says("Deployed the fix an hour ago.")
    stored = await bug.expect_end()
    assert stored.case.ending.resolution == "code_fix"


@pytest.mark.slow
async def test_twenty_messages_at_once_all_get_receipts_and_few_notes(world: World) -> None:
    world.agent.does(Role.INVESTIGATOR, Task.BUG, asked(), found())
    bug = await world.reporter_writes("something is broken")
    await bug.expect_question("Which page shows the error?")
    sent = [words(f"word {number}", f"dev {number}") for number in range(20)]
    await asyncio.gather(*(world.conversation.say(bug.id, said, Standing.DEVELOPER) for said in sent))
    await bug.expect_post(About.NOTED, Audience.DEVELOPERS)
    await bug.reporter_says("the answer")
    await bug.expect_findings()
    assert (await bug.receipts())[1:] == [f"seen by turn 2: {ANSWERED}"] * 21
    assert len(await bug.posts(About.NOTED, Audience.DEVELOPERS)) < 20


async def test_the_same_message_sent_fifty_times_at_once_is_stored_once(world: World) -> None:
    bug = await world.reporter_writes(CLEAR)
    await bug.expect_findings()
    same = words("Only once, please.", "ada")
    kept = await asyncio.gather(*(world.conversation.say(bug.id, same, Standing.DEVELOPER) for _ in range(50)))
    assert sum(message is not None for message in kept) == 1
    await bug.expect_findings(times=2)
    assert len(await bug.messages()) == 2
    assert len(await bug.posts(About.FOLLOW_UP)) == 1
