"""The gateway on its socket, with our own provider behind it: what passes, what is counted, what the fence stops."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from caseworker.agents.accounting import Stop, Trouble
from caseworker.agents.gateway import Allowance, Gateway
from caseworker.agents.upstreams.anthropic import AnthropicUpstream
from caseworker.core.base.budget import Usage
from caseworker.core.base.errors import Transient
from caseworker.core.base.ids import CaseId, SessionId
from caseworker.ports import Attempt, SingleQuestion
from tests.edges.agents_provider import closed_port, hanging_up, provider
from tests.edges.agents_world import DONE, MemoryLedger, script, until

KEY = "sk-ant-test-0123456789abcdef"
ATTEMPT = Attempt(case=CaseId("local/shop#1"), turn=1, number=1, token="t", session=SessionId("s"))
SAY = script("say: Hello from the model.", DONE)


@asynccontextmanager
async def serving(
    folder: Path, url: str, ledger: MemoryLedger, *, cap_micros: int = 5_000_000, calls: int = 50
) -> AsyncIterator[tuple[Gateway, httpx.AsyncClient]]:
    path = folder / "model"
    allowance = Allowance(attempt=ATTEMPT, model="claude-sonnet-5", cap_micros=cap_micros, calls=calls)
    upstream = AnthropicUpstream(key=KEY, base_url=url)
    async with (
        httpx.AsyncClient(transport=httpx.AsyncHTTPTransport(uds=str(path)), base_url="http://model") as client,
        Gateway(path=path, upstream=upstream, ledger=ledger, allowance=allowance) as gateway,
    ):
        yield gateway, client


def question(*, stream: bool = True, text: str = "hello") -> dict[str, object]:
    return {
        "model": "claude-sonnet-5",
        "max_tokens": 1000,
        "stream": stream,
        "tools": [{"name": "StructuredOutput"}],
        "messages": [{"role": "user", "content": text}],
    }


@pytest.mark.parametrize("stream", [True, False])
async def test_an_answer_passes_unchanged_and_is_settled_as_the_provider_counted_it(
    tmp_path: Path, stream: bool
) -> None:
    ledger = MemoryLedger()
    headers = {
        "anthropic-version": "2023-06-01",
        "anthropic-beta": "effort-2025-11-24,files-api-2025-04-14,claude-code-20250219",
        "x-api-key": "placeholder",
        "cookie": "c",
    }
    async with provider(SAY) as api, serving(tmp_path, api.url, ledger) as (gateway, client):
        answer = await client.post("/v1/messages?beta=true", json=question(stream=stream), headers=headers)
        assert answer.status_code == 200
        assert "Hello from the model." in answer.text
        assert answer.headers["content-type"].startswith("text/event-stream" if stream else "application/json")
        sent = api.headers[0]
        assert sent["anthropic-version"] == "2023-06-01"
        assert sent["anthropic-beta"] == "effort-2025-11-24,claude-code-20250219"
        assert sent["x-api-key"] == KEY
        assert "cookie" not in sent
        assert gateway.calls == 1
    request_bytes = len(json.dumps(api.requests[0], separators=(",", ":")))
    content = [{"type": "text", "text": "Hello from the model."}]
    usage = Usage(input_tokens=request_bytes // 4, output_tokens=len(json.dumps(content)) // 4)
    assert ledger.settled[0][0] == usage
    assert ledger.reserved[0] > ledger.settled[0][1]


@pytest.mark.parametrize(
    ("status", "kind", "passing"),
    [
        (429, "rate_limit_error", True),
        (529, "overloaded_error", True),
        (500, "api_error", True),
        (400, "invalid_request_error", False),
    ],
)
async def test_an_error_of_the_provider_passes_unchanged(tmp_path: Path, status: int, kind: str, passing: bool) -> None:
    ledger = MemoryLedger()
    async with provider(SAY) as api, serving(tmp_path, api.url, ledger) as (gateway, client):
        api.failures = [(status, kind)]
        answer = await client.post("/v1/messages", json=question())
        assert answer.status_code == status
        assert answer.json() == {"type": "error", "error": {"type": kind, "message": "as told"}}
        assert answer.headers["retry-after"] == "0"
        assert gateway.trouble == Trouble(reason=f"the model's API answered {status}: as told", passing=passing)
        assert ledger.settled == {0: (Usage(), 0)}
        await client.post("/v1/messages", json=question())
        assert gateway.trouble is None


async def test_a_provider_that_is_not_there_is_an_error_the_agent_retries(tmp_path: Path) -> None:
    ledger = MemoryLedger()
    async with serving(tmp_path, closed_port(), ledger) as (gateway, client):
        answer = await client.post("/v1/messages", json=question())
        assert answer.status_code == 502
        assert answer.json()["error"]["type"] == "api_error"
        assert gateway.trouble is not None
        assert gateway.trouble.passing
    assert ledger.settled == {0: (Usage(), 0)}


@pytest.mark.parametrize("stream", [True, False])
async def test_a_database_that_takes_no_cost_keeps_the_reservation_and_the_answer_passes(
    tmp_path: Path, stream: bool, caplog: pytest.LogCaptureFixture
) -> None:
    class Full(MemoryLedger):
        async def settle(self, reservation: int, usage: Usage, micros: int) -> None:
            raise Transient("The disk with the database is full.")

    ledger = Full()
    async with provider(SAY) as api, serving(tmp_path, api.url, ledger) as (gateway, client):
        answer = await client.post("/v1/messages", json=question(stream=stream))
        assert "Hello from the model." in answer.text
        assert gateway.trouble is None
    assert (len(ledger.reserved), ledger.settled) == (1, {})
    assert "Exception in ASGI application" not in caplog.text


async def test_a_database_that_reserves_nothing_is_trouble_of_the_machine(tmp_path: Path) -> None:
    class Full(MemoryLedger):
        async def reserve(
            self, payer: Attempt | SingleQuestion, *, model: str, micros: int, cap_micros: int, rehearsed: bool
        ) -> int | None:
            raise Transient("The disk with the database is full.")

    async with provider(SAY) as api, serving(tmp_path, api.url, Full()) as (gateway, client):
        answer = await client.post("/v1/messages", json=question())
        assert answer.status_code == 502
        assert gateway.trouble == Trouble(reason="The disk with the database is full.", passing=True, ours=True)
        assert api.requests == []


async def test_a_stream_that_breaks_off_ends_with_an_error_event(tmp_path: Path) -> None:
    async with provider(SAY) as api, serving(tmp_path, api.url, MemoryLedger()) as (gateway, client):
        api.breaks = [3]  # after the text, before its tokens were counted
        answer = await client.post("/v1/messages", json=question())
        assert answer.text.rstrip().splitlines()[-2] == "event: error"
        assert gateway.trouble is not None


async def test_a_stream_that_breaks_off_settles_what_was_seen(tmp_path: Path) -> None:
    ledger = MemoryLedger()
    async with provider(SAY) as api, serving(tmp_path, api.url, ledger) as (_, client):
        api.breaks = [3]  # after the text, before its tokens were counted
        await client.post("/v1/messages", json=question())
    usage, micros = ledger.settled[0]
    assert usage.input_tokens > 0
    assert usage.output_tokens == len("Hello from the model.") // 4
    assert micros > 0


async def test_a_provider_that_hangs_up_before_it_answers_keeps_the_reservation(
    tmp_path: Path,
) -> None:
    ledger = MemoryLedger()
    async with hanging_up() as url, serving(tmp_path, url, ledger) as (gateway, client):
        answer = await client.post("/v1/messages", json=question())
        assert answer.status_code == 502
        assert gateway.trouble is not None
        assert gateway.trouble.passing
        assert "did not answer" in gateway.trouble.reason
    assert (len(ledger.reserved), ledger.settled) == (1, {})


async def test_an_answer_that_breaks_off_before_its_first_word_leaves_the_reservation(tmp_path: Path) -> None:
    ledger = MemoryLedger()
    async with provider(SAY) as api, serving(tmp_path, api.url, ledger) as (gateway, client):
        api.breaks = [0, 0]
        for stream in (True, False):
            await client.post("/v1/messages", json=question(stream=stream))
            assert gateway.trouble is not None
            assert gateway.trouble.passing
    assert (len(ledger.reserved), ledger.settled) == (2, {})


async def test_a_refused_key_ends_the_calls_with_the_words_of_the_provider(tmp_path: Path) -> None:
    ledger = MemoryLedger()
    async with provider(SAY) as api, serving(tmp_path, api.url, ledger) as (gateway, client):
        api.failures = [(401, "authentication_error")]
        answer = await client.post("/v1/messages", json=question())
        assert answer.status_code == 403  # final for the agent's program, which would try again after a 401
        assert gateway.stopped == Stop(
            why="key",
            reason="the model's provider refuses the key (401): `as told`. Correct ANTHROPIC_API_KEY, or "
            "`anthropic_api_key` in caseworker.toml",
        )
        assert ledger.settled == {0: (Usage(), 0)}
        assert (await client.post("/v1/messages", json=question())).status_code == 403
        assert len(api.requests) == 1


async def test_closing_the_gateway_while_the_model_thinks_leaves_the_reservation(tmp_path: Path) -> None:
    ledger = MemoryLedger()
    async with provider(SAY) as api:
        api.thinks = asyncio.Event()
        async with serving(tmp_path, api.url, ledger) as (gateway, client):
            asked = asyncio.create_task(client.post("/v1/messages", json=question()))
            await until(lambda: bool(api.requests))
            await gateway.__aexit__(None, None, None)
            assert (await asked).status_code == 403
    assert (len(ledger.reserved), ledger.settled) == (1, {})


@pytest.mark.parametrize(
    ("kind", "passing"), [("overloaded_error", True), ("api_error", True), ("invalid_request_error", False)]
)
async def test_an_error_inside_a_stream_counts_as_an_error_of_the_provider(
    tmp_path: Path, kind: str, passing: bool
) -> None:
    ledger = MemoryLedger()
    async with provider(SAY) as api, serving(tmp_path, api.url, ledger) as (gateway, client):
        api.errors = [kind]
        assert kind in (await client.post("/v1/messages", json=question())).text
        reason = f"the model's API broke off its answer ({kind})"
        assert gateway.trouble == Trouble(reason=reason, passing=passing)
    assert ledger.settled[0][0].input_tokens > 0


async def test_past_the_limit_of_calls_nothing_goes_upstream(tmp_path: Path) -> None:
    async with provider(SAY) as api, serving(tmp_path, api.url, MemoryLedger(), calls=1) as (gateway, client):
        answers = await asyncio.gather(*(client.post("/v1/messages", json=question(text=t)) for t in ("a", "b", "c")))
        assert sorted(answer.status_code for answer in answers) == [200, 403, 403]
        assert gateway.stopped == Stop(why="calls", reason="the turn used all of its 1 model calls")
        assert len(api.requests) == 1


async def test_the_budget_is_reserved_before_the_call(tmp_path: Path) -> None:
    async with provider(SAY) as api, serving(tmp_path, api.url, MemoryLedger(), cap_micros=100) as (gateway, client):
        answer = await client.post("/v1/messages", json=question())
        assert answer.status_code == 403
        assert answer.json()["error"]["message"].endswith("which would pass the case's budget of $0.0001")
        assert gateway.stopped is not None
        assert gateway.stopped.why == "budget"
        assert api.requests == []


async def test_counting_tokens_is_free_and_other_paths_do_not_exist(tmp_path: Path) -> None:
    ledger = MemoryLedger()
    async with provider(SAY) as api, serving(tmp_path, api.url, ledger) as (gateway, client):
        counted = await client.post("/v1/messages/count_tokens", json=question())
        assert counted.json() == {"input_tokens": 7}
        for method, path in (("GET", "/v1/models"), ("POST", "/v1/files"), ("GET", "/")):
            assert (await client.request(method, path)).status_code == 404
        assert (await client.post("/v1/messages", content=b"not json")).status_code == 400
        assert gateway.calls == 0
    assert ledger.reserved == []


async def test_closing_the_gateway_cuts_off_what_runs_and_refuses_what_comes(tmp_path: Path) -> None:
    ledger = MemoryLedger()
    async with provider(SAY) as api:
        api.holds = asyncio.Event()
        async with serving(tmp_path, api.url, ledger) as (gateway, client):
            async with client.stream("POST", "/v1/messages", json=question()) as answer:
                chunks = answer.aiter_bytes()
                assert b"message_start" in await anext(chunks)
                await gateway.__aexit__(None, None, None)
                with pytest.raises(httpx.HTTPError):
                    await anext(chunks)
            with pytest.raises(httpx.ConnectError):
                await client.post("/v1/messages", json=question())
        assert not (tmp_path / "model").exists()
    assert list(ledger.settled) == [0]


async def test_neither_key_nor_bodies_are_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with provider(SAY) as api, serving(tmp_path, api.url, MemoryLedger()) as (_, client):
        api.breaks = [2]
        await client.post("/v1/messages", json=question(text="a private matter"))
        await client.post("/v1/messages", json=question(text="another private matter"))
    assert KEY not in caplog.text
    assert "private matter" not in caplog.text
    assert "Hello from the model" not in caplog.text


@pytest.mark.parametrize("asked", [None, 0, -1, True, 1.5, "1000", 10**12, 128_001, [1000], {}])
async def test_a_call_without_a_sensible_number_of_tokens_is_refused(tmp_path: Path, asked: object) -> None:
    ledger = MemoryLedger()
    async with provider(SAY) as api, serving(tmp_path, api.url, ledger) as (_, client):
        answer = await client.post("/v1/messages", json={**question(), "max_tokens": asked})
        assert answer.status_code == 403
        assert "`max_tokens` must be a whole number" in answer.json()["error"]["message"]
        assert api.headers == []
    assert ledger.reserved == []


async def test_counting_tokens_has_a_limit_and_ends_with_the_turn(tmp_path: Path) -> None:
    body = {key: value for key, value in question().items() if key not in ("max_tokens", "stream")}
    async with provider(SAY) as api, serving(tmp_path, api.url, MemoryLedger(), calls=2) as (gateway, client):
        answers = [await client.post("/v1/messages/count_tokens", json=body) for _ in range(3)]
        assert [answer.status_code for answer in answers][2] == 403
        assert gateway.token_counts == 2


async def test_an_unstreamed_call_that_is_hung_up_is_settled(tmp_path: Path) -> None:
    ledger = MemoryLedger()
    async with provider(SAY) as api, serving(tmp_path, api.url, ledger) as (gateway, _):
        body = json.dumps(question(stream=False)).encode()
        head = f"POST /v1/messages HTTP/1.1\r\nHost: model\r\nContent-Length: {len(body)}"
        _, writer = await asyncio.open_unix_connection(str(gateway.path))
        writer.write(f"{head}\r\n\r\n".encode() + body)
        await writer.drain()
        writer.close()
        await until(lambda: bool(ledger.settled))
    ((usage, micros),) = ledger.settled.values()
    assert usage.output_tokens > 0
    assert micros > 0
