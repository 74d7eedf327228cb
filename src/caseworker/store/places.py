"""Limits how many developer turns run at once over all workers: places with a waiting line, leased and renewed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from sqlalchemy import delete, insert, select, text, update
from sqlalchemy.dialects import postgresql, sqlite

from caseworker.core.base.ids import CaseId
from caseworker.store.connection import Connection
from caseworker.store.database import Database
from caseworker.store.database_clock import Clock, time_of
from caseworker.store.place_tables import places
from caseworker.store.port import Port

EXPIRES: Final = timedelta(seconds=20)
"""A place that was not renewed for this long is free: its worker has died."""
_ADVISORY_LOCK: Final = 0x_CA5E_0002
"""The key of this lock among the advisory locks of a PostgreSQL database."""


@dataclass(frozen=True, kw_only=True)
class _Asker:
    ticket: int
    case: str
    turn: int
    held: bool


class StoredPlaces(Port):
    def __init__(self, database: Database, *, clock: Clock | None = None) -> None:
        """`clock`: for tests. By default the time comes from the database, because workers' clocks may differ."""
        super().__init__(database)
        self._clock = clock

    async def ask(self, case: CaseId, turn: int, *, most: int, queue: bool) -> bool:
        async with self._database.writing() as connection:
            await _one_at_a_time(connection)
            at = await time_of(connection, self._clock)
            await connection.execute(delete(places).where(places.c.renewed_at < at - EXPIRES))
            askers = await _askers(connection)
            mine = next((asker for asker in askers if (asker.case, asker.turn) == (case, turn)), None)
            has = _has_place(mine, askers, most)
            if has or queue:
                await _write(connection, mine, {"case": case, "turn": turn, "held": has, "renewed_at": at})
            elif mine is not None:
                await connection.execute(delete(places).where(places.c.ticket == mine.ticket))
            return has

    async def renew(self, case: CaseId, turn: int) -> None:
        async with self._database.writing() as connection:
            kept = {"held": True, "renewed_at": await time_of(connection, self._clock)}
            mine = update(places).where(places.c.case == case, places.c.turn == turn).values(kept)
            if await connection.scalar(mine.returning(places.c.ticket)) is None:
                await _put_back(connection, {"case": case, "turn": turn} | kept, kept)

    async def leave(self, case: CaseId, turn: int) -> None:
        async with self._database.writing() as connection:
            await connection.execute(delete(places).where(places.c.case == case, places.c.turn == turn))


def _has_place(mine: _Asker | None, askers: Sequence[_Asker], most: int) -> bool:
    """Whether this turn has or gets a place. Everybody ahead in the line counts as at work.

    So nobody is overtaken, and two free places can be taken in any order by the two who are first in line.
    """
    if mine is not None and mine.held:
        return True
    taken = [asker for asker in askers if asker.held or mine is None or asker.ticket < mine.ticket]
    return len(taken) < most


async def _one_at_a_time(connection: Connection) -> None:
    """Locks until the transaction ends, so that two workers never both get the last place.

    SQLite needs no lock: it has one writer at a time.
    """
    if connection.dialect.name == "postgresql":
        await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _ADVISORY_LOCK})


async def _askers(connection: Connection) -> list[_Asker]:
    rows = await connection.execute(select(places.c.ticket, places.c.case, places.c.turn, places.c.held))
    return [_Asker(ticket=ticket, case=case, turn=turn, held=held) for ticket, case, turn, held in rows]


async def _write(connection: Connection, mine: _Asker | None, row: dict[str, object]) -> None:
    if mine is None:
        await connection.execute(insert(places).values(row))
    else:
        await connection.execute(update(places).where(places.c.ticket == mine.ticket).values(row))


async def _put_back(connection: Connection, row: dict[str, object], kept: dict[str, object]) -> None:
    insert_here = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    await connection.execute(
        insert_here(places).values(row).on_conflict_do_update(index_elements=[places.c.case, places.c.turn], set_=kept)
    )
