"""Trouble outside of the case, a refused key or a provider that is away: told, waited for, put right by a person."""

import errno
from pathlib import Path

import pytest

from caseworker.core.base.errors import Transient
from caseworker.core.base.roles import Role, Task
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.people.commands import MessageKind
from caseworker.ports import AgentFailed
from tests.world.agent import once, triaged
from tests.world.world import World

REFUSED = AgentFailed(why="key", reason="the model's provider refuses the key (401): `invalid x-api-key`")
NO_ROOM = AgentFailed(why="machine", reason="the disk of /srv had only 222 MB left; make room there", retry=True)
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


@pytest.mark.slow
async def test_a_machine_without_room_becomes_a_wait_that_people_see(world: World) -> None:
    world.policy = world.policy.model_copy(update={"unreachable_seconds": 0.5})
    world.agent.does(Role.PM, Task.TRIAGE, lambda _: NO_ROOM)
    case = await world.owner_files_issue()
    await case.expect_story("the disk of /srv had only 222 MB left; make room there; the next try is at ")
    await case.expect_waiting(WaitingFor.CURE)
    assert await case.told() == [
        "The pm can't work: the disk of /srv had only 222 MB left; make room there. `caseworker retry project/1` goes "
        "on where it was left."
    ]


@pytest.mark.slow
async def test_a_disk_that_is_full_for_a_while_ends_attempts_and_no_case(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More attempts end than `turn_retries` allows, and no end can be recorded while the disk is full."""
    left, recorded = [1, 2, 3], world.store.turns.fail

    def triages(workspace: Path) -> Outcome:
        if left:
            raise OSError(errno.ENOSPC, "No space left on device")
        return triaged(workspace)

    async def fails(*told: object) -> None:
        if left:
            left.pop()
            raise Transient("The disk with the database is full.")
        await recorded(*told)  # type: ignore[arg-type]  # whatever it was told

    monkeypatch.setattr(world.store.turns, "fail", fails)
    world.agent.does(Role.PM, Task.TRIAGE, triages)
    case = await world.owner_files_issue()
    await case.expect_waiting(WaitingFor.MERGE)
    assert left == []


@pytest.mark.slow
async def test_a_build_waits_for_a_full_disk_too(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    left, saved = [1, 2, 3], world.store.builds.save

    async def saves(*told: object) -> None:
        if left:
            left.pop()
            raise Transient("The disk with the database is full.")
        await saved(*told)  # type: ignore[arg-type]  # whatever it was told

    monkeypatch.setattr(world.store.builds, "save", saves)
    case = await world.owner_files_issue()
    await case.expect_waiting(WaitingFor.MERGE)
