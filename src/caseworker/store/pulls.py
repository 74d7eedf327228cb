"""Pull requests, with a case of ours or without. Whether one was merged is seen by the forge, which tells us."""

from typing import Literal

from sqlalchemy import ColumnElement, func, select, update

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId, RepositoryId, Sha
from caseworker.ports import PullRequest
from caseworker.store.connection import Connection
from caseworker.store.port import Port
from caseworker.store.repository_tables import pulls
from caseworker.store.rows import insert_or_stop, lock_repository


class StoredPulls(Port):
    async def create(self, pull: PullRequest) -> PullRequest:
        same_head = (pulls.c.repository == pull.repository) & (pulls.c.head == pull.head) & (pulls.c.state == "open")
        newest = select(func.max(pulls.c.number)).where(pulls.c.repository == pull.repository)
        async with self._database.writing() as connection:
            await lock_repository(connection, pull.repository)
            number = (await connection.scalar(newest) or 0) + 1
            row = pull.model_dump(mode="json") | {"number": number, "state": "open"}
            await connection.execute(insert_or_stop(connection, pulls).values(row))
            return (await _read(connection, same_head))[0]

    async def keep(self, pull: PullRequest) -> PullRequest:
        this = (pulls.c.repository == pull.repository) & (pulls.c.number == pull.number)
        told = {name: getattr(pull, name) for name in ("title", "body", "base", "head_sha", "state", "url")}
        async with self._database.writing() as connection:
            await lock_repository(connection, pull.repository)
            await connection.execute(insert_or_stop(connection, pulls).values(pull.model_dump(mode="json")))
            await connection.execute(update(pulls).where(this).values(told))
            return (await _read(connection, this))[0]

    async def update(self, pull: PullRequest) -> PullRequest:
        this = (pulls.c.repository == pull.repository) & (pulls.c.number == pull.number)
        told = {"title": pull.title, "body": pull.body, "head_sha": pull.head_sha}
        async with self._database.writing() as connection:
            await connection.execute(update(pulls).where(this).values(told))
            found = await _read(connection, this)
        if not found:
            raise Refused(f"There is no pull request {pull.number} in {pull.repository}.")
        return found[0]

    async def find(self, repository: RepositoryId, head: str) -> PullRequest | None:
        async with self._database.reading() as connection:
            found = await _read(connection, (pulls.c.repository == repository) & (pulls.c.head == head))
        return found[-1] if found else None

    async def numbered(self, repository: RepositoryId, number: int) -> PullRequest | None:
        async with self._database.reading() as connection:
            found = await _read(connection, (pulls.c.repository == repository) & (pulls.c.number == number))
        return found[0] if found else None

    async def of(self, case: CaseId) -> list[PullRequest]:
        async with self._database.reading() as connection:
            return await _read(connection, pulls.c.case == case)

    async def open_ones(self) -> list[PullRequest]:
        async with self._database.reading() as connection:
            return await _read(connection, pulls.c.state == "open")

    async def with_commit(self, commit: Sha) -> list[PullRequest]:
        async with self._database.reading() as connection:
            return await _read(connection, (pulls.c.head_sha == commit) & (pulls.c.state == "open"))

    async def set_state(
        self, repository: RepositoryId, number: int, state: Literal["open", "merged", "closed"]
    ) -> None:
        row = update(pulls).where(pulls.c.repository == repository, pulls.c.number == number)
        async with self._database.writing() as connection:
            if await connection.scalar(row.values(state=state).returning(pulls.c.number)) is None:
                raise Refused(f"There is no pull request {number} in {repository}.")


async def _read(connection: Connection, condition: ColumnElement[bool]) -> list[PullRequest]:
    """Oldest first."""
    query = select(*pulls.c).where(condition).order_by(pulls.c.repository, pulls.c.number)
    rows = (await connection.execute(query)).mappings()
    return [PullRequest.model_validate({column.key: row[column] for column in pulls.c}) for row in rows]
