"""Tracking comments: which comment shows which run. Rows are leased, so that one host writes a comment at a time."""

import secrets
from datetime import timedelta
from typing import Final

from sqlalchemy import ColumnElement, Select, and_, exists, or_, select, update

from caseworker.core.base.ids import RunId
from caseworker.core.runs.run import RunState
from caseworker.ports import Thread
from caseworker.ports.tracking_comments import Tracking
from caseworker.store.columns import now
from caseworker.store.database import Database
from caseworker.store.database_clock import Clock, time_of
from caseworker.store.message_tables import threads
from caseworker.store.port import Port
from caseworker.store.rows import insert_or_stop
from caseworker.store.run_tables import runs
from caseworker.store.tracking_tables import tracking_comments as rows

LEASE: Final = timedelta(seconds=60)
_NEW: Final = {"digest": "", "is_tidy": False}


class StoredTracking(Port):
    def __init__(self, database: Database, *, clock: Clock | None = None) -> None:
        """`clock`: for tests."""
        super().__init__(database)
        self._clock = clock

    async def claim(self, surface: str) -> Tracking | None:
        async with self._database.reading() as connection:  # most often there is nothing, and nobody is locked out
            if await connection.scalar(_unshown(surface).limit(1)) is None:
                return None
        token = secrets.token_hex(8)
        async with self._database.writing() as connection:
            at = await time_of(connection, self._clock)
            free = or_(rows.c.claimed_until.is_(None), rows.c.claimed_until < at)
            due = and_(free, or_(rows.c.again_at.is_(None), rows.c.again_at <= at))
            run = await connection.scalar(_unshown(surface).where(due).order_by(rows.c.again_at, runs.c.id).limit(1))
            if run is None:
                return None
            await connection.execute(insert_or_stop(connection, rows).values(_NEW | {"run": run}))
            taken = update(rows).where(rows.c.run == run, due).values(claim=token, claimed_until=at + LEASE)
            if await connection.scalar(taken.returning(rows.c.run)) is None:
                return None  # another host was faster
            found = await connection.execute(_claimed(surface).where(rows.c.claim == token))
            case, channel, anchor, *row = found.one()
            names = ("run", "comment", "digest", "is_tidy", "written_at")
            thread = Thread(surface=surface, channel=channel, anchor=anchor)
            values = {"case": case, "thread": thread, "token": token, **dict(zip(names, row, strict=True))}
            return Tracking.model_validate(values)

    async def earlier(self, tracking: Tracking) -> frozenset[RunId]:
        workflow = select(runs.c.workflow).where(runs.c.id == tracking.run).scalar_subquery()
        query = select(runs.c.id).where(runs.c.case == tracking.case, runs.c.workflow == workflow)
        async with self._database.reading() as connection:
            found = await connection.scalars(query.where(runs.c.id < tracking.run))
            return frozenset(RunId(run) for run in found)

    async def reserve(self, tracking: Tracking, comment: int, *, instead_of: int | None) -> bool:
        known = rows.c.comment.is_(None) if instead_of is None else rows.c.comment == instead_of
        stored = update(rows).where(rows.c.run == tracking.run, known).values(comment=comment)
        async with self._database.writing() as connection:
            return await connection.scalar(stored.returning(rows.c.run)) is not None

    async def wrote(self, tracking: Tracking, digest: str, *, is_tidy: bool, shows: RunState | None) -> None:
        values = {"digest": digest, "is_tidy": is_tidy, "shows": shows, "written_at": now()}
        async with self._database.writing() as connection:
            await connection.execute(update(rows).where(_held(tracking)).values(values))

    async def release(self, tracking: Tracking, *, again_in: float) -> None:
        async with self._database.writing() as connection:
            again = await time_of(connection, self._clock) + timedelta(seconds=again_in)
            ended = {"claim": None, "claimed_until": None, "again_at": again}
            await connection.execute(update(rows).where(_held(tracking)).values(ended))


def _unshown(surface: str) -> Select[int]:
    """The newest run of each workflow of the cases on this surface, while it is in flight or its end is not shown."""
    later = runs.alias("later")
    replaced = exists().where(later.c.case == runs.c.case, later.c.workflow == runs.c.workflow, later.c.id > runs.c.id)
    return (
        select(runs.c.id)
        .join(threads, threads.c.case == runs.c.case)
        .outerjoin(rows, rows.c.run == runs.c.id)
        .where(_is_bound(surface), rows.c.shows.is_(None), ~replaced)
    )


def _claimed(surface: str) -> Select[*tuple[object, ...]]:
    return (
        select(
            runs.c.case,
            threads.c.channel,
            threads.c.anchor,
            rows.c.run,
            rows.c.comment,
            rows.c.digest,
            rows.c.is_tidy,
            rows.c.written_at,
        )
        .join_from(rows, runs, rows.c.run == runs.c.id)
        .join(threads, threads.c.case == runs.c.case)
        .where(_is_bound(surface))
    )


def _is_bound(surface: str) -> ColumnElement[bool]:
    return and_(threads.c.surface == surface, threads.c.guest.is_(False))


def _held(tracking: Tracking) -> ColumnElement[bool]:
    return and_(rows.c.run == tracking.run, rows.c.claim == tracking.token)
