"""A turn of the real agent on a model of another provider, through LiteLLM's own proxy, as docs/models.md has it."""

from dataclasses import replace
from pathlib import Path

import pytest

from caseworker.agents.claude import ModelSettings
from caseworker.agents.role_tools import OUTCOME_TOOL
from caseworker.ports import AgentFinished
from tests.edges.agents_world import AgentWorld
from tests.edges.litellm_proxy import KEY, PROXY, OpenAiDouble, proxied

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PROXY.exists(), reason="LiteLLM's proxy is not installed: `make prove` does it"),
]
CHANGED = {
    "status": "READY_FOR_QA",
    "changes": [{"file": "sum.py", "description": "It adds."}],
    "summary": "It adds.",
    "commit_message": "Add",
}


async def test_an_agent_works_with_an_openai_model_and_its_calls_are_counted(tmp_path: Path) -> None:
    double = OpenAiDouble([("Bash", {"command": "echo 'a + b' > sum.py; cat sum.py"}), (OUTCOME_TOOL, CHANGED)])
    async with proxied(double, tmp_path) as address:
        world = AgentWorld(tmp_path, model=ModelSettings(key=KEY, base_url=address))
        brief = world.brief(None)
        end = await world.run(replace(brief, model="gpt-5", limits=replace(brief.limits, seconds=600)))
    assert isinstance(end, AgentFinished), end
    assert end.outcome.status == "READY_FOR_QA"
    assert (world.workspace / "sum.py").read_text() == "a + b\n"
    assert [usage.input_tokens + usage.output_tokens for usage, _ in world.ledger.settled.values()] == [1_050, 1_050]
    assert all(micros > 0 for _, micros in world.ledger.settled.values())
    first, second = double.requests
    assert "You are a developer." in str(first["messages"][0])
    assert "a + b" in str(second["messages"][-1])
    assert "cache_control" not in str(double.requests)
