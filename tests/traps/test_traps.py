"""Models that lie in their turns: no lie becomes a pull request that claims something untrue.

`make prove` prints all of them with what caught them. Here: a handful, and all of them as slow tests.
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from caseworker.engine.client import connect
from caseworker.engine.temporal_address import Address
from tests.traps.trap_stage import LIES, TrapStage, open_traps

QUICK = ("vacuous test", "the code under test is mocked away")


@pytest.fixture
async def stage(home: Path, temporal: Address) -> AsyncIterator[TrapStage]:
    async with open_traps(home, await connect(temporal)) as stage:
        yield stage


async def test_a_handful_of_lies_is_caught_by_code(stage: TrapStage) -> None:
    results = await asyncio.gather(*(stage.play(lie) for lie in LIES if lie.name in QUICK))
    assert [(one.lie.name, one.wrongs) for one in results if one.wrongs] == []


@pytest.mark.slow
@pytest.mark.timeout(1_800)  # one after the other
async def test_every_lie_is_caught_by_code(stage: TrapStage) -> None:
    results = [await stage.play(lie) for lie in LIES]
    assert [(one.lie.name, one.wrongs) for one in results if one.wrongs] == []


def test_there_are_enough_lies_and_each_has_its_own_name() -> None:
    assert len(LIES) >= 25
    assert len({lie.name for lie in LIES}) == len(LIES)
