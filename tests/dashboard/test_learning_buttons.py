"""Approve, edit and forget on the learnings' page: who may, what it says, and where it is found again."""

import httpx
import pytest

from caseworker.core.base.ids import CaseId
from caseworker.core.casefile.learnings import Learning
from caseworker.core.outcomes.answers import Observation
from caseworker.core.record.entries import Noted
from caseworker.dashboard.access_tokens import Rank
from caseworker.store.store import Store
from tests.dashboard.visitor import FROM_HERE, Visitor
from tests.edges.store_examples import open_case


@pytest.fixture
async def learning(store: Store) -> Learning:
    case = await open_case(store)
    stored = await store.cases.load(case)
    assert stored is not None
    await store.learnings.add(stored.repository, case, [Observation(type="build", content="It uses `make`.")])
    return (await store.learnings.of())[0]


async def presses(visitor: Visitor, learning: Learning, action: str, text: str = "", **headers: str) -> httpx.Response:
    form = {"action": action, "text": text}
    return await visitor.client.post(f"/learnings/{learning.id}", data=form, headers={**FROM_HERE, **headers})


async def notes(store: Store, case: CaseId) -> list[str]:
    return [one.entry.text for one in await store.record.read(case) if isinstance(one.entry, Noted)]


async def test_an_owner_approves_and_the_page_says_by_whom(visitor: Visitor, store: Store, learning: Learning) -> None:
    answer = await presses(visitor, learning, "approve", **{"hx-request": "true"})
    assert "Approved: It uses `make`." in answer.text
    assert "by ada" in await visitor.sees("/learnings")
    assert await notes(store, learning.last_case) == [f"Learning {learning.id} approved by ada: It uses `make`."]


async def test_an_owner_puts_it_into_their_own_words(visitor: Visitor, store: Store, learning: Learning) -> None:
    await presses(visitor, learning, "edit", "It uses\n`just`.")
    (known,) = await store.learnings.of()
    assert (known.content, known.approved_by) == ("It uses `just`.", "ada")


async def test_an_owner_forgets_it(visitor: Visitor, store: Store, learning: Learning) -> None:
    answer = await presses(visitor, learning, "forget")
    assert answer.headers["location"] == f"/learnings#learning-{learning.id}"
    assert await store.learnings.of() == []
    assert (await presses(visitor, learning, "forget")).status_code == 404


@pytest.mark.parametrize(("action", "text"), [("edit", " \n"), ("edit", "x" * 1_001), ("praise", "")])
async def test_what_can_not_be_done_is_told(
    visitor: Visitor, store: Store, learning: Learning, action: str, text: str
) -> None:
    assert (await presses(visitor, learning, action, text)).status_code == 409
    assert await store.learnings.of() == [learning]


@pytest.mark.parametrize("rank", [Rank.READER, Rank.DEVELOPER])
async def test_only_an_owner_sees_and_presses_the_buttons(
    visitor: Visitor, store: Store, learning: Learning, rank: Rank
) -> None:
    await visitor.enters(rank)
    assert "<button>Approve" not in await visitor.sees("/learnings")
    answer = await presses(visitor, learning, "forget")
    assert answer.status_code == 409
    assert "Forget learning: that is for an owner to decide." in answer.text
    assert await store.learnings.of() == [learning]


async def test_a_learning_of_an_unseen_repository_is_not_there(
    visitor: Visitor, store: Store, learning: Learning
) -> None:
    await visitor.enters(repositories=("acme/*",))
    assert (await presses(visitor, learning, "forget")).status_code == 404
    assert await store.learnings.of() == [learning]


async def test_a_program_does_the_same(visitor: Visitor, store: Store, learning: Learning) -> None:
    where = f"/api/v1/learnings/{learning.id}"
    answer = await visitor.client.post(where, json={"action": "approve"}, headers=FROM_HERE)
    assert answer.status_code == 201
    assert answer.json()["receipt"] == "Approved: It uses `make`."
