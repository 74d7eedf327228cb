"""Migrates a database to the newest revision, one process at a time. Imports Alembic only if there is work."""

from pathlib import Path

from sqlalchemy import Connection as PlainConnection
from sqlalchemy import text

from caseworker.core.base.errors import Refused
from caseworker.store.connection import Connection
from caseworker.store.database import Database
from caseworker.store.migrations import HEAD, REVISIONS

_SCRIPTS = Path(__file__).parent / "migrations"
_ADVISORY_LOCK = 0x_CA5E_0001
"""The key of this lock among the advisory locks of a PostgreSQL database."""
_FIND_VERSION_TABLE = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'alembic_version'",
    "postgresql": "SELECT to_regclass('alembic_version')::text",
}


async def migrate(database: Database, *, to: str = HEAD) -> None:
    """Upgrades to `to`; never downgrades. Tests pass an earlier revision to load rows of that time."""
    async with database.reading() as connection:
        if await _revision(connection) == to:
            return
    await database.prepare()
    async with database.rebuilding() as connection:  # on SQLite this takes the write lock
        if not database.is_sqlite:
            await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _ADVISORY_LOCK})
        if await _revision(connection) != to:  # another process may have been faster
            await connection.run_sync(_upgrade, to)


async def _revision(connection: Connection) -> str | None:
    """The revision of the database; None if it is empty."""
    if await connection.scalar(text(_FIND_VERSION_TABLE[connection.dialect.name])) is None:
        return None
    found = await connection.scalar(text("SELECT version_num FROM alembic_version"))
    if found is None:
        return None
    if found not in REVISIONS:
        raise Refused(
            f"This database was made by a newer version of Caseworker (its revision is {found}, ours is {HEAD}).",
            todo="Update Caseworker, or use another database.",
        )
    return str(found)


def _upgrade(connection: PlainConnection, to: str) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, to)
