"""Repositories and their issues."""

import asyncio
import json
import re
from collections.abc import Set
from hashlib import sha256
from itertools import count

from sqlalchemy import ColumnElement, func, select

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import RepositoryId
from caseworker.core.base.repositories import LocalRepository, RemoteRepository, RepositoryRef
from caseworker.ports import Issue, NewIssue
from caseworker.store.columns import now
from caseworker.store.connection import Connection
from caseworker.store.database import Database
from caseworker.store.port import Port
from caseworker.store.repository_tables import issues, repositories
from caseworker.store.rows import insert_or_stop, lock_repository, read_ref


class StoredRepositories(Port):
    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._refs: dict[RepositoryId, RepositoryRef] = {}
        """Asked for at every step of a case; a repository that is registered stays where it is."""

    async def register(self, repository: RepositoryRef) -> RepositoryId:
        ref = await _resolved(repository)
        name, place = _id_of(ref), ref.model_dump(mode="json")
        known = select(repositories.c.id).where(*(repositories.c[column] == place[column] for column in place))
        async with self._database.reading() as connection:
            found = await connection.scalar(known)
        if found is not None:
            return RepositoryId(found)
        async with self._database.writing() as connection:
            for nth in count(1):
                row = {"id": name if nth == 1 else f"{name}-{nth}", **place, "registered_at": now()}
                await connection.execute(insert_or_stop(connection, repositories).values(row))
                found = await connection.scalar(known)  # ours, or another's who registered this one just before
                if found is not None:
                    break
        return RepositoryId(str(found))

    async def ref(self, repository: RepositoryId) -> RepositoryRef:
        if repository not in self._refs:
            async with self._database.reading() as connection:
                self._refs[repository] = await read_ref(connection, repository)
        return self._refs[repository]

    async def new_issue(self, repository: RepositoryId, issue: NewIssue, *, taken: Set[int] = frozenset()) -> Issue:
        digest = sha256(json.dumps([issue.title, issue.body]).encode()).hexdigest()
        newest = select(func.max(issues.c.number)).where(issues.c.repository == repository)
        async with self._database.writing() as connection:
            await lock_repository(connection, repository)
            number = issue.number or _next_free(await connection.scalar(newest) or 0, taken)
            row = issue.model_dump(mode="json") | {
                "repository": repository,
                "number": number,
                "digest": digest,
                "created_at": now(),
            }
            await connection.execute(insert_or_stop(connection, issues).values(row))
            same_text = await _read(connection, (issues.c.repository == repository) & (issues.c.digest == digest))
        if not same_text:
            raise Refused(
                f"{repository} has an issue {number} already, and its text is another.",
                todo="Leave the number out to get the next free one.",
            )
        return same_text[0]

    async def issue(self, repository: RepositoryId, number: int) -> Issue | None:
        async with self._database.reading() as connection:
            found = await _read(connection, (issues.c.repository == repository) & (issues.c.number == number))
        return found[0] if found else None

    async def issues(self, repository: RepositoryId) -> list[Issue]:
        async with self._database.reading() as connection:
            return await _read(connection, issues.c.repository == repository)


async def _resolved(repository: RepositoryRef) -> RepositoryRef:
    """A folder has one name here, whichever way it was reached."""
    match repository:
        case LocalRepository(path=path):
            return LocalRepository(path=await asyncio.to_thread(path.resolve))
        case RemoteRepository():
            return repository


def _id_of(repository: RepositoryRef) -> RepositoryId:
    """Before anybody else has it. Of a folder's name, without characters that would end an id, and no dots alone."""
    match repository:
        case LocalRepository(path=path):
            name = re.sub(r"[^\w.-]+", "-", path.name).strip(".-")
            return RepositoryId(f"local/{name or 'repository'}")
        case RemoteRepository(owner=owner, name=name):
            return RepositoryId(f"{owner}/{name}")


async def _read(connection: Connection, condition: ColumnElement[bool]) -> list[Issue]:
    query = select(*issues.c).where(condition).order_by(issues.c.number)
    rows = (await connection.execute(query)).mappings()
    return [Issue.model_validate({name: row[issues.c[name]] for name in Issue.model_fields}) for row in rows]


def _next_free(newest: int, taken: Set[int]) -> int:
    number = newest + 1
    while number in taken:
        number += 1
    return number
