"""Our changes to the outside world: a row with the intent before each, and its result afterwards."""

from sqlalchemy import delete, select, update

from caseworker.core.base.errors import Defect
from caseworker.core.base.ids import CaseId
from caseworker.ports import Effect
from caseworker.store.columns import now
from caseworker.store.connection import Connection
from caseworker.store.port import Port
from caseworker.store.rows import insert_or_stop, lock_case
from caseworker.store.tables import effects


class StoredEffects(Port):
    async def intend(self, key: str, case: CaseId, kind: str, intent: dict[str, str]) -> tuple[Effect, bool]:
        """Adds the intent. A row that exists keeps its first intent: that is what may have been done already."""
        row = {"key": key, "case": case, "kind": kind, "intent": intent, "result": {}, "intended_at": now()}
        stored = select(effects.c.intent, effects.c.result, effects.c.done_at).where(effects.c.key == key)
        async with self._database.writing() as connection:
            await lock_case(connection, case)
            added = insert_or_stop(connection, effects).values(row).returning(effects.c.key)
            new = await connection.scalar(added) is not None
            first_intent, result, done_at = (await connection.execute(stored)).one()
        return Effect(key=key, done=done_at is not None, intent=first_intent, result=result), new

    async def beginning(self, kind: str, intent: dict[str, str]) -> bool:
        """Whether an effect with exactly this intent was begun and its result is not known."""
        query = select(effects.c.intent).where(effects.c.kind == kind, effects.c.done_at.is_(None))
        async with self._database.reading() as connection:
            return any(found == intent for found in await connection.scalars(query))

    async def done(self, key: str, result: dict[str, str]) -> None:
        async with self._database.writing() as connection:
            await end_effect(connection, key, result)

    async def withdraw(self, key: str) -> None:
        async with self._database.writing() as connection:
            await connection.execute(delete(effects).where(effects.c.key == key, effects.c.done_at.is_(None)))


async def end_effect(connection: Connection, key: str, result: dict[str, str]) -> None:
    first_time = update(effects).where(effects.c.key == key, effects.c.done_at.is_(None))
    await connection.execute(first_time.values(result=result, done_at=now()))
    if await connection.scalar(select(effects.c.key).where(effects.c.key == key)) is None:
        raise Defect(f"The effect {key} was done without having been intended.")
