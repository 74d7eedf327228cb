"""The inbox: messages from their commit to what came of them. Ringing a case about them happens elsewhere."""

from collections.abc import Sequence

from sqlalchemy import Select, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from caseworker.core.ids import CaseId, MessageId, TraceId
from caseworker.core.messages import Message, MessageKind, NewMessage
from caseworker.core.record import MessageRecorded, MessagesClaimed
from caseworker.store.columns import now
from caseworker.store.port import Port
from caseworker.store.rows import append_entries, insert_or_stop, lock_case
from caseworker.store.tables import messages as rows


class StoredInbox(Port):
    async def put(self, message: NewMessage) -> Message | None:
        async with self._database.writing() as connection:
            await lock_case(connection, message.case)
            return await add_message(connection, message)

    async def claim(self, case: CaseId, turn: int) -> list[Message]:
        unclaimed = (
            update(rows)
            .where(rows.c.case == case, rows.c.turn.is_(None))
            .values(turn=turn)
            .returning(rows.c.id, rows.c.trace)
        )
        async with self._database.writing() as connection:
            await lock_case(connection, case)
            claimed = sorted((await connection.execute(unclaimed)).all())
            if claimed:
                first, trace = claimed[0]
                entry = MessagesClaimed(turn=turn, messages=[MessageId(number) for number, _ in claimed])
                # With the first message in it: a turn that claims again, for what came while it worked, says so again.
                key = f"claim/{turn}/{first}"
                await append_entries(connection, case, [entry], trace=TraceId(trace), key=key)
            return await _read(connection, _all().where(rows.c.case == case, rows.c.turn == turn))

    async def settle(self, messages: Sequence[MessageId], outcome: str) -> None:
        open_ones = update(rows).where(rows.c.id.in_(messages), rows.c.outcome.is_(None))
        async with self._database.writing() as connection:
            await connection.execute(open_ones.values(outcome=outcome))

    async def unclaimed(self) -> list[tuple[CaseId, MessageId, MessageKind]]:
        query = select(rows.c.case, rows.c.id, rows.c.kind).where(rows.c.turn.is_(None))
        async with self._database.reading() as connection:
            found = (await connection.execute(query.order_by(rows.c.id))).all()
        return [(CaseId(case), MessageId(number), MessageKind(kind)) for case, number, kind in found]

    async def of(self, case: CaseId) -> list[Message]:
        async with self._database.reading() as connection:
            return await _read(connection, _all().where(rows.c.case == case))


async def add_message(connection: AsyncConnection, message: NewMessage) -> Message | None:
    """The row and its record entry; needs the case's lock. None: this surface id was there already."""
    received_at = now()
    values = message.model_dump(mode="json") | {"received_at": received_at}
    added = insert_or_stop(connection, rows).values(values).returning(rows.c.id)
    number = await connection.scalar(added)
    if number is None:
        return None
    entry = MessageRecorded(
        message=MessageId(number),
        surface=message.surface,
        author=message.author,
        standing=message.standing,
        message_kind=message.kind,
        text=message.text,
    )
    await append_entries(connection, message.case, [entry], trace=message.trace)
    return Message(**message.model_dump(), id=MessageId(number), received_at=received_at)


def _all() -> Select[*tuple[object, ...]]:
    return select(*rows.c).order_by(rows.c.id)


async def _read(connection: AsyncConnection, query: Select[*tuple[object, ...]]) -> list[Message]:
    found = (await connection.execute(query)).mappings()
    return [Message.model_validate({column.key: row[column] for column in rows.c}) for row in found]
