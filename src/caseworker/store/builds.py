"""Builds of a case: the commands that were run on a commit, and their results."""

from typing import Final

from sqlalchemy import bindparam, select
from sqlalchemy.dialects import postgresql, sqlite

from caseworker.core.base.ids import CaseId
from caseworker.core.evidence.builds import Build
from caseworker.store.columns import now
from caseworker.store.port import Port
from caseworker.store.rows import lock_case
from caseworker.store.tables import builds

_OF: Final = select(builds.c.build).where(builds.c.case == bindparam("of_case")).order_by(builds.c.number)


class StoredBuilds(Port):
    async def save(self, case: CaseId, build: Build) -> None:
        contents = {"build": build.model_dump(mode="json"), "saved_at": now()}
        insert = sqlite.insert if self._database.is_sqlite else postgresql.insert
        row = insert(builds).values({"case": case, "number": build.number} | contents)
        async with self._database.writing() as connection:
            await lock_case(connection, case)
            await connection.execute(
                row.on_conflict_do_update(index_elements=[builds.c.case, builds.c.number], set_=contents)
            )

    async def of(self, case: CaseId) -> list[Build]:
        async with self._database.reading() as connection:
            return [Build.model_validate(build) for build in await connection.scalars(_OF, {"of_case": case})]
