"""300 random steps with the real parts: messages, commands, silence, lost bells and stopped workers."""

import asyncio
import random
import time
from collections import Counter
from pathlib import Path

import pytest

from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Role, Task
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.people.messages import SPOKEN, Standing
from caseworker.core.record.entries import Posted, TurnCompleted
from caseworker.ports import AgentFailed
from tests.patience import PATIENCE
from tests.world.agent import asked, found
from tests.world.bugs import BugInWorld, words
from tests.world.world import World

STEPS = 300
SEED = 20261
POLICY = Policy(
    reporter_wait_seconds=0.4, reminder_seconds=0.5, developer_wait_seconds=1.0, history_events=50, turn_retries=0
)
REPORTER_SAYS = ["order {n} fails", "never mind", "it works for order {n}"]
DEVELOPER_SAYS = ["what of order {n}?", "I'll take it", "hand back", "close", "close duplicate of bug {n}", "see {n}"]


class LostBell:
    async def ring(self, *_: object) -> None:
        """Does nothing, as if the process had died between the commit and the bell."""


async def step(world: World, bug: BugInWorld, chance: random.Random, number: int) -> None:
    match chance.choices(["reporter", "developer", "copies", "lost bell", "pause", "worker"], [30, 40, 8, 8, 12, 2])[0]:
        case "reporter":
            await bug.reporter_says(chance.choice(REPORTER_SAYS).format(n=number))
        case "developer":
            await bug.developer_says(chance.choice(DEVELOPER_SAYS).format(n=number))
        case "copies":
            same = words(f"copy {number}", "ada")
            await asyncio.gather(*(world.conversation.say(bug.id, same, Standing.DEVELOPER) for _ in range(3)))
        case "lost bell":
            bell, world.conversation._doorbell = world.conversation._doorbell, LostBell()
            await bug.reporter_says(f"unheard {number}")
            world.conversation._doorbell = bell
        case "pause":
            await asyncio.sleep(chance.random() / 5)
        case "worker":
            await world.worker_stops()
            await bug.reporter_says(f"nobody works {number}")
            await world.worker_starts()


def act_at_random(chance: random.Random) -> object:
    def act(workspace: Path) -> Outcome | AgentFailed:
        if chance.random() < 0.1:
            return AgentFailed(why="model", reason="it refused")
        ends = [asked("Which order?"), found(), found(action="escalate"), found(action="resolved")]
        return chance.choice(ends)(workspace)

    return act


@pytest.mark.slow
async def test_nothing_is_lost_or_repeated_in_300_random_steps(world: World) -> None:
    chance = random.Random(SEED)
    world.agent.does(Role.INVESTIGATOR, Task.BUG, act_at_random(chance))  # type: ignore[arg-type] # typed as object; it is an Act
    world.agent.hears()
    bugs = [await world.reporter_writes("since 9:40 order 1 ends in Error 500", policy=POLICY) for _ in range(3)]
    for number in range(STEPS):
        await step(world, chance.choice(bugs), chance, number)
    for bug in bugs:
        await expect_every_message_answered(world, bug)
        await expect_nothing_lost_or_posted_twice(world, bug)


async def expect_every_message_answered(world: World, bug: BugInWorld) -> None:
    deadline = time.monotonic() + 2 * PATIENCE
    while any(message.turn is None or message.outcome is None for message in await bug.messages()):
        await world.reconciler_looks()
        if (await bug.stored()).case.state == "dev_takeover":
            await bug.developer_says("hand back")
        assert time.monotonic() < deadline, f"seed {SEED}: {await bug.receipts()}\n{await bug.story()}"
        await asyncio.sleep(0.1)


async def expect_nothing_lost_or_posted_twice(world: World, bug: BugInWorld) -> None:
    record = [recorded.entry for recorded in await bug.record()]
    places = Counter((entry.about, entry.audience, entry.text) for entry in record if isinstance(entry, Posted))
    effects = [entry for entry in places if entry[0] in ("acknowledged", "summary")]
    assert all(places[effect] == 1 for effect in effects)
    completed = {entry.turn for entry in record if isinstance(entry, TurnCompleted)}
    said = [message for message in await bug.messages() if message.kind in SPOKEN and message.turn in completed]
    shown = Counter(
        (message.id, brief.attempt.turn)
        for brief in world.agent.briefs
        if brief.attempt.case == bug.id
        for message in said
        if message.text in brief.prompt and message.turn == brief.attempt.turn
    )
    heard = Counter(world.agent.heard)
    for message in said[1:]:
        seen = shown[message.id, message.turn or 0] + heard[message.text]
        assert seen >= 1, f"seed {SEED}: nobody was shown {message.text!r}"
