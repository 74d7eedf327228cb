"""Repositories on this disk and their issues."""

import asyncio
import json
import re
from collections.abc import Set
from hashlib import sha256
from itertools import count
from pathlib import Path

from sqlalchemy import ColumnElement, func, select

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import RepositoryId
from caseworker.ports import Issue, NewIssue
from caseworker.store.columns import now
from caseworker.store.connection import Connection
from caseworker.store.database import Database
from caseworker.store.port import Port
from caseworker.store.rows import insert_or_stop, lock_repository
from caseworker.store.tables import issues, repositories


class StoredRepositories(Port):
    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._paths: dict[RepositoryId, Path] = {}
        """Asked for at every step of a case; a repository that is registered stays where it is."""

    async def register(self, path: Path) -> RepositoryId:
        resolved = await asyncio.to_thread(path.resolve)
        name = _folder_name(resolved)
        known = select(repositories.c.id).where(repositories.c.path == str(resolved))
        async with self._database.reading() as connection:
            found = await connection.scalar(known)
        if found is not None:
            return RepositoryId(found)
        async with self._database.writing() as connection:
            for nth in count(1):
                row = {"id": name if nth == 1 else f"{name}-{nth}", "path": str(resolved), "registered_at": now()}
                await connection.execute(insert_or_stop(connection, repositories).values(row))
                found = await connection.scalar(known)  # ours, or another's who registered this path just before
                if found is not None:
                    break
        return RepositoryId(str(found))

    async def path_of(self, repository: RepositoryId) -> Path:
        if repository in self._paths:
            return self._paths[repository]
        query = select(repositories.c.path).where(repositories.c.id == repository)
        async with self._database.reading() as connection:
            found = await connection.scalar(query)
        if found is None:
            raise Refused(f"There is no repository {repository} here.", todo="Name its folder to register it.")
        self._paths[repository] = Path(found)
        return self._paths[repository]

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


def _folder_name(path: Path) -> str:
    """As a repository's id needs it: no characters that would end it, no dots alone."""
    name = re.sub(r"[^\w.-]+", "-", path.name).strip(".-")
    return f"local/{name or 'repository'}"


async def _read(connection: Connection, condition: ColumnElement[bool]) -> list[Issue]:
    query = select(*issues.c).where(condition).order_by(issues.c.number)
    rows = (await connection.execute(query)).mappings()
    return [Issue.model_validate({name: row[issues.c[name]] for name in Issue.model_fields}) for row in rows]


def _next_free(newest: int, taken: Set[int]) -> int:
    number = newest + 1
    while number in taken:
        number += 1
    return number
