"""Bug cases: the rows from which their workflows start, and to which they save their snapshots."""

import secrets
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Final

from sqlalchemy import select

from caseworker.core.base.case_kinds import CaseKind
from caseworker.core.base.errors import Defect
from caseworker.core.base.ids import CaseId, TraceId, bug_case
from caseworker.core.bug.case import BugCase
from caseworker.core.people.messages import Audience, NewMessage
from caseworker.core.record.entries import BugReported, Entry
from caseworker.ports import NewBug, StoredBug
from caseworker.store.columns import now
from caseworker.store.connection import Connection
from caseworker.store.database import Database
from caseworker.store.inbox import add_message, case_of_message
from caseworker.store.loaders import bug_of, one_row, rows_of
from caseworker.store.port import Port
from caseworker.store.rows import append_entries, insert_or_stop, lock_case
from caseworker.store.stored_snapshots import is_older, read_snapshot, replace_snapshot
from caseworker.store.tables import cases
from caseworker.store.threads import add_thread, find_thread

_LENGTHS: Final = (4, 4, 4, 4, 5, 6, 8, 12)
"""Letters of the name in each try: names are short as long as short ones are free."""


def random_name(length: int) -> CaseId:
    return bug_case(secrets.randbelow(32**length), length)


class StoredBugs(Port):
    def __init__(self, database: Database, *, draw: Callable[[int], CaseId] = random_name) -> None:
        super().__init__(database)
        self._draw = draw

    async def open(self, bug: NewBug, first: NewMessage) -> tuple[CaseId, bool]:
        async with self._database.writing() as connection:
            known = await _known(connection, bug, first)
            if known is not None:
                return known, False
            async with connection.begin_nested() as attempt:
                case = await self._row(connection, bug, first)
                if await _add_first(connection, bug, first.model_copy(update={"case": case})):
                    return case, True
                await attempt.rollback()  # another process was faster, and its case can be read now
            known = await _known(connection, bug, first)
            if known is None:
                raise Defect(f"The message {first.external_id} from {first.surface} is taken, and by no case.")
            return known, False

    async def opened_by(self, reporter: str, surface: str, *, seconds: float) -> list[CaseId]:
        since = now() - timedelta(seconds=seconds)
        theirs = (cases.c.reporter == reporter) & (cases.c.surface == surface) & (cases.c.opened_at > since)
        query = select(cases.c.id).where(cases.c.kind == CaseKind.BUG, theirs).order_by(cases.c.opened_at)
        async with self._database.reading() as connection:
            return [CaseId(case) for case in (await connection.execute(query)).scalars()]

    async def load(self, case: CaseId) -> StoredBug | None:
        async with self._database.reading() as connection:
            row = await one_row(connection, case, CaseKind.BUG)
        return None if row is None else bug_of(row)

    async def list(self) -> list[StoredBug]:
        async with self._database.reading() as connection:
            return [bug_of(row) for row in await rows_of(connection, CaseKind.BUG)]

    async def save(
        self, after: BugCase, entries: Sequence[Entry] = (), *, trace: TraceId, key: str | None = None
    ) -> None:
        """Saves the snapshot, unless the stored one is newer, and appends to the record."""
        async with self._database.writing() as connection:
            await lock_case(connection, after.id)
            await append_entries(connection, after.id, entries, trace=trace, key=key)
            if not is_older(after, await read_snapshot(connection, BugCase, after.id)):
                await replace_snapshot(connection, after)

    async def _row(self, connection: Connection, bug: NewBug, first: NewMessage) -> CaseId:
        """Adds the row under the first drawn name that is free."""
        for length in _LENGTHS:
            case = self._draw(length)
            added = insert_or_stop(connection, cases).values(_values(case, bug, first)).returning(cases.c.id)
            if await connection.scalar(added) is not None:
                return case
        raise Defect("Every name drawn for a new bug case was taken.")


async def _known(connection: Connection, bug: NewBug, first: NewMessage) -> CaseId | None:
    """The case that already has this message or this thread."""
    case = await case_of_message(connection, first)
    if case is None and bug.thread is not None:
        found = await find_thread(connection, bug.thread)
        case = None if found is None else found[0]
    return case


async def _add_first(connection: Connection, bug: NewBug, first: NewMessage) -> bool:
    """Adds the thread, first entry and first message of a new case. False if another case has one of them."""
    thread = bug.thread
    if thread is not None and not await add_thread(connection, first.case, Audience.REPORTER, thread):
        return False
    reported = BugReported(
        repository=bug.repository,
        title=bug.title,
        reporter=bug.reporter,
        surface=first.surface,
        rehearsed=bug.rehearsal is not None,
    )
    await append_entries(connection, first.case, [reported], trace=bug.trace)
    return await add_message(connection, first) is not None


def _values(case: CaseId, bug: NewBug, first: NewMessage) -> dict[str, object]:
    at, snapshot = now(), BugCase(id=case)
    return {
        "id": case,
        "kind": CaseKind.BUG,
        "repository": bug.repository,
        "title": bug.title,
        "report": first.text,
        "reporter": bug.reporter,
        "surface": first.surface,
        "state": snapshot.state,
        "over": False,
        "snapshot": snapshot.model_dump(mode="json"),
        "policy": bug.policy.model_dump(mode="json"),
        "rehearsal": bug.rehearsal,
        "trace": bug.trace,
        "sequence": 0,
        "opened_at": at,
        "changed_at": at,
    }
