"""Removes a case that is over, with every row that belongs to it, also the issue that was written down for it."""

from datetime import timedelta
from typing import Final

from sqlalchemy import ColumnElement, Table, delete, exists, func, select

from caseworker.core.base.case_kinds import CaseKind
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId, typed
from caseworker.store.chat_tables import chat_turns, proposals
from caseworker.store.columns import now
from caseworker.store.connection import Connection
from caseworker.store.message_tables import threads
from caseworker.store.repository_tables import issues
from caseworker.store.rows import lock_case
from caseworker.store.tables import attempts, cases, ledger, metadata, transcripts

_DAY: Final = timedelta(hours=24)


async def remove_case(connection: Connection, case: CaseId) -> None:
    """`Refused` while it is worked on, while another case needs it, and while the daily budget counts its money."""
    await lock_case(connection, case)
    if not await connection.scalar(select(cases.c.over).where(cases.c.id == case)):
        raise Refused(f"{case} is not over.", todo=f"End it first: `caseworker close {typed(case)}`.")
    child = await connection.scalar(select(cases.c.id).where(cases.c.parent == case).order_by(cases.c.id).limit(1))
    if child is not None:
        todo = f"Remove that one first: `caseworker purge {typed(CaseId(child))}`."
        raise Refused(f"{child} belongs to {case}.", todo=todo)
    paid = (ledger.c.case == case) & ledger.c.rehearsed.is_(False) & (ledger.c.reserved_at > now() - _DAY)
    if await connection.scalar(select(func.count()).where(paid)):
        raise Refused(
            f"{case} spent money within 24 hours, and the daily budget counts it.", todo="Try again tomorrow."
        )
    sessions = select(attempts.c.session).where(attempts.c.case == case)
    await connection.execute(delete(transcripts).where(transcripts.c.session.in_(sessions)))
    for said in (chat_turns, proposals):
        await connection.execute(delete(said).where(_in_threads_of(said, case)))
    written = exists().where(
        cases.c.id == case,
        cases.c.kind == CaseKind.ISSUE,
        cases.c.repository == issues.c.repository,
        cases.c.number == issues.c.number,
    )
    await connection.execute(delete(issues).where(written))
    for table in reversed(metadata.sorted_tables):
        theirs = _rows_of(table, case)
        if theirs is not None:
            await connection.execute(delete(table).where(theirs))
    await connection.execute(delete(cases).where(cases.c.id == case))


def _in_threads_of(said: Table, case: CaseId) -> ColumnElement[bool]:
    """What was said in the case's own threads: these rows name the thread and no case."""
    return exists().where(
        threads.c.case == case,
        threads.c.guest.is_(False),
        *(threads.c[part] == said.c[part] for part in ("surface", "channel", "anchor")),
    )


def _rows_of(table: Table, case: CaseId) -> ColumnElement[bool] | None:
    """The rows that belong to the case, by its id or by a row of its own that they point to. Null: none can."""
    if "case" in table.c:
        return table.c["case"] == case
    for key in table.foreign_keys:
        owner = key.column.table
        if "case" in owner.c:
            return table.c[key.parent.key].in_(select(key.column).where(owner.c["case"] == case))
    return None
