"""Writers that share a transaction of SQLite: each gets its own result, and no writer affects another."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import event, text

from caseworker.core.base.errors import Defect, Refused, Transient
from caseworker.store import shared_writes as sharing
from caseworker.store.connection import Connection
from caseworker.store.database import Database, connect
from caseworker.store.shared_writes import MOST
from caseworker.store.sqlite import Sqlite
from tests.patience import PATIENCE

_TABLES = (
    "CREATE TABLE written (number INTEGER PRIMARY KEY, words TEXT NOT NULL DEFAULT '')",
    # Checked at the commit and not before: makes a commit that really fails.
    "CREATE TABLE owed (number INTEGER REFERENCES written (number) DEFERRABLE INITIALLY DEFERRED)",
)


class Notebook:
    """A database of numbers, which counts its commits."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.database: Database = connect(f"sqlite:///{file}?timeout=5")
        self.commits = 0
        assert isinstance(self.database.kind, Sqlite)
        event.listen(self.database.kind.engine, "commit", self._count)

    async def prepare(self) -> None:
        await self.database.prepare()
        async with self.database.writing() as connection:
            for table in _TABLES:
                await connection.exec_driver_sql(table)
        self.commits = 0

    async def write(self, number: int) -> int:
        async with self.database.writing() as connection:
            await insert(connection, number)
            return number

    async def write_and_refuse(self, number: int) -> None:
        async with self.database.writing() as connection:
            await insert(connection, number)
            raise Refused("Not this one.", todo="Take another.")

    async def write_and_tear(self, number: int) -> None:
        """Rolls back the whole shared transaction, as SQLite does when the disk is full."""
        async with self.database.writing() as connection:
            await insert(connection, number)
            await connection.exec_driver_sql(f"INSERT OR ROLLBACK INTO written (number) VALUES ({number})")

    async def write_and_owe(self, number: int) -> None:
        async with self.database.writing() as connection:
            await insert(connection, number)
            await connection.exec_driver_sql("INSERT INTO owed (number) VALUES (-1)")

    def seen_by_others(self) -> list[int]:
        """The numbers as another connection sees them. It takes the lock, to check that nobody kept it."""
        other = sqlite3.connect(self.file, timeout=0, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        found = [number for (number,) in other.execute("SELECT number FROM written ORDER BY number")]
        other.execute("ROLLBACK")
        other.close()
        return found

    def _count(self, connection: object) -> None:
        self.commits += 1


async def insert(connection: Connection, number: int, words: str = "") -> None:
    await connection.execute(
        text("INSERT INTO written (number, words) VALUES (:number, :words)"), {"number": number, "words": words}
    )


@pytest.fixture
async def notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Notebook]:
    monkeypatch.setattr(
        sharing, "LONGEST", 60.0
    )  # also on a busy machine only the number of writers counts, not the time
    opened = Notebook(tmp_path / "notebook.db")
    await opened.prepare()
    yield opened
    await opened.database.close()


async def test_writers_that_come_together_are_committed_together_and_in_order(notebook: Notebook) -> None:
    numbers = list(range(MOST + 5))
    finished: list[int] = []

    async def one(number: int) -> None:
        finished.append(await notebook.write(number))

    await asyncio.gather(*(one(number) for number in numbers))
    assert finished == numbers
    assert notebook.commits == 2
    assert notebook.seen_by_others() == numbers


async def test_a_transaction_lets_no_writer_in_after_its_time_is_over(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharing, "LONGEST", 0.0)
    await asyncio.gather(*(notebook.write(number) for number in range(3)))
    assert notebook.commits == 3


async def test_no_writer_goes_on_before_the_commit(notebook: Notebook) -> None:
    async def one(number: int) -> bool:
        await notebook.write(number)
        return number in notebook.seen_by_others()

    assert all(await asyncio.gather(*(one(number) for number in range(5))))


async def test_an_error_of_one_writer_rolls_back_only_that_writer(notebook: Notebook) -> None:
    told = await asyncio.gather(
        notebook.write(1), notebook.write_and_refuse(2), notebook.write(3), return_exceptions=True
    )
    assert [told[0], str(told[1]), told[2]] == [1, "Not this one. Take another.", 3]
    assert notebook.commits == 1
    assert notebook.seen_by_others() == [1, 3]


async def test_a_refused_statement_rolls_back_its_writers_earlier_statements(notebook: Notebook) -> None:
    await notebook.write(7)

    async def twice() -> None:
        async with notebook.database.writing() as connection:
            await insert(connection, 6)
            await insert(connection, 7)

    told = await asyncio.gather(notebook.write(1), twice(), notebook.write(3), return_exceptions=True)
    assert [type(answer) for answer in told] == [int, Defect, int]
    assert notebook.seen_by_others() == [1, 3, 7]


async def test_a_failed_commit_is_reported_to_all_writers_and_keeps_nothing(notebook: Notebook) -> None:
    told = await asyncio.gather(notebook.write(1), notebook.write_and_owe(2), notebook.write(3), return_exceptions=True)
    assert [type(answer) for answer in told] == [Defect, Defect, Defect]
    assert notebook.seen_by_others() == []
    assert await notebook.write(4) == 4


async def test_a_transaction_rolled_back_by_sqlite_fails_its_writers_and_no_later_ones(
    notebook: Notebook,
) -> None:
    told = await asyncio.gather(
        notebook.write(1), notebook.write_and_tear(2), notebook.write(3), return_exceptions=True
    )
    assert [type(answer) for answer in told] == [Defect, Defect, int]
    assert notebook.seen_by_others() == [3]


async def test_a_lost_savepoint_rolls_back_the_whole_transaction(notebook: Notebook) -> None:
    async def write_and_lose_the_savepoint(number: int) -> None:
        async with notebook.database.writing() as connection:
            await insert(connection, number)
            await connection.exec_driver_sql("RELEASE writer")
            raise Refused("Not this one.", todo="Take another.")

    told = await asyncio.gather(
        notebook.write(1), write_and_lose_the_savepoint(2), notebook.write(3), return_exceptions=True
    )
    assert [isinstance(answer, Exception) for answer in told] == [True, True, False]
    assert notebook.seen_by_others() == [3]


async def test_a_full_disk_is_reported_to_all_writers_of_the_transaction(notebook: Notebook) -> None:
    async def limit(pages: int) -> None:
        async with notebook.database.writing() as connection:  # the pool has only this connection, which has the limit
            await connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")

    async def fill() -> None:
        async with notebook.database.writing() as connection:
            await insert(connection, 2, "x" * 60_000)

    await limit(1)
    told = await asyncio.gather(notebook.write(1), fill(), notebook.write(3), return_exceptions=True)
    assert isinstance(told[1], Transient)
    assert "disk" in str(told[1])
    kept = [number for number, answer in zip((1, 2, 3), told, strict=True) if not isinstance(answer, BaseException)]
    assert notebook.seen_by_others() == kept
    await limit(1_000_000)
    await fill()


async def test_writers_time_out_behind_another_process_and_later_ones_succeed(notebook: Notebook) -> None:
    other = sqlite3.connect(notebook.file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    impatient = connect(f"sqlite:///{notebook.file}?timeout=0.05")

    async def write(number: int) -> None:
        async with impatient.writing() as connection:
            await insert(connection, number)

    told = await asyncio.gather(write(1), write(2), return_exceptions=True)
    assert [type(answer) for answer in told] == [Transient, Transient]
    other.execute("ROLLBACK")
    other.close()
    await write(3)
    await impatient.close()
    assert notebook.seen_by_others() == [3]


# --- cancelled, anywhere ---------------------------------------------------------------------------------------------

_Way = Literal["write", "linger", "refuse", "tear", "owe"]


@dataclass(frozen=True, kw_only=True)
class _Visit:
    """One writer: when it starts, what it does, and when it is cancelled, in rounds of the event loop."""

    comes: int
    way: _Way
    cancelled: int | None


_visits = st.lists(
    st.builds(
        _Visit,
        comes=st.integers(0, 12),
        way=st.sampled_from(("write", "write", "linger", "linger", "refuse", "tear", "owe")),
        cancelled=st.none() | st.integers(0, 25),
    ),
    max_size=12,
)


async def _turns(number: int) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


class _Visitors:
    def __init__(self, notebook: Notebook) -> None:
        self._notebook = notebook
        self.came_through: set[int] = set()
        """Writers that finished their writes, whatever came afterwards."""

    async def visit(self, number: int, way: _Way) -> None:
        match way:
            case "refuse":
                await self._notebook.write_and_refuse(number)
            case "tear":
                await self._notebook.write_and_tear(number)
            case _:
                await self._write(number, way)

    async def _write(self, number: int, way: _Way) -> None:
        async with self._notebook.database.writing() as connection:
            await insert(connection, number)
            if way == "linger":
                await _turns(4)
            if way == "owe":
                await connection.exec_driver_sql("INSERT INTO owed (number) VALUES (-1)")
            self.came_through.add(number)


async def _all_visit(notebook: Notebook, visits: list[_Visit]) -> None:
    visitors = _Visitors(notebook)

    async def one(number: int, visit: _Visit) -> BaseException | None:
        await _turns(visit.comes)
        task = asyncio.create_task(visitors.visit(number, visit.way))
        if visit.cancelled is not None:
            await _turns(visit.cancelled)
            task.cancel()
        await asyncio.wait([task])
        return asyncio.CancelledError() if task.cancelled() else task.exception()

    async with asyncio.timeout(PATIENCE):  # no writer may wait for ever
        ends = await asyncio.gather(*(one(number, visit) for number, visit in enumerate(visits)))
        await notebook.write(100)  # whatever they did, the next writer succeeds
        await notebook.database.close()
    found = set(notebook.seen_by_others())
    for number, end in enumerate(ends):
        if end is None:
            assert number in found, "it was told that it is written"
        elif not isinstance(end, asyncio.CancelledError) or number not in visitors.came_through:
            assert number not in found, f"it was told {end!r}, and it is there"
    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(visits=_visits)
def test_cancelling_one_writer_does_not_affect_the_others(
    visits: list[_Visit], tmp_path_factory: pytest.TempPathFactory
) -> None:
    async def all_of_it() -> None:
        notebook = Notebook(tmp_path_factory.mktemp("notebook") / "notebook.db")
        await notebook.prepare()
        await _all_visit(notebook, visits)

    asyncio.run(all_of_it())
