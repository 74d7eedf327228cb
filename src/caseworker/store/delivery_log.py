"""Events from forges: committed before they are acknowledged, leased for processing, and kept with their outcome."""

import secrets
import zlib
from collections.abc import Collection, Sequence, Set
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import ColumnElement, and_, bindparam, exists, insert, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from caseworker.core.runs.delivery_outcomes import (
    OUTCOME,
    Duplicate,
    Ignored,
    IgnoreReason,
    Outcome,
    Received,
)
from caseworker.core.runs.outcome_kinds import OutcomeKind
from caseworker.ports.deliveries import Claim, Delivery, NewDelivery
from caseworker.store.columns import now, storable
from caseworker.store.connection import Connection, Values
from caseworker.store.database import Database
from caseworker.store.database_clock import Clock, time_of
from caseworker.store.delivery_tables import deliveries as rows
from caseworker.store.grouped_writes import GroupedWrites
from caseworker.store.port import Port

LEASE: Final = timedelta(seconds=60)
SAME_EVENT: Final = timedelta(seconds=10)
"""Longest distance in time at which a webhook and a find of a look count as one event: their times differ a little."""
_FOUND: Final = "look"
"""The source of deliveries that a look has found."""

_TOO_EARLY: Final = Ignored(reason=IgnoreReason.NO_CASE)
_ADDED: Final = {  # built once: this is what GitHub waits for
    "sqlite": sqlite.insert(rows).on_conflict_do_nothing().returning(rows.c.guid),
    "postgresql": postgresql.insert(rows).on_conflict_do_nothing().returning(rows.c.guid),
}
# Also built once: several lanes look for work each time that GitHub sends something.
_ANY_OPEN: Final = select(rows.c.id).where(rows.c.is_open).limit(1)
_AT: Final = bindparam("at", type_=rows.c.claimed_until.type)
_FREE: Final = or_(rows.c.claimed_until.is_(None), rows.c.claimed_until < _AT)
_BEFORE: Final = rows.alias("before")
_FIRST_DUE: Final = (
    select(rows.c.id)
    .where(rows.c.is_open, _FREE, or_(rows.c.again_at.is_(None), rows.c.again_at <= _AT))
    .where(~exists().where(_BEFORE.c.lane == rows.c.lane, _BEFORE.c.is_open, _BEFORE.c.id < rows.c.id))
    .order_by(rows.c.id)
    .limit(1)
    .with_for_update(skip_locked=True)
)


class StoredDeliveries(Port):
    def __init__(self, database: Database, *, clock: Clock | None = None) -> None:
        """`clock`: for tests."""
        super().__init__(database)
        self._clock = clock
        self._new = GroupedWrites(self._put_all)

    async def put(self, delivery: NewDelivery) -> bool:
        return await self._new.put(_row(delivery))

    async def _put_all(self, group: Sequence[Values]) -> list[bool]:
        """Stores all waiting rows in one commit, since GitHub sends in bursts. Returns whether each GUID is new."""
        async with self._database.writing() as connection:
            added = await connection.execute(_ADDED[connection.dialect.name], group)
            left, new = set(added.scalars()), []
            for row in group:
                guid = storable(row["guid"])
                new.append(guid in left)
                left.discard(guid)  # a second one in this group is a repeat
            if repeats := [_repeat(row) for row, is_new in zip(group, new, strict=True) if not is_new]:
                await connection.execute(insert(rows), repeats)
        return new

    async def claim(self) -> Claim | None:
        async with self._database.reading() as connection:  # most often there is nothing, and nobody is locked out
            if await connection.scalar(_ANY_OPEN) is None:
                return None
        token = secrets.token_hex(8)
        async with self._database.writing() as connection:
            at = await time_of(connection, self._clock)
            found = await connection.scalar(_FIRST_DUE, {"at": at})
            if found is None:
                return None
            taken = update(rows).where(rows.c.id == found, rows.c.is_open, _FREE)
            await connection.execute(taken.values(claim=token, claimed_until=at + LEASE), {"at": at})
            return await _claimed(connection, token)

    async def renew(self, claim: Claim) -> bool:
        async with self._database.writing() as connection:
            until = await time_of(connection, self._clock) + LEASE
            held = update(rows).where(_held(claim)).values(claimed_until=until).returning(rows.c.id)
            return await connection.scalar(held) is not None

    async def settle(self, claim: Claim, outcome: Outcome, *, again_in: float | None = None) -> bool:
        async with self._database.writing() as connection:
            at = await time_of(connection, self._clock)
            again = None if again_in is None else at + timedelta(seconds=again_in)
            values = _outcome(outcome) | {
                "is_open": again is not None,
                "settled_at": at if again is None else None,
                "again_at": again,
                "claim": None,
                "claimed_until": None,
                "tries": claim.tries + (outcome.kind is OutcomeKind.FAILED),
            }
            held = update(rows).where(_held(claim)).values(values).returning(rows.c.id)
            return await connection.scalar(held) is not None

    async def note_intent(self, claim: Claim, intent: str) -> None:
        async with self._database.writing() as connection:
            await connection.execute(update(rows).where(_held(claim)).values(intent=intent))

    async def earlier(self, claim: Claim) -> str | None:
        if not claim.subject:
            return None
        async with self._database.reading() as connection:
            this = select(rows.c.happened_at, rows.c.source).where(rows.c.id == claim.id)
            at, source = (await connection.execute(this)).one()
            same = [rows.c.subject == claim.subject, rows.c.id < claim.id, ~rows.c.is_repeat]
            if at is not None:
                same.append(_is_same_moment(at, found=source == _FOUND))
            # Unreadable and failed deliveries do not count as the first delivery of an event.
            same.append(rows.c.outcome.not_in([OutcomeKind.UNREADABLE, OutcomeKind.FAILED]))
            return await connection.scalar(select(rows.c.guid).where(*same).order_by(rows.c.id).limit(1))

    async def outcome_of(self, subject: str) -> Outcome | None:
        query = select(rows.c.detail).where(rows.c.subject == subject, ~rows.c.is_repeat).order_by(rows.c.id).limit(1)
        async with self._database.reading() as connection:
            found = await connection.scalar(query)
        return None if found is None else OUTCOME.validate_python(found)

    async def look_again(self, lane: str, since: datetime) -> int:
        ignored = select(rows.c.id, rows.c.detail).where(
            rows.c.lane == lane, rows.c.outcome == OutcomeKind.IGNORED, rows.c.happened_at >= since
        )
        async with self._database.writing() as connection:
            found = (await connection.execute(ignored)).all()
            early = [row for row, detail in found if OUTCOME.validate_python(detail) == _TOO_EARLY]
            opened = {"is_open": True, "settled_at": None} | _outcome(Received())
            await connection.execute(update(rows).where(rows.c.id.in_(early)).values(opened))
        return len(early)

    async def known(self, guids: Collection[str]) -> Set[str]:
        query = select(rows.c.guid).where(rows.c.guid.in_(sorted(guids)))
        async with self._database.reading() as connection:
            return set(await connection.scalars(query))

    async def list(self, *, outcome: OutcomeKind | None = None, limit: int = 50) -> list[Delivery]:
        names = [name for name in Delivery.model_fields if name != "outcome"]
        query = select(*(rows.c[name] for name in names), rows.c.detail).order_by(rows.c.id.desc()).limit(limit)
        if outcome is not None:
            query = query.where(rows.c.outcome == outcome)
        async with self._database.reading() as connection:
            found = (await connection.execute(query)).all()
        return [Delivery.model_validate(dict(zip([*names, "outcome"], row, strict=True))) for row in found]


def _row(delivery: NewDelivery) -> dict[str, object]:
    is_open = delivery.outcome.kind is OutcomeKind.RECEIVED
    return (
        dict(delivery)
        | _outcome(delivery.outcome)
        | {
            "is_repeat": False,
            "is_open": is_open,
            "body": zlib.compress(delivery.body, 1) if delivery.body else None,
            "tries": 0,
            "received_at": now(),
            "settled_at": None if is_open else now(),
        }
    )


def _repeat(row: Values) -> Values:
    again = {"is_repeat": True, "is_open": False, "body": None, "settled_at": now()}
    return {**row, **again, **_outcome(Duplicate(of=row["guid"]))}


def _outcome(outcome: Outcome) -> dict[str, object]:
    return {"outcome": outcome.kind, "detail": outcome.model_dump(mode="json")}


def _is_same_moment(at: datetime, *, found: bool) -> ColumnElement[bool]:
    """Within one source times are exact: a person may remove a label and set it again at once."""
    # An event found by a look and marked as a duplicate must not hide a later event.
    new_find = and_(rows.c.source == _FOUND, rows.c.outcome != OutcomeKind.DUPLICATE)
    other_source = rows.c.source != _FOUND if found else new_find
    close = rows.c.happened_at.between(at - SAME_EVENT, at + SAME_EVENT)
    return or_(rows.c.happened_at == at, and_(other_source, close))


def _held(claim: Claim) -> ColumnElement[bool]:
    return and_(rows.c.id == claim.id, rows.c.claim == claim.token)


async def _claimed(connection: Connection, token: str) -> Claim | None:
    names = ("id", "guid", "event", "subject", "tries", "intent", "body")
    query = select(*(rows.c[name] for name in names)).where(rows.c.claim == token)
    row = (await connection.execute(query)).one_or_none()
    if row is None:
        return None
    found = dict(zip(names, row, strict=True))
    body = found["body"]
    return Claim.model_validate(found | {"token": token, "body": zlib.decompress(body) if body else b""})
