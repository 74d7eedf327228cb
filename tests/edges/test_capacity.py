"""Places for developer turns: waited for in order, kept while a turn runs, given back however it ends."""

import asyncio
import random
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, select

from caseworker.activities.turn.capacity import Capacity
from caseworker.core.base.errors import Transient
from caseworker.core.base.ids import CaseId
from caseworker.core.record.entries import Noted
from caseworker.store.database import Database
from caseworker.store.place_tables import places
from caseworker.store.places import EXPIRES, StoredPlaces
from caseworker.store.store import Store, open_store
from tests.edges.store_examples import TRACE, open_case
from tests.patience import PATIENCE

NEVER, SOON = 3_600.0, 0.01


@dataclass
class Worker:
    """The capacity of one process, and what its developers do."""

    store: Store
    case: CaseId
    capacity: Capacity
    order: list[int] = field(default_factory=list)
    at_work: dict[int, asyncio.Event] = field(default_factory=lambda: defaultdict(asyncio.Event))

    async def works(self, turn: int, until: asyncio.Event) -> None:
        async with self.capacity.place(self.case, turn, wait=True, trace=TRACE) as has:
            assert has
            self.order.append(turn)
            self.at_work[turn].set()
            await until.wait()

    async def stands_in_line(self, turn: int, until: asyncio.Event) -> asyncio.Task[None]:
        before = await rows(self.store)
        task = asyncio.create_task(self.works(turn, until))

        async def is_there() -> bool:
            return await rows(self.store) > before

        await becomes(is_there)
        return task

    async def begins(self, turn: int) -> None:
        await self.at_work[turn].wait()

    async def is_free(self) -> bool:
        async with self.capacity.place(self.case, 999, wait=False) as has:
            return has


async def rows(store: Store) -> int:
    async with store.database.reading() as connection:
        return await connection.scalar(select(func.count()).select_from(places)) or 0


async def becomes(is_so: Callable[[], Awaitable[bool]]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not await is_so():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.005)


@pytest.fixture
async def worker(store: Store) -> Worker:
    """A worker with one place. It never polls, so a turn that goes on was woken."""
    return Worker(store, await open_case(store), Capacity(store=store, most=1, look_seconds=NEVER))


@pytest.fixture
async def other_store(emptied_url: str) -> AsyncIterator[Store]:
    other = await open_store(emptied_url)
    try:
        yield other
    finally:
        await other.close()


async def notes(worker: Worker) -> list[str]:
    return [r.entry.text for r in await worker.store.record.read(worker.case) if isinstance(r.entry, Noted)]


async def test_turns_of_a_process_wait_in_order_and_are_woken_at_once(worker: Worker) -> None:
    ends = [asyncio.Event() for _ in range(4)]
    tasks = [await worker.stands_in_line(turn, end) for turn, end in zip((7, 3, 9, 1), ends, strict=True)]
    for end in ends:
        end.set()
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*tasks)
    assert worker.order == [7, 3, 9, 1]
    assert await rows(worker.store) == 0


async def test_the_reason_for_waiting_is_recorded_once_however_often_it_polls(worker: Worker, store: Store) -> None:
    worker.capacity = Capacity(store=store, most=4, look_seconds=SOON)
    ends = [asyncio.Event() for _ in range(5)]
    tasks = [await worker.stands_in_line(turn, end) for turn, end in enumerate(ends)]

    async def is_told() -> bool:
        return await notes(worker) != []

    await becomes(is_told)
    tasks[4].cancel()
    with suppress(asyncio.CancelledError):
        await tasks[4]
    tasks[4] = await worker.stands_in_line(4, ends[4])  # begun again, by a worker that does not know of it
    for end in ends:
        end.set()
    await asyncio.gather(*tasks)
    assert await notes(worker) == [
        "All 4 developers are at work; it waits for its turn. CASEWORKER_DEVELOPERS raises the number."
    ]


async def test_a_turn_that_gets_a_place_at_once_records_nothing(worker: Worker) -> None:
    ended = asyncio.Event()
    ended.set()
    await worker.works(1, ended)
    assert await notes(worker) == []


async def test_a_turn_that_does_not_wait_gets_no_place_ahead_of_the_line(worker: Worker) -> None:
    end = asyncio.Event()
    assert await worker.is_free()
    holder = await worker.stands_in_line(1, end)
    assert not await worker.is_free()
    assert await rows(worker.store) == 1
    end.set()
    await holder
    assert await worker.is_free()


async def test_a_turn_that_is_cancelled_in_line_leaves_the_line(worker: Worker) -> None:
    end = asyncio.Event()
    holder, second = await worker.stands_in_line(1, end), await worker.stands_in_line(2, end)
    third = await worker.stands_in_line(3, end)
    second.cancel()
    with suppress(asyncio.CancelledError):
        await second
    end.set()
    await asyncio.gather(holder, third)
    assert worker.order == [1, 3]


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, 3])
async def test_a_turn_that_is_cancelled_at_work_gives_its_place_back(worker: Worker, times: int) -> None:
    holder = await worker.stands_in_line(1, asyncio.Event())
    end = asyncio.Event()
    second = await worker.stands_in_line(2, end)
    for _ in range(times):
        holder.cancel()
        await asyncio.sleep(0)
    end.set()
    await second
    assert holder.cancelled()
    assert worker.order == [1, 2]


async def test_a_turn_that_fails_gives_its_place_back(worker: Worker) -> None:
    with pytest.raises(Transient):
        async with worker.capacity.place(worker.case, 1, wait=True):
            raise Transient("The world is away.")
    assert await worker.is_free()


async def test_a_place_that_another_process_freed_is_found_by_polling(worker: Worker, store: Store) -> None:
    worker.capacity = Capacity(store=store, most=1, look_seconds=SOON)
    assert await store.places.ask(worker.case, 100, most=1, queue=True)
    end = asyncio.Event()
    waiting = await worker.stands_in_line(1, end)
    end.set()
    await store.places.leave(worker.case, 100)
    await waiting
    assert worker.order == [1]


async def test_a_place_expires_when_its_holder_was_killed_but_not_while_it_lives(store: Store) -> None:
    now = datetime(2026, 11, 16, 9, 40, tzinfo=UTC)
    timed = Store(store.database)
    timed.places = StoredPlaces(store.database, clock=lambda: now)
    case = await open_case(store)
    assert await timed.places.ask(case, 100, most=2, queue=True)  # its worker is killed afterwards: it renews no more
    worker = Worker(timed, case, Capacity(store=timed, most=2, look_seconds=SOON, renew_seconds=SOON))
    alive = await worker.stands_in_line(1, asyncio.Event())
    waiting = await worker.stands_in_line(2, asyncio.Event())

    async def are_renewed() -> bool:
        async with store.database.reading() as connection:
            at = select(places.c.turn).where(places.c.renewed_at == now)
            return {1, 2} <= set((await connection.execute(at)).scalars())

    for _ in range(4):
        now += EXPIRES / 3
        await becomes(are_renewed)
    async with asyncio.timeout(PATIENCE):
        await worker.begins(2)
    assert not await worker.is_free()
    for task in (alive, waiting):
        task.cancel()
    await asyncio.wait([alive, waiting])


class Away(StoredPlaces):
    """Places that fail for a while."""

    failures = 0

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.renewed = asyncio.Event()

    async def ask(self, case: CaseId, turn: int, *, most: int, queue: bool) -> bool:
        self._fail()
        return await super().ask(case, turn, most=most, queue=queue)

    async def renew(self, case: CaseId, turn: int) -> None:
        self._fail()
        await super().renew(case, turn)
        self.renewed.set()

    async def leave(self, case: CaseId, turn: int) -> None:
        self._fail()
        await super().leave(case, turn)

    def _fail(self) -> None:
        if self.failures:
            self.failures -= 1
            raise Transient("The database does not answer.")


async def test_a_turn_goes_on_while_the_store_is_away_and_its_place_is_renewed_afterwards(store: Store) -> None:
    away = Away(store.database)
    away.failures = 2
    store.places = away
    capacity = Capacity(store=store, most=1, look_seconds=SOON, renew_seconds=SOON)
    case = await open_case(store)
    async with capacity.place(case, 1, wait=True) as has:
        assert has
        away.failures = 3
        async with asyncio.timeout(PATIENCE):
            await away.renewed.wait()
        away.failures = 1_000
    away.failures = 0  # it could not leave either: the place expires by itself
    assert await rows(store) == 1
    assert await StoredPlaces(store.database, clock=_later).ask(case, 2, most=1, queue=False)


def _later() -> datetime:
    return datetime.now(UTC) + EXPIRES + timedelta(minutes=5)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
async def test_two_workers_with_random_cancellations_never_exceed_the_limit(
    store: Store, other_store: Store, seed: int
) -> None:
    chance, case = random.Random(seed), await open_case(store)
    workers = [Capacity(store=each, most=3, look_seconds=SOON, renew_seconds=SOON) for each in (store, other_store)]
    at_work: set[int] = set()
    most_seen: list[int] = []

    async def works(turn: int, steps: int, *, wait: bool) -> None:
        async with workers[turn % 2].place(case, turn, wait=wait, trace=TRACE) as has:
            if not has:
                return
            at_work.add(turn)
            most_seen.append(len(at_work))
            try:
                for _ in range(steps):
                    await asyncio.sleep(SOON)
            finally:
                at_work.remove(turn)

    tasks = [asyncio.create_task(works(turn, chance.randrange(5), wait=chance.random() < 0.8)) for turn in range(1, 25)]
    for task in chance.sample(tasks, 6):
        await asyncio.sleep(SOON)
        task.cancel()
    async with asyncio.timeout(PATIENCE):
        ended = await asyncio.gather(*tasks, return_exceptions=True)
    assert [error for error in ended if isinstance(error, Exception)] == []
    assert max(most_seen) <= 3

    async def is_empty() -> bool:
        return await rows(store) == 0

    await becomes(is_empty)  # a cancelled turn leaves a little later
