"""The API: the read models as JSON, with tokens, pages, ETags, and errors that say what to do."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import pytest

from caseworker.core.people.commands import MessageKind
from caseworker.core.record.entries import Noted
from caseworker.dashboard.access_tokens import Rank, new_token
from caseworker.dashboard.event_stream import MOST_STREAMS
from caseworker.dashboard.openapi import OPERATIONS
from caseworker.store.store import Store
from caseworker.views.board import Board
from tests.dashboard.live_page import LivePage
from tests.dashboard.visitor import Visitor, visit
from tests.edges.store_examples import TRACE, open_bug, open_case

CASE = "/api/v1/cases/local/shop~1"


class Program:
    def __init__(self, visitor: Visitor, secret: str) -> None:
        self.visitor = visitor
        self.header = {"authorization": f"Bearer {secret}"}

    async def gets(self, path: str, **headers: str) -> httpx.Response:
        return await self.visitor.client.get(path, headers={**self.header, **headers})

    async def posts(self, path: str, **body: str) -> httpx.Response:
        return await self.visitor.client.post(path, json=body, headers=self.header)


@pytest.fixture
async def program(store: Store, tmp_path: Path) -> AsyncIterator[Program]:
    secret, token = new_token()
    async with visit(store, tmp_path, tokens={"ci": token.model_copy(update={"rank": Rank.DEVELOPER})}) as visitor:
        yield Program(visitor, secret)


async def test_every_operation_answers_its_model(program: Program, store: Store) -> None:
    await open_case(store)
    await open_bug(store)
    for one in OPERATIONS:
        if one.method == "post" or one.answer is None:
            continue
        answer = await program.gets(f"/api/v1{one.path}".replace("{case}", "local/shop~1"))
        assert answer.status_code == 200, f"{one.path}: {answer.text}"
        one.answer.model_validate_json(answer.content)


async def test_without_a_token_nothing_is_told(program: Program, store: Store) -> None:
    await open_case(store, "Secret plans")
    for header in ({}, {"authorization": "Bearer cwt_wrong"}, {"authorization": "Basic Y2k6Y2k="}):
        answer = await program.visitor.client.get(CASE, headers=header)
        assert answer.status_code == 401
        assert answer.headers["content-type"] == "application/problem+json"
        assert (await program.visitor.client.post(f"{CASE}/messages", json={}, headers=header)).status_code == 401


async def test_a_wrong_method_is_told_the_right_ones(program: Program, store: Store) -> None:
    answer = await program.visitor.client.request("DELETE", "/api/v1/cases", headers=program.header)
    assert (answer.status_code, set(answer.headers["allow"].split(", "))) == (405, {"GET", "HEAD"})


async def test_the_same_answer_is_not_sent_twice(program: Program, store: Store) -> None:
    case = await open_case(store)
    tag = (await program.gets("/api/v1/cases")).headers["etag"]
    again = await program.gets("/api/v1/cases", **{"if-none-match": tag})
    assert (again.status_code, again.content) == (304, b"")
    await store.record.append(case, [Noted(text="more")], trace=TRACE)
    assert (await program.gets("/api/v1/cases", **{"if-none-match": tag})).status_code == 200


async def test_the_board_comes_in_pages_with_a_link_to_the_next(program: Program, store: Store) -> None:
    for number in range(51):
        await open_case(store, f"Case {number}")
    first = await program.gets("/api/v1/cases")
    path = first.headers["link"].partition(">")[0].removeprefix("<")
    second = await program.gets(path)
    boards = [Board.model_validate_json(answer.content) for answer in (first, second)]
    assert [len(board.rows) for board in boards] == [50, 1]
    assert len({row.case for board in boards for row in board.rows}) == 51
    assert "link" not in second.headers


async def test_the_record_comes_in_pages_by_its_numbers(program: Program, store: Store) -> None:
    case = await open_case(store)
    await store.record.append(case, [Noted(text="n")] * 5, trace=TRACE)
    first = (await program.gets(f"{CASE}/record?limit=4")).json()
    rest = (await program.gets(f"{CASE}/record?limit=400&after={first['next']}")).json()
    assert [one["sequence"] for one in first["entries"] + rest["entries"]] == list(range(1, 8))
    assert rest["next"] is None


async def test_a_message_is_sent_once_per_key(program: Program, store: Store) -> None:
    case = await open_case(store)
    first = await program.posts(f"{CASE}/messages", text="look at line 4", key="1")
    assert (first.status_code, first.json()["receipt"]) == (201, "recorded")
    again = await program.posts(f"{CASE}/messages", text="look at line 4", key="1")
    assert (again.status_code, again.json()["receipt"]) == (200, "sent before")
    assert [message.author for message in await store.inbox.of(case)] == ["ann", "ci"]
    assert program.visitor.bell.kinds == [MessageKind.WORDS]


async def test_a_command_that_does_not_fit_says_what_fits(program: Program, store: Store) -> None:
    await open_case(store)
    answer = await program.posts(f"{CASE}/messages", action="approve", key="1")
    assert answer.status_code == 409
    assert "What fits" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/v1/cases?page=0", 422),
        ("/api/v1/cases?kind=cat", 422),
        ("/api/v1/cases?unknown=1", 422),
        ("/api/v1/cases?page=1&page=2", 422),
        ("/api/v1/cases/local/shop~99", 404),
        ("/api/v1/nowhere", 404),
        (f"{CASE}/record?limit=100000", 422),
    ],
)
async def test_a_wrong_request_is_a_problem_in_words(program: Program, store: Store, path: str, status: int) -> None:
    await open_case(store)
    answer = await program.gets(path)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    assert answer.json()["status"] == status


async def test_a_body_that_is_no_message_is_refused(program: Program, store: Store) -> None:
    await open_case(store)
    post = program.visitor.client.post
    header = {**program.header, "content-type": "application/json"}
    assert (await post(f"{CASE}/messages", content=b"{", headers=header)).status_code == 422
    assert (await post(f"{CASE}/messages", content=b"[]", headers=header)).status_code == 422
    assert (await post(f"{CASE}/messages", content=b" " * 600_000, headers=header)).status_code == 413
    assert (await post(f"{CASE}/messages", data={"key": "1"}, headers=program.header)).status_code == 415


async def test_the_event_stream_is_the_record(visitor: Visitor, store: Store) -> None:
    case = await open_case(store)
    async with LivePage.of(visitor, f"{CASE}/events?after=1") as page:
        await store.record.append(case, [Noted(text="more")], trace=TRACE)
        assert '"text": "more"' in (await page.event(3)).data
        assert [event.id for event in page.entries] == ["2", "3"]


async def test_one_person_can_not_open_streams_without_end(visitor: Visitor, store: Store) -> None:
    await open_case(store)
    async with AsyncExitStack() as pages:
        open_pages = [LivePage.of(visitor, f"{CASE}/events", looks=False) for _ in range(MOST_STREAMS)]
        for page in [await pages.enter_async_context(one) for one in open_pages]:
            await page.event(1)
        for path in (f"{CASE}/events", "/live/board", "/live/cases/local/shop~1"):
            assert (await visitor.client.get(path)).status_code == 429
    async with LivePage.of(visitor, f"{CASE}/events") as page:
        await page.event(1)


async def test_the_description_names_every_path(visitor: Visitor) -> None:
    described = (await visitor.client.get("/api/v1/openapi.json")).json()
    assert set(described["paths"]) == {f"/api/v1{one.path}" for one in OPERATIONS}
