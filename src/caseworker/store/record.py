"""The record of a case: entries are appended and read, never changed."""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import Select, func, select

from caseworker.core.base.ids import CaseId, TraceId
from caseworker.core.record.entries import Entry, Recorded, parse_entry
from caseworker.store import tables
from caseworker.store.port import Port
from caseworker.store.rows import append_entries, lock_case

_Query = Select[int, datetime, str, int, dict[str, object]]


def _of(case: CaseId) -> _Query:
    found = tables.record.c
    columns = select(found.sequence, found.at, found.trace, found.version, found.body)
    return columns.where(found.case == case).order_by(found.sequence)


class StoredRecord(Port):
    async def append(self, case: CaseId, entries: Sequence[Entry], *, trace: TraceId, key: str | None = None) -> bool:
        async with self._database.writing() as connection:
            await lock_case(connection, case)
            return await append_entries(connection, case, entries, trace=trace, key=key)

    async def read(self, case: CaseId, *, after: int = 0, limit: int = 500) -> list[Recorded]:
        return await self._read(_of(case).where(tables.record.c.sequence > after).limit(limit))

    async def whole(
        self, case: CaseId, kinds: Collection[str] | None = None, *, without: Collection[str] = ()
    ) -> list[Recorded]:
        entries, kind = _of(case), tables.record.c.kind
        if kinds is not None:
            entries = entries.where(kind.in_(sorted(kinds)))
        return await self._read(entries.where(kind.not_in(sorted(without))) if without else entries)

    async def newest(self, case: CaseId, *, without: Collection[str], limit: int) -> tuple[list[Recorded], int]:
        found = tables.record.c
        these = (found.case == case, found.kind.not_in(sorted(without)))
        first = select(found.sequence).where(*these).order_by(found.sequence.desc()).offset(limit - 1).limit(1)
        async with self._database.reading() as connection:
            start = await connection.scalar(first) or 0
            before = select(func.count()).select_from(tables.record).where(*these, found.sequence < start)
            earlier = await connection.scalar(before) if start else 0
        return await self._read(_of(case).where(*these[1:], found.sequence >= start)), earlier or 0

    async def _read(self, query: _Query) -> list[Recorded]:
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        return [
            Recorded(sequence=sequence, at=at, trace=TraceId(trace), version=version, entry=parse_entry(body))
            for sequence, at, trace, version, body in rows
        ]
