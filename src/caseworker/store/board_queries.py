"""Queries over many cases: the board, its counts, what has changed, and what it has cost."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import ColumnElement, and_, func, or_, select

from caseworker.core.base.case_kinds import CaseKind
from caseworker.core.base.ids import CaseId, RepositoryId
from caseworker.ports.boards import BoardEntries, BoardEntry, BoardFilter, Change, Cost, Lease, StateCount
from caseworker.store.loaders import stored_of
from caseworker.store.message_tables import messages
from caseworker.store.place_tables import places
from caseworker.store.port import Port
from caseworker.store.run_tables import runs
from caseworker.store.tables import cases, ledger, turns

_DAY_LETTERS: Final = 10
"""Of `2026-11-17 09:40:12`."""


class StoredBoards(Port):
    async def page(self, wanted: BoardFilter, *, offset: int, limit: int, oldest_first: bool = False) -> BoardEntries:
        """Chooses ids first: rows are wide, and only those of the page are read."""
        newest = [column if oldest_first else column.desc() for column in (cases.c.changed_at, cases.c.id)]
        these = _conditions(wanted)
        chosen = select(cases.c.id).where(*these).order_by(*newest).offset(offset).limit(limit)
        async with self._database.reading() as connection:
            total = await connection.scalar(select(func.count()).select_from(cases).where(*these))
            ids = list(await connection.scalars(chosen))
            rows = (await connection.execute(select(*cases.c).where(cases.c.id.in_(ids)))).mappings().all()
            spent = select(ledger.c.case, func.sum(ledger.c.micros)).where(ledger.c.case.in_(ids))
            paid = {case: int(micros) for case, micros in await connection.execute(spent.group_by(ledger.c.case))}
        found = {row[cases.c.id]: row for row in rows}
        entries = tuple(
            BoardEntry(
                stored=stored_of(found[case]),
                sequence=found[case][cases.c.sequence],
                spent_micros=paid.get(case, 0),
            )
            for case in ids
            if case in found
        )
        return BoardEntries(entries=entries, total=int(total or 0))

    async def newest(self, case: CaseId) -> int:
        async with self._database.reading() as connection:
            return await connection.scalar(select(cases.c.sequence).where(cases.c.id == case)) or 0

    async def counts(self, visible: frozenset[RepositoryId] | None = None) -> Sequence[StateCount]:
        columns = (cases.c.kind, cases.c.state, cases.c.repository)
        query = select(*columns, func.count()).where(*_visible(visible)).group_by(*columns)
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        return [
            StateCount(kind=CaseKind(kind), state=state, repository=RepositoryId(repository), cases=number)
            for kind, state, repository, number in rows
        ]

    async def changed(self, since: datetime) -> Sequence[Change]:
        query = select(cases.c.id, cases.c.sequence, cases.c.changed_at).where(cases.c.changed_at > since)
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        return [Change(case=CaseId(case), sequence=sequence, changed_at=at) for case, sequence, at in rows]

    async def receipts(self, cases: Collection[CaseId]) -> Mapping[CaseId, tuple[int, int, int]]:
        counted = (func.count(messages.c.id), func.count(messages.c.turn), func.count(messages.c.outcome))
        query = select(messages.c.case, *counted).where(messages.c.case.in_(sorted(cases)))
        async with self._database.reading() as connection:
            rows = (await connection.execute(query.group_by(messages.c.case))).all()
        return {CaseId(case): (several, claimed, settled) for case, several, claimed, settled in rows}

    async def leases(self) -> Sequence[Lease]:
        query = select(places.c.case, places.c.turn, places.c.held, places.c.renewed_at).order_by(places.c.ticket)
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        return [Lease(case=CaseId(case), turn=turn, at_work=held, renewed_at=at) for case, turn, held, at in rows]

    async def costs(self, since: datetime) -> Sequence[Cost]:
        workflow = (
            select(runs.c.workflow)
            .where(runs.c.case == ledger.c.case, runs.c.turns_before < ledger.c.turn)
            .order_by(runs.c.id.desc())
            .limit(1)
            .scalar_subquery()
        )
        async with self._database.reading() as connection:
            is_sqlite = connection.dialect.name == "sqlite"
            at = ledger.c.reserved_at
            day = (
                func.substr(at, 1, _DAY_LETTERS) if is_sqlite else func.to_char(func.timezone("UTC", at), "YYYY-MM-DD")
            )
            named = (
                day.label("day"),
                func.coalesce(cases.c.repository, ledger.c.repository).label("repository"),
                turns.c.role.label("role"),
                workflow.label("workflow"),
                ledger.c.model.label("model"),
                ledger.c.rehearsed.label("rehearsed"),
            )
            lines = (
                select(*named, ledger.c.micros.label("micros"))
                .select_from(ledger)
                .outerjoin(cases, cases.c.id == ledger.c.case)
                .outerjoin(turns, and_(turns.c.case == ledger.c.case, turns.c.turn == ledger.c.turn))
                .where(at > since)
                .subquery()
            )
            keys = [lines.c[column.name] for column in named]
            query = select(*keys, func.count(), func.sum(lines.c.micros)).group_by(*keys).order_by(lines.c.day)
            rows = (await connection.execute(query)).all()
        names = [*(column.name for column in named), "calls", "micros"]
        return [Cost.model_validate(dict(zip(names, row, strict=True))) for row in rows]


def _conditions(wanted: BoardFilter) -> list[ColumnElement[bool]]:
    found = _visible(wanted.visible)
    if wanted.states is not None:
        of_kind = [
            and_(cases.c.kind == kind, cases.c.state.in_([state for other, state in wanted.states if other == kind]))
            for kind in dict.fromkeys(kind for kind, _ in wanted.states)
        ]
        found.append(or_(*of_kind) if of_kind else cases.c.id.is_(None))
    if wanted.repository is not None:
        found.append(cases.c.repository == wanted.repository)
    if wanted.text:
        found.append(
            cases.c.title.icontains(wanted.text, autoescape=True) | cases.c.id.icontains(wanted.text, autoescape=True)
        )
    return found


def _visible(visible: frozenset[RepositoryId] | None) -> list[ColumnElement[bool]]:
    return [] if visible is None else [cases.c.repository.in_(sorted(visible))]
