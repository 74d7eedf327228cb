"""What the gateway refuses: everything that would let the provider reach the network, or use another model."""

from dataclasses import replace
from pathlib import Path

import pytest

from caseworker.agents.admission import objection, passed_betas
from caseworker.agents.claude import ModelSettings
from caseworker.agents.upstreams import ModelCall
from caseworker.core.record.entries import ToolReturned
from caseworker.ports import AgentFailed, AgentFinished
from tests.edges.agents_provider import provider
from tests.edges.agents_world import DONE, AgentWorld, MemoryLedger, bash, script
from tests.edges.test_agents_gateway import KEY, SAY, question, serving
from tests.permutations import mostly_slow

FETCHED = {"type": "url", "url": "https://evil.example/?code=..."}
FETCHING = {"type": "web_fetch_20250910", "name": "web_fetch"}


def said(block: dict[str, object], role: str = "user") -> dict[str, object]:
    return {"messages": [{"role": role, "content": [block]}]}


def inside(block: dict[str, object]) -> dict[str, object]:
    return said({"type": "tool_result", "tool_use_id": "t", "content": [block]})


FORBIDDEN: dict[str, dict[str, object]] = {
    "mcp servers": {"mcp_servers": [{"type": "url", "url": "https://evil.example", "name": "x"}]},
    "a container": {"container": {"skills": []}},
    "fallback models": {"fallbacks": [{"model": "claude-opus-5"}]},
    "a field nobody knows": {"teleport": True},
    "web fetch": {"tools": [{"name": "mine", "input_schema": {}}, FETCHING]},
    "web search": {"tools": [{"type": "web_search_20250305", "name": "web_search"}]},
    "code execution": {"tools": [{"type": "code_execution_20250825", "name": "code_execution"}]},
    "an mcp toolset": {"tools": [{"type": "mcp_toolset", "mcp_server_name": "x"}]},
    "a nameless type": {"tools": [{"type": None, "name": "x"}]},
    "tools that are no list": {"tools": FETCHING},
    "a tool added later": said(
        {"type": "tool_addition", "tool": {"type": "tool_definition", "definition": FETCHING}}, "system"
    ),
    "an image by address": said({"type": "image", "source": FETCHED}),
    "a document by address": said({"type": "document", "source": FETCHED}),
    "an image in a tool's result": inside({"type": "image", "source": FETCHED}),
    "an image in a document": said(
        {"type": "document", "source": {"type": "content", "content": [{"type": "image", "source": FETCHED}]}}
    ),
    "a stored file": said({"type": "document", "source": {"type": "file", "file_id": "file_1"}}),
    "a file for a container": said({"type": "container_upload", "file_id": "file_1"}),
    "another model": {"model": "claude-opus-5"},
    "a model of the same family": {"model": "claude-sonnet-5-5"},
    "no model": {"model": None},
}
ALLOWED: dict[str, dict[str, object]] = {
    "the agent's own tools": {"tools": [{"name": "Bash", "input_schema": {}}, {"type": "custom", "name": "Read"}]},
    "a picture": inside({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}),
    "what the model said to a tool": said(
        {"type": "tool_use", "id": "t", "name": "Write", "input": {"source": FETCHED, "definition": FETCHING}}
    ),
    "a search result": inside({"type": "search_result", "source": "https://example.com", "content": []}),
}


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/messages/count_tokens"])
@pytest.mark.parametrize("extra", FORBIDDEN.values(), ids=FORBIDDEN.keys())
async def test_a_call_that_leaves_the_sandbox_is_neither_sent_nor_paid(
    tmp_path: Path, path: str, extra: dict[str, object]
) -> None:
    ledger = MemoryLedger()
    async with provider(SAY) as api, serving(tmp_path, api.url, ledger) as (gateway, client):
        answer = await client.post(path, json=question() | extra)
        assert answer.status_code == 403
        assert answer.json()["error"]["type"] == "permission_error"
        assert (api.requests, gateway.calls, ledger.reserved) == ([], 0, [])
        assert gateway.stopped is None
        assert (await client.post("/v1/messages", json=question())).status_code == 200
        assert gateway.trouble is None


@pytest.mark.parametrize("extra", ALLOWED.values(), ids=ALLOWED.keys())
async def test_a_call_without_outside_access_passes(tmp_path: Path, extra: dict[str, object]) -> None:
    async with provider(SAY) as api, serving(tmp_path, api.url, MemoryLedger()) as (_, client):
        assert (await client.post("/v1/messages", json=question() | extra)).status_code == 200
        assert len(api.requests) == 1


@pytest.mark.parametrize(
    "body",
    [
        b'{"model": "claude-sonnet-5", "tools": [{"type": "web_fetch_20250910"}], "tools": [], "messages": []}',
        b'{"model": "claude-sonnet-5", "tools": [{"type": "web_fetch_20250910", "type": "custom"}], "messages": []}',
        b'{"model": "claude-sonnet-5", "messages": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
    ids=["a field twice", "a type twice", "very deep"],
)
async def test_a_body_that_can_be_parsed_in_two_ways_is_refused(tmp_path: Path, body: bytes) -> None:
    async with provider(SAY) as api, serving(tmp_path, api.url, MemoryLedger()) as (_, client):
        assert (await client.post("/v1/messages", content=body)).status_code == 400
        assert api.requests == []


@pytest.mark.parametrize(
    ("model", "asked", "allowed"),
    [
        ("claude-sonnet-5", "claude-sonnet-5", True),
        ("claude-sonnet-5[1m]", "claude-sonnet-5", True),
        ("sonnet", "claude-sonnet-5-5", True),
        ("sonnet", "claude-opus-5", False),
        ("glm-4.6", "glm-4.6", True),
        ("claude-sonnet-5", "claude-sonnet-5-5", False),
    ],
)
def test_only_the_model_of_the_brief_may_be_asked(model: str, asked: str, allowed: bool) -> None:
    call = ModelCall(path="/v1/messages", query="", headers={}, body=b"", document={"model": asked, "max_tokens": 1})
    expected = None if allowed else f"this turn may ask {model} only, not {asked}"
    assert objection(call, model) == expected


def test_betas_of_the_agent_pass_and_unknown_ones_are_left_out() -> None:
    sent = (
        "claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27,per-turn-control-2026-07-01,"
        "mid-conversation-tool-changes-2026-07-01,thinking-token-count-2026-05-13,effort-2025-11-24,"
        "thinking-display-updates-2026-08-18,token-counting-2024-11-01"
    )
    assert passed_betas(sent) == sent
    further = (
        "mcp-client-2025-11-20,mcp-servers-2025-12-04,code-execution-2025-08-25,files-api-2025-04-14,"
        "web-fetch-2025-09-10,web-search-2025-03-05,skills-2025-10-02,inline-tools-2026-09-15,"
        "server-side-fallback-2026-07-01,fast-mode-2026-02-01,context-1m-2025-08-07,message-threads-2026-08-12"
    )
    assert passed_betas(further) == ""
    assert passed_betas("skills-2025-10-02, effort-2025-11-24") == "effort-2025-11-24"


async def test_a_program_of_the_agent_can_not_call_the_model(tmp_path: Path) -> None:
    world = AgentWorld(tmp_path)
    (world.workspace / "call.py").write_text(
        "import json, os, socket\n"
        "gateway = socket.socket(socket.AF_UNIX)\n"
        "gateway.connect(os.environ['ANTHROPIC_UNIX_SOCKET'])\n"
        "body = json.dumps({'model': 'claude-sonnet-5', 'max_tokens': 9, 'messages': []})\n"
        "head = f'POST /v1/messages HTTP/1.0\\r\\nhost: model\\r\\ncontent-length: {len(body)}\\r\\n\\r\\n'\n"
        "try:\n"
        "    gateway.sendall((head + body).encode())\n"
        "    print('ANSWERED', gateway.recv(100))\n"
        "except OSError as error: print('REFUSED', error)\n"
    )
    async with provider(script(bash("python3 call.py"), DONE)) as api:
        world.model = ModelSettings(key=KEY, base_url=api.url)
        ended = await world.run(world.brief(None))
    assert isinstance(ended, AgentFinished)
    assert ended.calls == len(api.requests) == len(world.ledger.settled) == 2
    [output] = [event.output for event in world.story.events if isinstance(event, ToolReturned)]
    assert output.startswith("REFUSED") or output == "ANSWERED b''"


@pytest.mark.parametrize(
    "model",
    mostly_slow(
        [("sonnet",), ("glm-4.6",), ("claude-opus-5",), ("claude-haiku-4-5",), ("claude-sonnet-5[1m]",)], always=1
    ),
)
async def test_everything_that_the_agents_program_sends_passes_for_every_model(tmp_path: Path, model: str) -> None:
    world = AgentWorld(tmp_path)
    (world.workspace / "big.txt").write_text(
        "some words in a line\n" * 2_000
    )  # large enough to have its tokens counted
    ended = await world.run(replace(world.brief(script("{call: Read, with: {file_path: big.txt}}", DONE)), model=model))
    assert isinstance(ended, AgentFinished)
    assert ended.calls == 2


@pytest.mark.slow
async def test_an_agent_whose_own_calls_are_refused_fails_with_the_reason(tmp_path: Path) -> None:
    world = AgentWorld(tmp_path)
    ended = await world.run(replace(world.brief(script(DONE)), model="best"))
    assert isinstance(ended, AgentFailed)
    assert (ended.why, ended.retry) == ("model", False)
    assert ended.reason.startswith("this turn may ask best only, not claude-")
