"""Learnings: what cases have found out about their repository, kept for later cases."""

from collections.abc import Sequence

from sqlalchemy import delete, select, update
from sqlalchemy.dialects import postgresql, sqlite

from caseworker.core.base.ids import CaseId, RepositoryId
from caseworker.core.casefile.learnings import Learning, fingerprint, one_line
from caseworker.core.outcomes.answers import Observation
from caseworker.store.columns import now
from caseworker.store.connection import Connection
from caseworker.store.port import Port
from caseworker.store.rows import insert_or_stop, lock_case
from caseworker.store.tables import cases, learnings, record_keys


class StoredLearnings(Port):
    async def add(self, repository: RepositoryId, case: CaseId, observations: Sequence[Observation]) -> None:
        async with self._database.writing() as connection:
            await lock_case(connection, case)
            await add_learnings(connection, repository, case, observations)

    async def of(self, repository: RepositoryId | None = None) -> list[Learning]:
        query = select(*learnings.c).order_by(learnings.c.repository, learnings.c.id)
        if repository is not None:
            query = query.where(learnings.c.repository == repository)
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).mappings()
            return [
                Learning.model_validate({name: row[learnings.c[name]] for name in Learning.model_fields})
                for row in rows
            ]

    async def approve(self, learning: int, *, by: str) -> bool:
        return await self._change(learning, approved_by=by)

    async def edit(self, learning: int, content: str, *, by: str) -> bool:
        async with self._database.writing() as connection:
            row = learnings.c.id == learning
            found = (await connection.execute(select(learnings.c.repository, learnings.c.type).where(row))).first()
            if found is None:
                return False
            repository, kind = found
            digest = fingerprint(kind, content)
            same = (learnings.c.repository == repository) & (learnings.c.digest == digest) & ~row
            if await connection.scalar(select(learnings.c.id).where(same)) is not None:
                return False
            changed = {"content": content, "digest": digest, "approved_by": by}
            await connection.execute(update(learnings).where(row).values(changed))
            return True

    async def _change(self, learning: int, **values: object) -> bool:
        changed = update(learnings).where(learnings.c.id == learning).values(values).returning(learnings.c.id)
        async with self._database.writing() as connection:
            return await connection.scalar(changed) is not None

    async def forget(self, learning: int) -> bool:
        gone = delete(learnings).where(learnings.c.id == learning).returning(learnings.c.id)
        async with self._database.writing() as connection:
            return await connection.scalar(gone) is not None


async def add_learnings(
    connection: Connection, repository: RepositoryId, case: CaseId, observations: Sequence[Observation]
) -> None:
    """Counts each observation once per case, also if a turn is committed again. The caller holds the case's lock.

    A learning that a person has removed is not brought back by the same case.
    """
    known = {fingerprint(seen.type, seen.content): seen for seen in observations if one_line(seen.content)}
    for digest in sorted(known):  # always in this order, so that two cases can't deadlock
        key = {"case": case, "key": f"learned/{digest}"}
        first_time = insert_or_stop(connection, record_keys).values(key).returning(record_keys.c.key)
        if await connection.scalar(first_time) is not None:
            await _count(connection, repository, case, digest, known[digest])


async def repository_of(connection: Connection, case: CaseId) -> RepositoryId:
    found = select(cases.c.repository).where(cases.c.id == case)
    return RepositoryId((await connection.execute(found)).scalar_one())


async def _count(
    connection: Connection, repository: RepositoryId, case: CaseId, digest: str, seen: Observation
) -> None:
    newest: dict[str, object] = {"last_case": case, "last_at": now()}
    row = newest | {
        "repository": repository,
        "digest": digest,
        "type": seen.type,
        "content": seen.content,
        "seen": 1,
        "first_case": case,
        "first_at": newest["last_at"],
    }
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    await connection.execute(
        insert(learnings)
        .values(row)
        .on_conflict_do_update(
            index_elements=[learnings.c.repository, learnings.c.digest], set_=newest | {"seen": learnings.c.seen + 1}
        )
    )
