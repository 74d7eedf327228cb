"""Verifications 2 and 7 of the bug bot's design with the real agent process, and a model that asks what it can't read.

What the model is sent is taken from the gateway's other end: a provider that keeps all requests.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from caseworker.agents.claude import ClaudeRuntime, ModelSettings
from caseworker.core.base.roles import Role, Task
from caseworker.core.bug.case import About
from caseworker.core.people.messages import Audience
from caseworker.workspaces.sandbox import Bubblewrap
from tests.edges.agents_provider import Provider, provider
from tests.edges.agents_world import script, until
from tests.world.bugs import BugInWorld
from tests.world.reading_model import ORDER, PAGE, RULE, ReadingModel, tool_names
from tests.world.world import World

NOT_PLAYED = script("say: ok", role=Role.INVESTIGATOR, task=Task.BUG)


@pytest.fixture
async def api(world: World) -> AsyncIterator[Provider]:
    """The provider of the world's agent, which is the real one from here on."""
    async with provider(NOT_PLAYED, Role.INVESTIGATOR, Task.BUG) as api:
        await world.worker_stops()
        runtime = ClaudeRuntime(
            sandbox=Bubblewrap(world.home / "sandbox"),
            ledger=world.store.ledger,
            transcripts=world.store.transcripts,
            model=ModelSettings(key="sk-ant-test-0123456789abcdef", base_url=api.url),
        )
        world.parts = replace(world.parts, runtime=runtime)
        await world.worker_starts()
        yield api


async def asked_for_the_page(world: World, api: Provider) -> BugInWorld:
    """Verification 2: a vague bug leads to a question."""
    api.model = model = ReadingModel()
    bug = await world.reporter_writes("something is broken")
    model.bug = bug.id
    await bug.expect_question(PAGE)
    return bug


def sent(api: Provider) -> list[str]:
    """What the model was sent, request by request; without the agent program's own small questions."""
    return [json.dumps(request["messages"]) for request in api.requests if "StructuredOutput" in tool_names(request)]


@pytest.mark.slow
async def test_an_answer_in_a_second_message_during_a_turn_is_not_asked_for_again(world: World, api: Provider) -> None:
    bug = await asked_for_the_page(world, api)
    api.thinks = asyncio.Event()
    await bug.reporter_says("The checkout page.")
    await until(lambda: len(sent(api)) == 2)
    await bug.reporter_says("It was order 1182.")  # while the turn runs
    api.thinks.set()
    await bug.expect_findings()
    first, following = sent(api)[1:3]
    assert "The checkout page." in first
    assert "order 1182" not in first
    assert all(words in following for words in ("The checkout page.", "It was order 1182.", RULE))
    assert await bug.posts(About.QUESTION, Audience.REPORTER) == [PAGE]
    assert [receipt.partition(":")[0] for receipt in await bug.receipts()][1:] == ["seen by turn 2"] * 2


@pytest.mark.slow
async def test_without_the_second_message_the_same_model_asks_for_it(world: World, api: Provider) -> None:
    bug = await asked_for_the_page(world, api)
    await bug.reporter_says("The checkout page.")
    await bug.expect_question(ORDER, times=2)
    await bug.reporter_says("It was order 1182.")
    await bug.expect_findings()
