"""Opening a database: migrations, several processes at once, and what a person is told when it fails."""

import asyncio
import os
import sqlite3
import subprocess
import sys
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import text

import caseworker.store.migrations
from caseworker.core.base.errors import Refused, Transient
from caseworker.store.database import connect
from caseworker.store.migrations import HEAD, REVISIONS
from caseworker.store.store import open_store
from tests.databases import PostgresServer
from tests.edges.store_examples import open_case, said
from tests.edges.store_processes import Process, let_off


def test_the_list_of_revisions_is_the_one_alembic_finds() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(caseworker.store.migrations.__file__).parent))
    found = [script.revision for script in ScriptDirectory.from_config(config).walk_revisions()]
    assert tuple(reversed(found)) == REVISIONS


@pytest.mark.slow
async def test_four_processes_that_open_an_empty_database_at_once_all_succeed(empty_url: str) -> None:
    assert let_off([Process("open", empty_url) for _ in range(4)]) == [["0"]] * 4


async def test_a_database_of_a_newer_version_is_refused_and_left_alone(store_url: str) -> None:
    database = connect(store_url)
    async with database.writing() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    await database.close()
    with pytest.raises(Refused) as refused:
        await open_store(store_url)
    assert str(refused.value) == (
        f"This database was made by a newer version of Caseworker (its revision is 9999, ours is {HEAD}). "
        "Update Caseworker, or use another database."
    )


def test_opening_a_database_that_is_up_to_date_does_not_import_alembic(migrated_file: Path) -> None:
    program = (
        "import asyncio, sys\n"
        "from caseworker.store.store import open_store\n"
        "async def main():\n"
        f"    await (await open_store('sqlite:///{migrated_file}')).close()\n"
        "asyncio.run(main())\n"
        "sys.exit('alembic' in sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, env=os.environ | {"PYTHONPATH": "src"})


# --- SQLite ----------------------------------------------------------------------------------------------------------


async def test_a_sqlite_file_is_made_with_its_folders_and_in_wal_mode(tmp_path: Path) -> None:
    file = tmp_path / "a" / "b" / "caseworker.db"
    store = await open_store(f"sqlite:///{file}")
    async with store.database.reading() as connection:
        pragmas = [
            await connection.scalar(text(f"PRAGMA {name}")) for name in ("journal_mode", "foreign_keys", "busy_timeout")
        ]
    assert pragmas == ["wal", 1, 10_000]
    await store.close()


async def test_many_readers_at_once_never_wait_for_a_connection(tmp_path: Path) -> None:
    store = await open_store(f"sqlite:///{tmp_path / 'caseworker.db'}")
    case = await open_case(store)
    async with AsyncExitStack() as open_for_long:
        for _ in range(20):
            reading = await open_for_long.enter_async_context(store.database.reading())
            assert await reading.scalar(text("SELECT count(*) FROM cases")) == 1
        assert await store.inbox.put(said(case)) is not None
    await store.close()


async def test_every_write_waits_for_the_disk(tmp_path: Path) -> None:
    store = await open_store(f"sqlite:///{tmp_path / 'caseworker.db'}")
    async with store.database.writing() as connection:
        assert await connection.scalar(text("PRAGMA synchronous")) == 2
    await store.close()


async def test_while_another_process_writes_readers_go_on_and_writers_fail_as_busy(tmp_path: Path) -> None:
    file = tmp_path / "caseworker.db"
    store = await open_store(f"sqlite:///{file}?timeout=0.05")
    case = await open_case(store)
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert [stored.case.id for stored in await store.cases.list()] == [case]
    with pytest.raises(Transient, match="The database is busy"):
        await store.inbox.put(said(case))
    other.execute("ROLLBACK")
    other.close()
    assert await store.inbox.put(said(case)) is not None
    await store.close()


async def test_waiting_for_another_writer_does_not_block_the_process(tmp_path: Path) -> None:
    file = tmp_path / "caseworker.db"
    store = await open_store(f"sqlite:///{file}")
    case = await open_case(store)
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    waiting = asyncio.create_task(store.inbox.put(said(case)))
    for _ in range(50):
        assert [stored.case.id for stored in await store.cases.list()] == [case]
        await asyncio.sleep(0)
    assert not waiting.done()
    other.execute("ROLLBACK")
    other.close()
    assert await waiting is not None
    await store.close()


async def test_a_full_disk_is_reported_and_work_goes_on_when_there_is_space(tmp_path: Path) -> None:
    store = await open_store(f"sqlite:///{tmp_path / 'c.db'}")
    case = await open_case(store)
    async with store.database.writing() as connection:  # the pool has only this connection, which has the limit
        await connection.execute(text("PRAGMA max_page_count = 1"))
    with pytest.raises(Transient, match="The disk with the database is full"):
        await store.inbox.put(said(case, "x" * 60_000, id="late"))
    async with store.database.writing() as connection:
        await connection.execute(text("PRAGMA max_page_count = 1000000"))
    assert await store.inbox.put(said(case, "x" * 60_000, id="late")) is not None
    await store.close()


async def test_a_file_that_is_not_a_database_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("Dear diary, " * 200)
    with pytest.raises(Refused, match="is not a database of Caseworker's"):
        await open_store(f"sqlite:///{file}")


async def test_a_path_that_cannot_be_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="The database file can't be opened"):
        await open_store(f"sqlite:///{tmp_path}")
    (tmp_path / "file").touch()
    with pytest.raises(Refused, match="The database's folder can't be made"):
        await open_store(f"sqlite:///{tmp_path}/file/caseworker.db")


@pytest.mark.parametrize("url", ["nonsense", "mysql://localhost/x", "sqlite://", "sqlite+aiosqlite:///x.db"])
async def test_an_unsupported_url_is_refused_with_the_supported_ones(url: str) -> None:
    with pytest.raises(Refused, match=r"It is sqlite:///path or postgresql\+asyncpg://user@host/name"):
        await open_store(url)


# --- PostgreSQL ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["127.0.0.1:1", "nowhere.invalid:5432"])
async def test_a_server_that_does_not_answer_is_transient(address: str) -> None:
    with pytest.raises(Transient, match="The database does not answer"):
        await open_store(f"postgresql+asyncpg://postgres@{address}/caseworker")


async def test_a_database_that_does_not_exist_is_refused(postgres: PostgresServer) -> None:
    with pytest.raises(Refused, match="PostgreSQL has no database of that name"):
        await open_store(postgres.url("missing"))


async def test_an_unknown_user_is_refused(postgres: PostgresServer) -> None:
    with pytest.raises(Refused, match="PostgreSQL does not let us in"):
        await open_store(postgres.url("migrated").replace("postgres@", "stranger@"))


async def test_the_store_reconnects_after_its_connections_were_cut(postgres: PostgresServer) -> None:
    store = await open_store(await postgres.new_database(template="migrated"))
    case = await open_case(store)
    await postgres.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'test_%' AND pid <> pg_backend_pid()"
    )
    assert await store.inbox.put(said(case)) is not None
    await store.close()
