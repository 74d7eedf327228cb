"""Which conversation on a chat surface belongs to which case."""

from typing import Final

from sqlalchemy import bindparam, select

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId
from caseworker.core.people.messages import Audience
from caseworker.ports import Thread
from caseworker.store.connection import Connection
from caseworker.store.effects import end_effect
from caseworker.store.message_tables import threads
from caseworker.store.port import Port
from caseworker.store.rows import insert_or_stop, lock_case


class StoredThreads(Port):
    async def add(self, case: CaseId, audience: Audience, thread: Thread) -> Thread:
        async with self._database.writing() as connection:
            return await _bind(connection, case, audience, thread)

    async def begin(self, case: CaseId, audience: Audience, thread: Thread, *, effect: str) -> None:
        async with self._database.writing() as connection:
            await _bind(connection, case, audience, thread)
            await end_effect(connection, effect, {"place": thread.anchor})

    async def share(self, case: CaseId, audience: Audience, thread: Thread) -> None:
        async with self._database.writing() as connection:
            await lock_case(connection, case)
            await add_thread(connection, case, audience, thread, guest=True)

    async def find(self, thread: Thread) -> tuple[CaseId, Audience] | None:
        async with self._database.reading() as connection:
            return await find_thread(connection, thread)

    async def guests(self, thread: Thread) -> list[CaseId]:
        async with self._database.reading() as connection:
            return [CaseId(case) for case in await connection.scalars(_GUESTS, thread.model_dump())]

    async def bound(self, case: CaseId) -> list[tuple[Audience, Thread]]:
        async with self._database.reading() as connection:
            return await _bound(connection, case)


async def _bind(connection: Connection, case: CaseId, audience: Audience, thread: Thread) -> Thread:
    await lock_case(connection, case)
    if await add_thread(connection, case, audience, thread):
        return thread
    bound = await _bound(connection, case)
    first = next((one for whom, one in bound if whom is audience and one.surface == thread.surface), None)
    if first is None:
        raise Refused(
            f"The thread {thread.anchor or 'of the channel'} in {thread.channel} on {thread.surface} "
            "belongs to another conversation already."
        )
    return first


async def add_thread(
    connection: Connection, case: CaseId, audience: Audience, thread: Thread, *, guest: bool = False
) -> bool:
    """False: the case has one for this audience on this surface, or this thread belongs to another."""
    row = thread.model_dump() | {"case": case, "audience": audience, "guest": guest}
    added = insert_or_stop(connection, threads).values(row).returning(threads.c.case)
    return await connection.scalar(added) is not None


async def find_thread(connection: Connection, thread: Thread) -> tuple[CaseId, Audience] | None:
    found = (await connection.execute(_OWNER, thread.model_dump())).first()
    return None if found is None else (CaseId(found[0]), Audience(found[1]))


async def _bound(connection: Connection, case: CaseId) -> list[tuple[Audience, Thread]]:
    rows = (await connection.execute(_THREADS, {"of_case": case})).all()
    return [
        (Audience(audience), Thread(surface=surface, channel=channel, anchor=anchor))
        for audience, surface, channel, anchor in rows
    ]


_IS_IT: Final = (
    threads.c.surface == bindparam("surface"),
    threads.c.channel == bindparam("channel"),
    threads.c.anchor == bindparam("anchor"),
)
_OWNER: Final = select(threads.c.case, threads.c.audience).where(*_IS_IT, threads.c.guest.is_(False))
_GUESTS: Final = select(threads.c.case).where(*_IS_IT, threads.c.guest).order_by(threads.c.case)
_THREADS: Final = (
    select(threads.c.audience, threads.c.surface, threads.c.channel, threads.c.anchor)
    .where(threads.c.case == bindparam("of_case"))
    .order_by(threads.c.surface)
)
