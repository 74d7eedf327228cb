"""The record of a case: appended to and read, never changed."""

from collections.abc import Sequence

from sqlalchemy import select

from caseworker.core.ids import CaseId, TraceId
from caseworker.core.record import Entry, Recorded, parse_entry
from caseworker.store import tables
from caseworker.store.port import Port
from caseworker.store.rows import append_entries, lock_case


class StoredRecord(Port):
    async def append(self, case: CaseId, entries: Sequence[Entry], *, trace: TraceId, key: str | None = None) -> None:
        async with self._database.writing() as connection:
            await lock_case(connection, case)
            await append_entries(connection, case, entries, trace=trace, key=key)

    async def read(self, case: CaseId, *, after: int = 0, limit: int = 500) -> list[Recorded]:
        found = tables.record.c
        query = (
            select(found.sequence, found.at, found.trace, found.version, found.body)
            .where(found.case == case, found.sequence > after)
            .order_by(found.sequence)
            .limit(limit)
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        return [
            Recorded(sequence=sequence, at=at, trace=TraceId(trace), version=version, entry=parse_entry(body))
            for sequence, at, trace, version, body in rows
        ]
