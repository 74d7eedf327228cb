"""Rules that owners gave for reviews. The same rule is kept once."""

from typing import Final

from sqlalchemy import delete, select

from caseworker.core.base.ids import RepositoryId
from caseworker.core.casefile.review_learnings import Provenance, ReviewLearning, Rule, digest_of
from caseworker.store.chat_tables import review_learnings
from caseworker.store.columns import now
from caseworker.store.port import Port
from caseworker.store.rows import insert_or_stop

_COLUMNS: Final = tuple(review_learnings.c[name] for name in ReviewLearning.model_fields)


class StoredReviewLearnings(Port):
    async def add(self, repository: RepositoryId, rule: Rule, provenance: Provenance) -> ReviewLearning:
        digest = digest_of(rule)
        row = rule.model_dump() | provenance.model_dump() | {"repository": repository, "digest": digest, "at": now()}
        same = (review_learnings.c.repository == repository) & (review_learnings.c.digest == digest)
        async with self._database.writing() as connection:
            await connection.execute(insert_or_stop(connection, review_learnings).values(row))
            kept = (await connection.execute(select(*_COLUMNS).where(same))).mappings().one()
        return ReviewLearning.model_validate(dict(kept))

    async def of(self, repository: RepositoryId) -> list[ReviewLearning]:
        query = select(*_COLUMNS).where(review_learnings.c.repository == repository).order_by(review_learnings.c.id)
        async with self._database.reading() as connection:
            return [ReviewLearning.model_validate(dict(row)) for row in (await connection.execute(query)).mappings()]

    async def forget(self, learning: int) -> bool:
        gone = delete(review_learnings).where(review_learnings.c.id == learning).returning(review_learnings.c.id)
        async with self._database.writing() as connection:
            return await connection.scalar(gone) is not None
