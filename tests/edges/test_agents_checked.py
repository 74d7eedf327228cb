"""The check of an outcome that has the right shape, and the bisect tool, with the real agent process."""

from dataclasses import replace
from pathlib import Path

import pytest

from caseworker.core.base.errors import Transient
from caseworker.core.investigation.bisection import BisectRequest
from caseworker.core.outcomes.developer import ImplementationOutcome
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.record.entries import ToolReturned
from caseworker.ports import AgentFailed, AgentFinished, SkillTool
from tests.edges.agents_world import AgentWorld, bash, script

FIRST = "{outcome: {status: READY_FOR_QA, changes: [], summary: First., commit_message: First}}"
SECOND = "{outcome: {status: READY_FOR_QA, changes: [], summary: Second., commit_message: Second}}"


@pytest.fixture
def world(tmp_path: Path) -> AgentWorld:
    return AgentWorld(tmp_path)


async def test_a_wrong_outcome_is_repaired_once_and_checked_with_a_complete_record(
    world: AgentWorld,
) -> None:
    returned: list[int] = []

    async def check(outcome: Outcome) -> str:
        returned.append(sum(isinstance(event, ToolReturned) for event in world.story.events))
        assert isinstance(outcome, ImplementationOutcome)
        return "the first is never right" if outcome.summary == "First." else ""

    ended = await world.run(replace(world.brief(script(bash("true"), FIRST, SECOND)), check=check))
    assert isinstance(ended, AgentFinished)
    assert isinstance(ended.outcome, ImplementationOutcome)
    assert ended.outcome.summary == "Second."
    assert returned == [1, 1]


@pytest.mark.slow
async def test_an_outcome_that_is_wrong_twice_fails_the_turn(world: AgentWorld) -> None:
    async def check(_: Outcome) -> str:
        return "never right"

    ended = await world.run(replace(world.brief(script(FIRST, SECOND)), check=check))
    assert isinstance(ended, AgentFailed)
    assert (ended.why, ended.reason) == ("invalid_outcome", "the outcome was invalid twice: never right")


@pytest.mark.slow
async def test_a_store_error_during_the_check_is_raised_as_transient(world: AgentWorld) -> None:
    async def check(_: Outcome) -> str:
        raise Transient("The database can't be reached.")

    with pytest.raises(Transient, match="can't be reached"):
        await world.run(replace(world.brief(script(FIRST)), check=check))


@pytest.mark.slow
async def test_an_agent_asks_for_a_bisect_and_gets_the_result(world: AgentWorld) -> None:
    asked: list[BisectRequest] = []

    async def bisect(arguments: dict[str, object]) -> str:
        asked.append(BisectRequest.model_validate(arguments))
        return "bisect 1, found: it was the third commit"

    unfit = "{call: mcp__caseworker__bisect, with: {good: --exec=sh, script: make test}}"
    call = "{call: mcp__caseworker__bisect, with: {good: HEAD~4, script: make test, runs: 3}}"
    skill = SkillTool(name="bisect", schema=BisectRequest.model_json_schema(), run=bisect)
    ended = await world.run(replace(world.brief(script(unfit, call, FIRST)), skills=(skill,)))
    assert isinstance(ended, AgentFinished)
    assert asked == [BisectRequest(good="HEAD~4", script="make test", runs=3)]
    outputs = [(event.ok, event.output) for event in world.story.events if isinstance(event, ToolReturned)]
    assert outputs[0][0] is False
    assert "a revision is a hash" in outputs[0][1]
    assert outputs[1] == (True, "bisect 1, found: it was the third commit")
