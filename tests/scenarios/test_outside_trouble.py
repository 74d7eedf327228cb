"""Trouble outside of the case, a refused key or a provider that is away: told, waited for, put right by a person."""

import pytest

from caseworker.core.base.roles import Role, Task
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.people.commands import MessageKind
from caseworker.ports import AgentFailed
from tests.world.agent import once, triaged
from tests.world.world import World

REFUSED = AgentFailed(why="key", reason="the model's provider refuses the key (401): `invalid x-api-key`")
AWAY = AgentFailed(why="model", reason="https://provider.example can't be reached", retry=True)


async def test_a_refused_key_is_waited_for_and_retry_goes_on(world: World) -> None:
    world.agent.does(Role.PM, Task.TRIAGE, once(REFUSED, triaged))
    case = await world.owner_files_issue()
    await case.expect_waiting(WaitingFor.CURE)
    assert await case.told() == [
        "The pm can't work: the model's provider refuses the key (401): `invalid x-api-key`. "
        "`caseworker retry project/1` goes on where it was left."
    ]
    await case.person_says("", kind=MessageKind.RETRY)
    await case.expect_waiting(WaitingFor.MERGE)


@pytest.mark.slow
async def test_an_unreachable_provider_shows_its_next_try_and_is_tried_again(world: World) -> None:
    world.agent.does(Role.PM, Task.TRIAGE, once(AWAY, triaged))
    case = await world.owner_files_issue()
    await case.expect_story("https://provider.example can't be reached; the next try is at ")
    await case.expect_waiting(WaitingFor.MERGE)
    assert (await case.stored()).case.stalled is None


@pytest.mark.slow
async def test_a_provider_that_stays_away_becomes_a_wait_that_people_see(world: World) -> None:
    world.policy = world.policy.model_copy(update={"unreachable_seconds": 0.5})
    world.agent.does(Role.PM, Task.TRIAGE, lambda _: AWAY)
    case = await world.owner_files_issue()
    await case.expect_waiting(WaitingFor.CURE)
    assert await case.told() == [
        "The pm can't work: https://provider.example can't be reached. Check the network, or correct "
        "`anthropic_base_url` in caseworker.toml. `caseworker retry project/1` goes on where it was left."
    ]
