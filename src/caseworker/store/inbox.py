"""The inbox: messages from their commit to what came of them. Ringing a case about them happens elsewhere."""

from collections.abc import Mapping, Sequence, Set
from typing import Final

from sqlalchemy import ColumnElement, Select, Update, bindparam, select, update

from caseworker.core.base.ids import CaseId, MessageId, TraceId
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.messages import SPOKEN, Message, NewMessage, Standing
from caseworker.core.record.entries import MessageRecorded, MessagesClaimed
from caseworker.core.runs.run import RunState
from caseworker.store.attachments import add_attachments
from caseworker.store.columns import now
from caseworker.store.connection import Connection
from caseworker.store.delivery_tables import dispatches
from caseworker.store.message_tables import messages as rows
from caseworker.store.port import Port
from caseworker.store.rows import append_entries, insert_or_stop, lock_case
from caseworker.store.run_tables import runs
from caseworker.store.tables import turns


class StoredInbox(Port):
    async def put(self, message: NewMessage) -> Message | None:
        async with self._database.writing() as connection:
            await lock_case(connection, message.case)
            return await add_message(connection, message)

    async def claim(self, case: CaseId, turn: int) -> list[Message]:
        """Looks first without a lock, because most often nothing is waiting. A message that is put after that look is
        not lost: its sender rings afterwards, and the case claims again."""
        claimed = {"of_case": case, "by_turn": turn}
        async with self._database.reading() as connection:
            if await connection.scalar(_FIRST_WAITING, {"of_case": case}) is None:
                return await _read(connection, _CLAIMED, claimed)
        async with self._database.writing() as connection:
            if not await _is_complete(connection, case, turn):
                await _claim(connection, case, turn, _waiting(case))
            return await _read(connection, _CLAIMED, claimed)

    async def overhear(self, case: CaseId, turn: int, standings: Set[Standing]) -> list[Message]:
        """Looks first without a lock: a working agent asks often, and there is rarely anything to tell it."""
        heard = _waiting(case) & rows.c.kind.in_(sorted(SPOKEN)) & rows.c.standing.in_(sorted(standings))
        async with self._database.reading() as connection:
            if await connection.scalar(select(rows.c.id).where(heard).limit(1)) is None:
                return []
        async with self._database.writing() as connection:
            claimed = await _claim(connection, case, turn, heard)
            return await _read(connection, _all().where(rows.c.id.in_(claimed)))

    async def find(self, surface: str, reference: str) -> Message | None:
        named = (rows.c.surface == surface) & (rows.c.reference == reference)
        async with self._database.reading() as connection:
            found = await _read(connection, _all().where(named))
        return found[0] if found else None

    async def settle(self, messages: Sequence[MessageId], outcome: str, *, refused: bool = False) -> None:
        open_ones = update(rows).where(rows.c.id.in_(messages), rows.c.outcome.is_(None))
        async with self._database.writing() as connection:
            await connection.execute(open_ones.values(outcome=outcome, refused=refused))
            if refused:
                await connection.execute(_end_of_runs(messages))

    async def unclaimed(self) -> list[tuple[CaseId, MessageId, MessageKind]]:
        query = select(rows.c.case, rows.c.id, rows.c.kind).where(rows.c.turn.is_(None))
        async with self._database.reading() as connection:
            found = (await connection.execute(query.order_by(rows.c.id))).all()
        return [(CaseId(case), MessageId(number), MessageKind(kind)) for case, number, kind in found]

    async def of(self, case: CaseId) -> list[Message]:
        async with self._database.reading() as connection:
            return await _read(connection, _OF, {"of_case": case})


def _end_of_runs(messages: Sequence[MessageId]) -> Update:
    """Ends the runs that these refused messages were to start."""
    asked = select(dispatches.c.run).join(rows, rows.c.external_id == dispatches.c.key).where(rows.c.id.in_(messages))
    mine = runs.c.id.in_(asked) & runs.c.ended_at.is_(None)
    return update(runs).where(mine).values(ended_as=RunState.INCOMPLETE, ended_at=now())


async def add_message(connection: Connection, message: NewMessage) -> Message | None:
    """The row, its files and its record entry; needs the case's lock. None: this surface id, or the reference, was
    there already."""
    received_at, turn = now(), None if message.outcome is None else 0
    values = message.model_dump(mode="json", exclude={"attachments"}) | {
        "kind": message.kind,
        "received_at": received_at,
        "turn": turn,
        "reference": message.reference or None,
        "refers_to": message.refers_to or None,
    }
    added = insert_or_stop(connection, rows).values(values).returning(rows.c.id)
    stored = await connection.scalar(added)
    if stored is None:
        return None
    number = MessageId(stored)
    await add_attachments(connection, message, number)
    entry = MessageRecorded(
        message=number,
        surface=message.surface,
        author=message.author,
        standing=message.standing,
        message_kind=message.kind,
        text=message.text,
    )
    await append_entries(connection, message.case, [entry], trace=message.trace)
    alone = message.model_dump(exclude={"attachments"})
    return Message(**alone, id=number, received_at=received_at, turn=turn)


async def case_of_message(connection: Connection, message: NewMessage) -> CaseId | None:
    """The case that has this message already, by the surface's id or by its reference."""
    same = rows.c.external_id == message.external_id
    if message.reference:
        same |= rows.c.reference == message.reference
    query = select(rows.c.case).where(rows.c.surface == message.surface, same).order_by(rows.c.id).limit(1)
    found = await connection.scalar(query)
    return None if found is None else CaseId(found)


async def _is_complete(connection: Connection, case: CaseId, turn: int) -> bool:
    """Whether the turn is complete, though the flow does not know it yet: it was stopped, or its worker died, just
    after. Such a turn must claim nothing: the flow takes its result without reading more, and the next turn claims."""
    done = select(turns.c.turn).where(turns.c.case == case, turns.c.turn == turn, turns.c.result.is_not(None))
    return await connection.scalar(done) is not None


def _waiting(case: CaseId) -> ColumnElement[bool]:
    return (rows.c.case == case) & rows.c.turn.is_(None)


async def _claim(connection: Connection, case: CaseId, turn: int, which: ColumnElement[bool]) -> Sequence[MessageId]:
    """Claims the selected messages, and returns the ids of those claimed by this call. Takes the case's lock."""
    await lock_case(connection, case)
    unclaimed = update(rows).where(which).values(turn=turn).returning(rows.c.id, rows.c.trace)
    claimed = sorted((await connection.execute(unclaimed)).all())
    numbers = [MessageId(number) for number, _ in claimed]
    if claimed:
        first, trace = claimed[0]
        entry = MessagesClaimed(turn=turn, messages=numbers)
        # The first message is part of the key, so that a later claim of the same turn gets an entry of its own.
        key = f"claim/{turn}/{first}"
        await append_entries(connection, case, [entry], trace=TraceId(trace), key=key)
    return numbers


def _all() -> Select[*tuple[object, ...]]:
    return select(*rows.c).order_by(rows.c.id)


# Asked at every step that a case takes, so built once.
_OF: Final = _all().where(rows.c.case == bindparam("of_case"))
_CLAIMED: Final = _OF.where(rows.c.turn == bindparam("by_turn"))
_FIRST_WAITING: Final = select(rows.c.id).where(rows.c.case == bindparam("of_case"), rows.c.turn.is_(None)).limit(1)


async def _read(
    connection: Connection, query: Select[*tuple[object, ...]], which: Mapping[str, object] | None = None
) -> list[Message]:
    """The messages without their files, which are big and read where they are needed."""
    names = [column.key for column in rows.c]
    return [
        Message.model_validate({name: value for name, value in zip(names, row, strict=True) if value is not None})
        for row in await connection.execute(query, which)
    ]
