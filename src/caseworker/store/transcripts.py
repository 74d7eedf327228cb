"""Transcripts of agent sessions, entry by entry. The caller has to redact secrets."""

import json
from collections.abc import Sequence

from sqlalchemy import delete, func, select

from caseworker.core.base.ids import SessionId
from caseworker.store.columns import now, to_json
from caseworker.store.connection import Connection
from caseworker.store.port import Port
from caseworker.store.rows import insert_or_stop
from caseworker.store.tables import attempts, transcripts

_MAIN = ""
"""The subpath of a session's main transcript; other subpaths belong to its subagents."""


class StoredTranscripts(Port):
    async def append(
        self, session: SessionId, subpath: str, project: str, entries: Sequence[dict[str, object]]
    ) -> None:
        if not entries:
            return
        at = now()
        rows = [
            {
                "session": session,
                "subpath": subpath,
                "project": project,
                "uuid": entry.get("uuid"),
                "entry": to_json(entry),
                "at": at,
            }
            for entry in entries
        ]
        async with self._database.writing() as connection:
            if not await _is_fenced(connection, session):
                await connection.execute(insert_or_stop(connection, transcripts), rows)

    async def load(self, session: SessionId, subpath: str) -> list[dict[str, object]] | None:
        query = (
            select(transcripts.c.entry)
            .where(transcripts.c.session == session, transcripts.c.subpath == subpath)
            .order_by(transcripts.c.id)
        )
        async with self._database.reading() as connection:
            entries: list[dict[str, object]] = [json.loads(entry) for entry in await connection.scalars(query)]
        return entries or None

    async def sessions(self, project: str) -> list[tuple[SessionId, int]]:
        query = (
            select(transcripts.c.session, func.max(transcripts.c.at))
            .where(transcripts.c.project == project, transcripts.c.subpath == _MAIN)
            .group_by(transcripts.c.session)
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        return [(SessionId(session), int(at.timestamp() * 1_000)) for session, at in rows]

    async def subpaths(self, session: SessionId) -> list[str]:
        query = select(transcripts.c.subpath).where(transcripts.c.session == session, transcripts.c.subpath != _MAIN)
        async with self._database.reading() as connection:
            return list(await connection.scalars(query.distinct().order_by(transcripts.c.subpath)))

    async def delete(self, session: SessionId, subpath: str | None = None) -> None:
        async with self._database.writing() as connection:
            await delete_sessions(connection, [session], subpath=subpath)


async def delete_sessions(connection: Connection, sessions: Sequence[SessionId], *, subpath: str | None = None) -> None:
    rows = delete(transcripts).where(transcripts.c.session.in_(sessions))
    if subpath is not None:
        rows = rows.where(transcripts.c.subpath == subpath)
    await connection.execute(rows)


async def _is_fenced(connection: Connection, session: SessionId) -> bool:
    """Whether the session's attempt has ended: its process may still run and write, or another may write in its name.

    On PostgreSQL its row is locked while we write, so that a later attempt deletes the transcript after us.
    """
    query = select(attempts.c.state).where(attempts.c.session == session).with_for_update(read=True)
    return await connection.scalar(query) not in (None, "running")
