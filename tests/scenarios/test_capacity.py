"""When all places for developers are taken, the next developer turn waits in line and can be cancelled there."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from caseworker.activities.turn.capacity import Capacity
from caseworker.core.base.roles import Role
from caseworker.core.issue.states import IssueState
from tests.world.world import CaseInWorld, World

WAITS = "All 4 developers are at work; it waits for its turn. CASEWORKER_DEVELOPERS raises the number."


@asynccontextmanager
async def no_free_place(world: World, case: CaseInWorld) -> AsyncIterator[None]:
    """Takes all four places, as four turns of another worker, until the block ends."""
    elsewhere = Capacity(store=world.store, most=4)
    async with AsyncExitStack() as stack:
        for turn in range(101, 105):
            await stack.enter_async_context(elsewhere.place(case.id, turn, wait=True))
        yield


async def test_a_developer_waits_for_a_free_place_and_then_works(world: World) -> None:
    release = world.agent.holds_in(Role.ANALYST)
    case = await world.owner_files_issue()
    await world.agent.reached(Role.ANALYST)
    async with no_free_place(world, case):
        release()
        await case.expect_story(WAITS)
        assert Role.DEVELOPER not in {brief.role for brief in world.agent.briefs}
    await case.expect_pull_request()
    assert (await case.story()).count(WAITS) == 1


@pytest.mark.slow
async def test_a_close_ends_a_case_whose_developer_waits_for_a_free_place(world: World) -> None:
    release = world.agent.holds_in(Role.ANALYST)
    case = await world.owner_files_issue()
    await world.agent.reached(Role.ANALYST)
    async with no_free_place(world, case):
        release()
        await case.expect_story(WAITS)
        await case.person_closes()
        await case.expect_end(IssueState.CLOSED)
    assert Role.DEVELOPER not in {brief.role for brief in world.agent.briefs}


@pytest.mark.slow
async def test_a_developer_at_work_has_a_place_until_its_turn_ends(world: World) -> None:
    release = world.agent.holds_in(Role.DEVELOPER)
    case = await world.owner_files_issue()
    await world.agent.reached(Role.DEVELOPER)
    assert not await is_place_free(world, case)
    release()
    await case.expect_pull_request()
    assert await is_place_free(world, case)


async def is_place_free(world: World, case: CaseInWorld) -> bool:
    async with Capacity(store=world.store, most=1).place(case.id, 101, wait=False) as free:
        return free
