"""Agents with the real store: sessions on both databases, and the ledger's refusal of superseded attempts."""

import json
from pathlib import Path

import httpx
from claude_agent_sdk.testing import run_session_store_conformance
from sqlalchemy import delete

from caseworker.agents.gateway import Allowance, Gateway
from caseworker.agents.meter import Meter
from caseworker.agents.sessions import SessionAdapter
from caseworker.agents.upstreams.anthropic import AnthropicUpstream
from caseworker.core.base.budget import Usage
from caseworker.core.base.redaction import Redactor
from caseworker.core.base.roles import Role, Task
from caseworker.ports import Attempt
from caseworker.store.store import Store
from caseworker.store.tables import transcripts
from tests.edges.agents_provider import provider
from tests.edges.agents_world import DONE, script
from tests.edges.store_examples import TRACE, open_case
from tests.edges.test_agents_gateway import question


async def test_sessions_in_the_database_pass_the_conformance_suite_of_the_sdk(store: Store) -> None:
    async def fresh() -> SessionAdapter:
        async with store.database.writing() as connection:
            await connection.execute(delete(transcripts))
        return SessionAdapter(store.transcripts, Redactor())

    await run_session_store_conformance(fresh)  # type: ignore[arg-type]  # optional methods are looked for by name


async def test_a_superseded_attempt_may_call_no_model(store: Store, tmp_path: Path) -> None:
    case = await open_case(store)

    async def begun() -> Attempt:
        attempt = await store.turns.begin(
            case, 1, role=Role.PM, task=Task.TRIAGE, worker="w", activity=b"t", trace=TRACE
        )
        assert isinstance(attempt, Attempt)
        return attempt

    old = await begun()
    await begun()
    path = tmp_path / "model"
    async with (
        provider(script("say: Hello.", DONE)) as api,
        httpx.AsyncClient(transport=httpx.AsyncHTTPTransport(uds=str(path)), base_url="http://model") as client,
        Gateway(
            path=path,
            upstream=AnthropicUpstream(key="k", base_url=api.url),
            ledger=store.ledger,
            allowance=Allowance(attempt=old, model="claude-sonnet-5", cap_micros=5_000_000, calls=9),
        ),
    ):
        answer = await client.post("/v1/messages", json=question())
        assert answer.status_code == 403
        assert "is over" in answer.json()["error"]["message"]
        assert api.requests == []


def test_one_hour_cache_writes_are_counted_separately() -> None:
    usage = {
        "input_tokens": 3,
        "output_tokens": 5,
        "cache_creation_input_tokens": 100,
        "cache_read_input_tokens": 7,
        "cache_creation": {"ephemeral_5m_input_tokens": 40, "ephemeral_1h_input_tokens": 60},
    }
    meter = Meter(streamed=False, request_bytes=400)
    meter.feed(json.dumps({"usage": usage}).encode())
    meter.end()
    assert meter.usage == Usage(
        input_tokens=3, output_tokens=5, cache_write_tokens=40, long_cache_write_tokens=60, cache_read_tokens=7
    )
