"""Messages and closes at any moment of an issue case, and the receipts that people get."""

import asyncio

import pytest

from caseworker.core.base.roles import Role
from caseworker.core.issue.states import IssueState
from tests.world.project import git
from tests.world.world import World

S = IssueState


@pytest.mark.slow
async def test_a_message_is_read_by_the_next_turn_and_the_receipt_names_that_turn(world: World) -> None:
    release = world.agent.holds_in(Role.ANALYST)
    case = await world.owner_files_issue()
    await world.agent.reached(Role.ANALYST)
    await case.person_says("Please keep the capital H.")
    release()
    await case.expect_pull_request()
    tester = next(brief for brief in world.agent.briefs if brief.role is Role.TESTER)
    assert "Please keep the capital H." in tester.prompt
    assert "ada, owner" in tester.prompt
    await case.expect_receipts("seen by turn 1: read by the pm", "seen by turn 3: read by the tester")


async def test_a_message_reaches_the_running_turn_and_the_receipt_names_that_turn(world: World) -> None:
    world.agent.hears()
    release = world.agent.holds_in(Role.ANALYST)
    case = await world.owner_files_issue()
    await world.agent.reached(Role.ANALYST)
    await case.person_says("Please keep the capital H.")
    release()
    await case.expect_pull_request()
    assert world.agent.heard == ["Please keep the capital H."]
    await case.expect_receipts("seen by turn 1: read by the pm", "seen by turn 2: read by the analyst")


@pytest.mark.slow
async def test_thanks_for_a_pull_request_are_kept_and_get_a_receipt(world: World) -> None:
    case = await world.owner_files_issue()
    await case.expect_pull_request()
    await case.person_says("Thank you!")
    await case.expect_receipts(
        "seen by turn 1: read by the pm", "seen: kept on the record; `agent/issue-1` waits for a merge"
    )
    assert (await case.stored()).case.state is S.WAITING_FOR_HUMAN_INPUT


async def test_a_close_in_the_middle_of_a_turn_stops_the_agent_and_cleans_up(world: World) -> None:
    world.agent.holds_in(Role.DEVELOPER)
    case = await world.owner_files_issue()
    await world.agent.reached(Role.DEVELOPER)
    await case.person_closes()
    stored = await case.expect_end(S.CLOSED)
    assert world.agent.stopped == [Role.DEVELOPER]
    assert stored.file.pipeline.failure_reason == "closed: Closed by ada: not needed any more"
    assert "attempt 1 ended: stopped by a person\n" in await case.story()
    assert not list((world.home / "workspaces").glob("*/tree"))
    assert git(world.repository, "branch", "--list", "agent/*") == ""
    assert (await case.receipts())[-1] == "seen: closed the case"


@pytest.mark.slow
async def test_closing_a_case_that_waits_for_its_merge_leaves_the_branch(world: World) -> None:
    case = await world.owner_files_issue()
    await case.expect_pull_request()
    await case.person_closes()
    await case.expect_end(S.CLOSED)
    assert git(world.repository, "branch", "--list", "agent/*") == "agent/issue-1"


@pytest.mark.slow
async def test_deleting_the_branch_without_a_merge_closes_the_case(world: World) -> None:
    case = await world.owner_files_issue()
    await case.expect_pull_request()
    git(world.repository, "branch", "--quiet", "-D", "agent/issue-1")
    await world.reconciler_looks()
    await world.reconciler_looks()  # closed only after two looks: the branch may be missing for a moment
    stored = await case.expect_end(S.CLOSED)
    assert "closed without a merge" in stored.case.reason


@pytest.mark.slow
async def test_thanks_to_a_completed_case_are_recorded_and_reopen_nothing(world: World) -> None:
    case = await world.owner_files_issue()
    await case.expect_pull_request()
    await case.person_merges()
    await case.expect_end(S.COMPLETED)
    await case.person_says("Thanks, all!")
    await case.expect_receipts(
        "seen by turn 1: read by the pm", "seen: completed the case", "seen: the case was over: kept on the record"
    )
    assert (await case.expect_end(S.COMPLETED)).case.state is S.COMPLETED


@pytest.mark.slow
async def test_a_message_whose_bell_was_lost_is_found_by_the_reconciler(world: World) -> None:
    case = await world.owner_files_issue()
    await case.expect_pull_request()

    class LostBell:
        async def ring(self, *_: object) -> None:
            """Does nothing, as if the process had died between the commit and the bell."""

    world.conversation._doorbell = LostBell()  # this crash can't be caused from outside
    await case.person_says("Is anybody there?")
    assert (await case.receipts())[-1] == "recorded"
    await world.reconciler_looks()
    await case.expect_receipts("seen by turn 1: read by the pm", "seen by turn 6: read by the pm")


@pytest.mark.slow
async def test_twenty_messages_at_once_all_get_receipts(world: World) -> None:
    case = await world.owner_files_issue()
    await asyncio.gather(*(case.person_says(f"word {number}") for number in range(20)))
    await case.expect_pull_request()
    receipts = await case.receipts()
    assert len(receipts) == 21
    assert all(receipt.startswith("seen by turn") for receipt in receipts)
