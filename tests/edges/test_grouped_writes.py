"""Deliveries that come together are written together: each caller gets its own result, and no other's error."""

import asyncio
from collections.abc import Sequence

import pytest

from caseworker.core.base.errors import Defect, Transient
from caseworker.store import grouped_writes
from caseworker.store.grouped_writes import GroupedWrites
from caseworker.store.store import Store
from tests.edges.delivery_examples import delivery


class Paper:
    """Where the items of a test are written. A write waits until the test lets it go on."""

    def __init__(self) -> None:
        self.groups: list[list[str]] = []
        self.writes = GroupedWrites(self._write)
        self.may_write = asyncio.Event()
        self.is_away = False

    async def _write(self, items: Sequence[str]) -> list[str]:
        await self.may_write.wait()
        if self.is_away:
            raise Transient("The database is away.")
        if "wrong" in items:
            raise Defect("One item is wrong.")
        self.groups.append(list(items))
        return [f"{item} is written" for item in items]

    async def put(self, *items: str) -> list[object]:
        """The results, or the errors."""
        putting = [asyncio.create_task(self.writes.put(item)) for item in items]
        await asyncio.sleep(0)
        self.may_write.set()
        return list(await asyncio.gather(*putting, return_exceptions=True))


@pytest.fixture
async def paper() -> Paper:
    return Paper()


async def test_items_that_come_together_are_written_together_and_in_order(paper: Paper) -> None:
    assert await paper.put("a", "b", "c") == ["a is written", "b is written", "c is written"]
    assert paper.groups == [["a", "b", "c"]]


async def test_items_that_come_during_a_write_are_in_the_next_one(paper: Paper) -> None:
    first = asyncio.create_task(paper.writes.put("a"))
    for _ in range(3):  # the write of `a` has begun
        await asyncio.sleep(0)
    await paper.put("b", "c")
    await first
    assert paper.groups == [["a"], ["b", "c"]]


async def test_a_write_has_at_most_so_many_items(paper: Paper, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grouped_writes, "MOST", 2)
    await paper.put("a", "b", "c")
    assert paper.groups == [["a", "b"], ["c"]]


async def test_a_wrong_item_fails_alone(paper: Paper) -> None:
    good, wrong, other = await paper.put("a", "wrong", "b")
    assert (good, other) == ("a is written", "b is written")
    assert isinstance(wrong, Defect)


async def test_all_writers_get_the_error_of_an_unreachable_database(paper: Paper) -> None:
    paper.is_away = True
    assert [type(error) for error in await paper.put("a", "b")] == [Transient, Transient]


async def test_writes_work_again_once_the_database_is_back(paper: Paper) -> None:
    paper.is_away = True
    await paper.put("a", "b")
    paper.is_away = False
    assert await paper.put("c") == ["c is written"]


async def test_a_cancelled_caller_does_not_affect_the_others(paper: Paper) -> None:
    putting = [asyncio.create_task(paper.writes.put(item)) for item in ("a", "b")]
    await asyncio.sleep(0)
    putting[0].cancel()
    paper.may_write.set()
    cancelled, result = await asyncio.gather(*putting, return_exceptions=True)
    assert isinstance(cancelled, asyncio.CancelledError)
    assert result == "b is written"


async def test_copies_of_a_delivery_that_come_at_once_are_one_and_repeats(store: Store) -> None:
    given = [delivery("a"), delivery("b"), delivery("a"), delivery("a")]
    assert await asyncio.gather(*map(store.deliveries.put, given)) == [True, True, False, False]
    assert await store.deliveries.put(delivery("b")) is False
    stored = [(one.guid, one.outcome.kind) for one in await store.deliveries.list()]
    assert sorted(stored) == [
        ("a", "duplicate"),
        ("a", "duplicate"),
        ("a", "received"),
        ("b", "duplicate"),
        ("b", "received"),
    ]
