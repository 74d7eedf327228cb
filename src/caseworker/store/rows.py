"""Steps that several ports use inside their transactions: insert unless it exists, lock a case, append to its record.

Nothing here opens or commits a transaction.
"""

from collections.abc import Sequence
from typing import Final

from pydantic import TypeAdapter
from sqlalchemy import Table, TypedColumns, bindparam, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId, RepositoryId, TraceId
from caseworker.core.base.repositories import RepositoryRef
from caseworker.core.base.text import clip
from caseworker.core.record.entries import BODY_LIMIT, VERSION, Entry, Posted
from caseworker.store.columns import now, storable, to_json
from caseworker.store.connection import Connection
from caseworker.store.repository_tables import repositories
from caseworker.store.tables import cases, record, record_keys

_REF: Final[TypeAdapter[RepositoryRef]] = TypeAdapter(RepositoryRef)


def insert_or_stop(connection: Connection, table: Table[TypedColumns]) -> sqlite.Insert | postgresql.Insert:
    """An insert that does nothing if the row exists. A unique index decides who was first: no need to query first."""
    if connection.dialect.name == "sqlite":
        return sqlite.insert(table).on_conflict_do_nothing()
    return postgresql.insert(table).on_conflict_do_nothing()


# Built once: these are part of nearly every write.
_SNAPSHOT: Final = select(cases.c.snapshot).where(cases.c.id == bindparam("case"))
_LOCK: Final = select(cases.c.id).where(cases.c.id == bindparam("case")).with_for_update(key_share=True)


async def lock_case(connection: Connection, case: CaseId) -> None:
    """Locks the case's row: the first step of every transaction that writes to a case, so that two can't deadlock.

    Has an effect on PostgreSQL only: SQLite has a single writer. `key_share` lets others add rows that refer to the
    case without waiting.
    """
    if await connection.scalar(_LOCK, {"case": case}) is None:
        raise Refused(f"There is no case {case}.", todo="`caseworker cases` lists them.")


async def epoch_of(connection: Connection, case: CaseId) -> int:
    """The epoch in the stored snapshot: every kind of case has it there."""
    snapshot = (await connection.execute(_SNAPSHOT, {"case": case})).scalar_one()
    epoch = snapshot["epoch"]
    assert isinstance(epoch, int)
    return epoch


async def read_ref(connection: Connection, repository: RepositoryId) -> RepositoryRef:
    """Where the repository is."""
    place = (repositories.c[name] for name in ("kind", "path", "host", "owner", "name"))
    query = select(*place).where(repositories.c.id == repository)
    row = (await connection.execute(query)).mappings().one_or_none()
    if row is None:
        raise _unknown(repository)
    return _REF.validate_python({name: value for name, value in row.items() if value is not None})


async def lock_repository(connection: Connection, repository: RepositoryId) -> None:
    """Locks the repository's row, so that numbers are given one at a time."""
    found = select(repositories.c.id).where(repositories.c.id == repository).with_for_update(key_share=True)
    if await connection.scalar(found) is None:
        raise _unknown(repository)


def _unknown(repository: RepositoryId) -> Refused:
    return Refused(f"There is no repository {repository} here.", todo="Name its folder to register it.")


_COUNTED: Final = (
    update(cases)
    .where(cases.c.id == bindparam("of_case"))
    .values(sequence=cases.c.sequence + bindparam("more"), changed_at=bindparam("at"))
    .returning(cases.c.sequence)
)
_APPENDED: Final = insert(record)
_KEYED: Final = {
    True: sqlite.insert(record_keys).on_conflict_do_nothing().returning(record_keys.c.key),
    False: postgresql.insert(record_keys).on_conflict_do_nothing().returning(record_keys.c.key),
}
"""True: for SQLite. False: for PostgreSQL."""


async def append_entries(
    connection: Connection, case: CaseId, entries: Sequence[Entry], *, trace: TraceId, key: str | None = None
) -> bool:
    """Appends to the record. False if this key was used before: then nothing is written. Needs the case's lock."""
    if key is not None:
        used = _KEYED[connection.dialect.name == "sqlite"]
        if await connection.scalar(used, {"case": case, "key": key}) is None:
            return False
    if not entries:
        return True
    at = now()
    last = (await connection.execute(_COUNTED, {"of_case": case, "more": len(entries), "at": at})).scalar_one()
    first = last - len(entries) + 1
    rows = [
        {
            "case": case,
            "sequence": first + place,
            "at": at,
            "trace": trace,
            "version": VERSION,
            "kind": entry.kind,
            "body": fitting(entry),
        }
        for place, entry in enumerate(entries)
    ]
    await connection.execute(_APPENDED, rows)
    return True


def fitting(entry: Entry) -> dict[str, object]:
    """The entry's body, with long strings clipped more and more until it is within the limit.

    An entry of very many short strings stays too big: that is better than losing it.
    """
    if isinstance(entry, Posted):  # its text is a column of the view `bug_conversations`
        entry = entry.model_copy(update={"text": storable(entry.text)})
    body: object = entry.model_dump(mode="json")
    longest = BODY_LIMIT // 2
    while len(to_json(body).encode()) > BODY_LIMIT and longest >= 200:
        body = _clipped(body, longest)
        longest //= 2
    assert isinstance(body, dict)
    return body


def _clipped(value: object, longest: int) -> object:
    match value:
        case str():
            return clip(value, longest)
        case list():
            return [_clipped(item, longest) for item in value]
        case dict():
            return {key: _clipped(item, longest) for key, item in value.items()}
        case _:
            return value
