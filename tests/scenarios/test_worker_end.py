"""A worker ends in time, and a failed scenario leaves nothing behind that affects the next one."""

import asyncio
import gc
import os
from collections.abc import Awaitable, Callable
from contextlib import nullcontext, suppress
from pathlib import Path

import pytest

from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.outcome import Outcome
from caseworker.engine.client import connect
from caseworker.engine.temporal_address import Address
from caseworker.store.inbox import StoredInbox
from tests.patience import PATIENCE
from tests.world.agent import wrote_test
from tests.world.lateness import children
from tests.world.terminal import processes_about
from tests.world.world import World, open_world

SLEEP = f"sleep {90_000_000 + os.getpid()}"
"""Other processes run tests of this file at the same time, and would find a name that they share."""

Break = Callable[[World, pytest.MonkeyPatch], Awaitable[None]]


@pytest.mark.slow
async def test_a_worker_ends_while_the_store_is_down(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    tries = asyncio.Semaphore(0)

    async def fails(*_: object) -> None:
        tries.release()
        raise OSError("the store is away")

    monkeypatch.setattr(StoredInbox, "claim", fails)
    case = await world.owner_files_issue()
    for _ in range(4):
        await asyncio.wait_for(tries.acquire(), timeout=world.patience)
    world.patience = 10
    await world.worker_stops()
    monkeypatch.undo()
    await world.worker_starts()
    await case.expect_pull_request()


async def fails_in_the_middle_of_a_turn(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.agent.holds_in(Role.DEVELOPER)
    await world.owner_files_issue()
    await world.agent.reached(Role.DEVELOPER)
    raise AssertionError("the test fails")


async def fails_in_the_middle_of_a_build(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def never_ends(workspace: Path) -> Outcome:
        outcome = wrote_test(workspace)
        (workspace / "tests" / "world.sh").write_text(f"{SLEEP}\n")
        return outcome

    world.agent.does(Role.TESTER, Task.CREATE_TESTS, never_ends)
    case = await world.owner_files_issue()
    await case.expect(lambda _: bool(processes_about(SLEEP)), "a build that does not end")
    raise AssertionError("the test fails")


async def has_an_agent_that_ignores_its_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    reached = asyncio.Event()

    async def ignores(*_: object) -> None:
        reached.set()
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        await asyncio.Event().wait()

    world.patience = 5
    monkeypatch.setattr(world.agent, "run", ignores)
    await world.owner_files_issue()
    await asyncio.wait_for(reached.wait(), timeout=PATIENCE)


async def has_a_case_that_it_does_not_know(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.agent.holds_in(Role.DEVELOPER)
    await world.owner_files_issue()
    await world.agent.reached(Role.DEVELOPER)
    world.cases.clear()


async def leaves_a_process(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    await asyncio.create_subprocess_exec("sleep", "1000", start_new_session=True)


LATE = r"the worker's end took more than 5 s\n(?s:.*)test_worker_end.py:\d+ .*ignores"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("breaks", "told"),
    [
        pytest.param(
            fails_in_the_middle_of_a_turn, "the test fails", id="fails in the middle of a turn", marks=pytest.mark.slow
        ),
        pytest.param(
            fails_in_the_middle_of_a_build,
            "the test fails",
            id="fails in the middle of a build",
            marks=pytest.mark.slow,
        ),
        pytest.param(has_an_agent_that_ignores_its_end, LATE, id="agent ignores its end", marks=pytest.mark.slow),
        pytest.param(has_a_case_that_it_does_not_know, None, id="unknown case", marks=pytest.mark.slow),
        pytest.param(leaves_a_process, "left behind, and ended now: .*sleep 1000", id="process left behind"),
    ],
)
async def test_a_failed_scenario_does_not_affect_the_next_one(
    breaks: Break, told: str | None, tmp_path: Path, temporal: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = children()
    client = await connect(temporal)
    with pytest.raises(AssertionError, match=told) if told else nullcontext():
        async with open_world(tmp_path / "broken", client) as broken:
            await breaks(broken, monkeypatch)
    gc.collect()  # warnings about what it left behind appear here, not in a later test
    assert children() == before
    assert processes_about(SLEEP) == []
    assert [found.id async for found in broken.client.list_workflows("ExecutionStatus = 'Running'")] == []
    async with open_world(tmp_path / "home", client) as world:
        case = await world.owner_files_issue()
        await case.expect_pull_request()
        await world.end()
