"""Requests of every kind that the API's description allows, and some that it does not: never a server error, and every
answer is one that the description names."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caseworker.core.base.ids import RepositoryId
from caseworker.core.outcomes.answers import Observation
from caseworker.dashboard.access_tokens import Rank, new_token
from caseworker.dashboard.openapi import OPERATIONS, Operation, description
from caseworker.store.store import open_store
from tests.dashboard.visitor import visit
from tests.edges.store_examples import open_bug, open_case

pytestmark = pytest.mark.slow
_DESCRIBED = description()
_VALUES = st.one_of(
    st.text(max_size=30),
    st.integers(-5, 2**33).map(str),
    st.sampled_from(["", "issue", "needs_you", "local/shop", "0", "1", "refused", "\u0000", "%", "_", "é" * 300]),
)
_CASES = st.sampled_from(["local/shop~1", "bug-NONE", "acme/shop!7", "local/shop~0", "local/shop~99999999999999"])
_BODIES = st.one_of(
    st.fixed_dictionaries(
        {"key": st.text(min_size=1, max_size=64)},
        optional={
            "action": st.sampled_from(["say", "approve", "close", "ship", "close_bug", "say_as_reporter", "nonsense"]),
            "text": st.text(max_size=200),
            "choice": st.sampled_from(["", "data_fix", "magic"]),
        },
    ),
    st.fixed_dictionaries(
        {"action": st.sampled_from(["approve", "edit", "forget", "praise"])}, optional={"text": st.text(max_size=1_100)}
    ),
    st.dictionaries(st.text(max_size=10), st.one_of(st.none(), st.integers(), st.text(max_size=10)), max_size=4),
    st.lists(st.integers(), max_size=2),
)


@pytest.mark.parametrize(
    "operation", [one for one in OPERATIONS if one.answer is not None], ids=lambda one: one.handler
)
def test_every_answer_is_one_that_is_described(operation: Operation, tmp_path: Path) -> None:
    names = [*operation.query.model_fields, "unknown"]
    query = st.dictionaries(st.sampled_from(names), _VALUES, max_size=3)

    @settings(max_examples=25, suppress_health_check=list(HealthCheck))
    @given(query=query, case=_CASES, body=_BODIES)
    def try_one(query: dict[str, str], case: str, body: object) -> None:
        asyncio.run(_ask(operation, tmp_path, query, case, body))

    asyncio.run(_fill(tmp_path))
    try_one()


async def _fill(home: Path) -> None:
    store = await open_store(f"sqlite:///{home / 'caseworker.db'}")
    case = await open_case(store)
    await open_bug(store)
    await store.learnings.add(RepositoryId("local/shop"), case, [Observation(type="build", content="It uses make.")])
    await store.close()


async def _ask(operation: Operation, home: Path, query: dict[str, str], case: str, body: object) -> None:
    secret, token = new_token()
    store = await open_store(f"sqlite:///{home / 'caseworker.db'}")
    try:
        tokens = {"fuzz": token.model_copy(update={"rank": Rank.OWNER})}
        async with visit(store, home, tokens=tokens) as visitor:
            answer = await visitor.client.request(
                operation.method.upper(),
                f"/api/v1{operation.path}".replace("{case}", case).replace("{learning}", case[-1]),
                params=query,
                json=body if operation.method == "post" else None,
                headers={"authorization": f"Bearer {secret}"},
            )
    finally:
        await store.close()
    _is_described(operation, answer)


def _is_described(operation: Operation, answer: httpx.Response) -> None:
    responses: dict[str, Any] = _DESCRIBED["paths"][f"/api/v1{operation.path}"][operation.method]["responses"]
    assert str(answer.status_code) in responses, f"{answer.status_code}: {answer.text[:300]}"
    kind = answer.headers["content-type"].partition(";")[0]
    schema = responses[str(answer.status_code)]["content"][kind]["schema"]
    jsonschema.validate(answer.json(), {**schema, "components": _DESCRIBED["components"]})
