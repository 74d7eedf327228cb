"""Which conversation on a chat surface belongs to which case."""

from sqlalchemy import select

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId
from caseworker.core.people.messages import Audience
from caseworker.ports import Thread
from caseworker.store.connection import Connection
from caseworker.store.message_tables import threads
from caseworker.store.port import Port
from caseworker.store.rows import insert_or_stop, lock_case


class StoredThreads(Port):
    async def add(self, case: CaseId, audience: Audience, thread: Thread) -> Thread:
        async with self._database.writing() as connection:
            await lock_case(connection, case)
            if await add_thread(connection, case, audience, thread):
                return thread
            first = (await _of(connection, case)).get(audience)
            if first is None:
                raise Refused(
                    f"The thread {thread.anchor or 'of the channel'} in {thread.channel} on {thread.surface} "
                    "belongs to another conversation already."
                )
            return first

    async def find(self, thread: Thread) -> tuple[CaseId, Audience] | None:
        async with self._database.reading() as connection:
            return await find_thread(connection, thread)

    async def of(self, case: CaseId) -> dict[Audience, Thread]:
        async with self._database.reading() as connection:
            return await _of(connection, case)


async def add_thread(connection: Connection, case: CaseId, audience: Audience, thread: Thread) -> bool:
    """False: the case has one for this audience, or this thread is taken."""
    row = thread.model_dump() | {"case": case, "audience": audience}
    added = insert_or_stop(connection, threads).values(row).returning(threads.c.case)
    return await connection.scalar(added) is not None


async def find_thread(connection: Connection, thread: Thread) -> tuple[CaseId, Audience] | None:
    query = select(threads.c.case, threads.c.audience).where(
        threads.c.surface == thread.surface, threads.c.channel == thread.channel, threads.c.anchor == thread.anchor
    )
    found = (await connection.execute(query)).first()
    return None if found is None else (CaseId(found[0]), Audience(found[1]))


async def _of(connection: Connection, case: CaseId) -> dict[Audience, Thread]:
    query = select(threads.c.audience, threads.c.surface, threads.c.channel, threads.c.anchor)
    rows = (await connection.execute(query.where(threads.c.case == case))).all()
    return {
        Audience(audience): Thread(surface=surface, channel=channel, anchor=anchor)
        for audience, surface, channel, anchor in rows
    }
