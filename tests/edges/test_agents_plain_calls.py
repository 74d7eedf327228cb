"""A whole turn of the real agent against a server that refuses all that only Anthropic's API knows."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from caseworker.agents.claude import ModelSettings
from caseworker.agents.upstreams import ModelCall
from caseworker.agents.upstreams.plain_calls import needs_plain_calls, plain
from caseworker.ports import AgentFinished
from tests.edges.agents_provider import provider
from tests.edges.agents_world import DONE, AgentWorld, script

KEY = "sk-ant-test-0123456789abcdef"
KNOWN = {"model", "messages", "system", "tools", "tool_choice", "max_tokens", "stream", "temperature", "stop_sequences"}


@pytest.fixture
def world(tmp_path: Path) -> AgentWorld:
    return AgentWorld(tmp_path)


def refusals(request: dict[str, Any]) -> list[str]:
    """What a strict server of the Messages API as it was first published has against a call."""
    roles = [message["role"] for message in request["messages"]]
    blocks = [block for message in request["messages"] for block in message["content"]]
    return [
        *(f"unknown field {name}" for name in set(request) - KNOWN),
        *(
            f"unknown field of a message {name}"
            for one in request["messages"]
            for name in set(one) - {"role", "content"}
        ),
        *(f"unknown role {role}" for role in set(roles) - {"user", "assistant"}),
        *(["roles don't alternate"] if any(a == b for a, b in pairwise(roles)) else []),
        *(["a mark for a cache"] if "cache_control" in json.dumps(request) else []),
        *(
            f"unknown block {block['type']}"
            for block in blocks
            if block["type"] not in ("text", "tool_use", "tool_result")
        ),
    ]


async def test_a_turn_works_with_a_server_that_knows_only_the_plain_api(world: AgentWorld) -> None:
    look = "{say: I look., call: Bash, with: {command: 'echo found'}}"
    async with provider(script(look, DONE)) as api:
        world.model = ModelSettings(key=KEY, base_url=api.url)
        ended = await world.run(replace(world.brief(None), model="qwen3:32b"))
        assert isinstance(ended, AgentFinished)
        assert [refusals(request) for request in api.requests] == [[], []]
        assert "found" in json.dumps(api.requests[1]["messages"])
        assert "anthropic-beta" not in api.headers[0]


@pytest.mark.slow
async def test_a_proxy_for_claude_gets_what_anthropic_would_get(world: AgentWorld) -> None:
    async with provider(script(DONE)) as api:
        world.model = ModelSettings(key=KEY, base_url=api.url)
        await world.run(world.brief(None))
        assert "thinking" in api.requests[0]
        assert "cache_control" in json.dumps(api.requests[0])


@pytest.mark.parametrize(
    ("model", "needed"),
    [("claude-sonnet-5-5", False), ("anthropic.claude-opus-5-5-v1:0", False), ("gpt-5", True), ("qwen3:32b", True)],
)
def test_only_models_other_than_claude_get_plain_calls(model: str, needed: bool) -> None:
    assert needs_plain_calls(model) is needed


def test_what_the_program_says_in_between_is_said_by_the_user() -> None:
    messages = [
        {"role": "user", "content": "Do it."},
        {"role": "system", "content": [{"type": "text", "text": "Folder: /case"}], "output_config": {"effort": "low"}},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "…"}, {"type": "text", "text": "Yes."}]},
    ]
    document = {"model": "m", "messages": messages, "system": [{"type": "text", "text": "A"}], "thinking": {}}
    call = ModelCall(
        path="/v1/messages", query="beta=true", headers={"anthropic-beta": "x"}, body=b"", document=document
    )
    sent = plain(call)
    assert json.loads(sent.body) == {
        "model": "m",
        "system": "A",
        "messages": [
            {
                "role": "user",
                "content": [{"type": "text", "text": "Do it."}, {"type": "text", "text": "Folder: /case"}],
            },
            {"role": "assistant", "content": [{"type": "text", "text": "Yes."}]},
        ],
    }
    assert (sent.query, dict(sent.headers)) == ("", {})
