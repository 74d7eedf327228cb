"""Places for developer turns on both databases: never too many, in order, and freed when a holder dies."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, select

from caseworker.core.base.ids import CaseId
from caseworker.store.place_tables import places
from caseworker.store.places import EXPIRES, StoredPlaces
from caseworker.store.store import Store, open_store
from tests.edges.store_examples import open_case

NEARLY, LONG = EXPIRES - timedelta(seconds=1), EXPIRES + timedelta(seconds=1)


class Clock:
    def __init__(self) -> None:
        self.time = datetime(2026, 11, 16, 9, 40, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time


class Developers:
    """Turns of one case, by number. Two may work at the same time unless a test says otherwise."""

    def __init__(self, places: StoredPlaces, case: CaseId) -> None:
        self.places, self.case = places, case

    async def asks(self, turn: int, *, most: int = 2) -> bool:
        return await self.places.ask(self.case, turn, most=most, queue=True)

    async def tries(self, turn: int, *, most: int = 2) -> bool:
        """Asks without waiting in line, as a diagnostic does."""
        return await self.places.ask(self.case, turn, most=most, queue=False)

    async def renews(self, turn: int) -> None:
        await self.places.renew(self.case, turn)

    async def leaves(self, turn: int) -> None:
        await self.places.leave(self.case, turn)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def turn(store: Store, clock: Clock) -> Developers:
    return Developers(StoredPlaces(store.database, clock=clock), await open_case(store))


@pytest.fixture
async def workers(emptied_url: str) -> AsyncIterator[list[Store]]:
    """Stores with separate connections, as in separate processes."""
    stores = [await open_store(emptied_url) for _ in range(3)]
    try:
        yield stores
    finally:
        for store in stores:
            await store.close()


async def rows(store: Store) -> int:
    async with store.database.reading() as connection:
        return await connection.scalar(select(func.count()).select_from(places)) or 0


async def test_places_are_given_until_none_is_free_and_again_after_one_is_left(turn: Developers) -> None:
    assert [await turn.asks(number) for number in (1, 2, 3)] == [True, True, False]
    await turn.leaves(1)
    assert await turn.asks(3)


async def test_a_holder_that_asks_again_keeps_its_place(turn: Developers) -> None:
    assert [await turn.asks(number) for number in (1, 2, 3)] == [True, True, False]
    assert [await turn.asks(number) for number in (2, 1)] == [True, True]
    assert await turn.tries(1)
    assert await turn.asks(1, most=1)  # the limit was lowered meanwhile: nobody loses a place


async def test_the_line_is_served_in_order_whoever_asks_first(turn: Developers) -> None:
    assert [await turn.asks(number, most=1) for number in (1, 5, 3, 4)] == [True, False, False, False]
    await turn.leaves(1)
    assert [await turn.asks(number, most=1) for number in (4, 3, 5)] == [False, False, True]
    await turn.leaves(5)
    assert [await turn.asks(number, most=1) for number in (4, 3)] == [False, True]


async def test_two_free_places_go_to_the_first_two_in_line_in_any_order(turn: Developers) -> None:
    assert [await turn.asks(number) for number in (1, 2, 3, 4, 5)] == [True, True, False, False, False]
    await turn.leaves(1)
    await turn.leaves(2)
    assert [await turn.asks(number) for number in (5, 4, 3)] == [False, True, True]


async def test_a_turn_that_comes_back_is_last_in_line(turn: Developers) -> None:
    assert [await turn.asks(number, most=1) for number in (1, 2, 3)] == [True, False, False]
    await turn.leaves(2)
    assert not await turn.asks(2, most=1)
    await turn.leaves(1)
    assert [await turn.asks(number, most=1) for number in (2, 3)] == [False, True]


async def test_asking_without_queueing_leaves_no_row_and_does_not_overtake(turn: Developers, store: Store) -> None:
    assert await turn.tries(1)
    assert not await turn.tries(2, most=1)
    assert await rows(store) == 1
    assert not await turn.asks(3, most=1)
    await turn.leaves(1)
    assert not await turn.tries(2, most=1)  # a place is free, but it belongs to 3
    assert await turn.asks(3, most=1)
    assert not await turn.asks(2, most=1)
    assert not await turn.tries(2, most=1)  # it leaves the line
    assert await rows(store) == 1


async def test_a_place_that_is_not_renewed_becomes_free(turn: Developers, clock: Clock) -> None:
    assert [await turn.asks(number, most=1) for number in (1, 2)] == [True, False]
    clock.time += NEARLY
    assert not await turn.asks(2, most=1)
    clock.time += LONG - NEARLY
    assert await turn.asks(2, most=1)


async def test_a_turn_that_died_in_line_does_not_hold_up_the_others(
    turn: Developers, clock: Clock, store: Store
) -> None:
    assert [await turn.asks(number, most=1) for number in (1, 2, 3)] == [True, False, False]
    clock.time += NEARLY
    await turn.renews(1)
    assert not await turn.asks(3, most=1)
    clock.time += LONG - NEARLY
    await turn.leaves(1)
    assert await turn.tries(3, most=1)
    assert await rows(store) == 1


async def test_a_new_attempt_has_the_place_of_the_attempt_that_died(turn: Developers) -> None:
    assert [await turn.asks(number, most=1) for number in (1, 2)] == [True, False]
    assert await turn.asks(1, most=1)


async def test_a_holder_keeps_its_place_as_long_as_it_renews(turn: Developers, clock: Clock) -> None:
    assert await turn.asks(1, most=1)
    for _ in range(5):
        clock.time += NEARLY
        await turn.renews(1)
        assert not await turn.tries(2, most=1)


async def test_a_holder_that_renews_after_it_expired_counts_again(turn: Developers, clock: Clock) -> None:
    assert await turn.asks(1, most=1)
    clock.time += LONG
    assert await turn.asks(2, most=1)
    await turn.renews(1)
    await turn.leaves(2)
    assert not await turn.tries(3, most=1)
    await turn.leaves(1)
    assert await turn.tries(3, most=1)


async def test_a_higher_limit_lets_the_line_in(turn: Developers) -> None:
    assert [await turn.asks(number) for number in (1, 2, 3)] == [True, True, False]
    assert await turn.asks(3, most=3)


async def test_leaving_without_a_place_is_allowed(turn: Developers) -> None:
    await turn.leaves(1)
    assert await turn.asks(1)


async def test_places_work_with_the_real_clock(store: Store) -> None:
    turn = Developers(StoredPlaces(store.database), await open_case(store))
    assert [await turn.asks(number, most=1) for number in (1, 2)] == [True, False]
    await turn.renews(1)
    assert not await turn.tries(3, most=1)


async def test_concurrent_workers_never_get_the_last_place_twice(workers: list[Store]) -> None:
    case = await open_case(workers[0])
    asking = [(number, workers[number % len(workers)].places) for number in range(12)]
    for round in range(5):
        got = await asyncio.gather(
            *(places.ask(case, number, most=4, queue=bool((number + round) % 2)) for number, places in asking)
        )
        assert got.count(True) == 4
        await asyncio.gather(*(places.leave(case, number) for number, places in asking))
        assert await rows(workers[0]) == 0


async def test_workers_that_ask_renew_and_leave_at_once_do_not_deadlock(workers: list[Store]) -> None:
    case = await open_case(workers[0])

    async def work(number: int) -> None:
        places = workers[number % len(workers)].places
        for _ in range(5):
            if await places.ask(case, number, most=3, queue=number % 2 == 0):
                await places.renew(case, number)
            await places.leave(case, number)

    await asyncio.gather(*(work(number) for number in range(9)))
    assert await rows(workers[0]) == 0
