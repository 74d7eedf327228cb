"""Migrations: they make the tables that the program uses, and rows of earlier versions can be read after them.

Every revision has a data file in store_rows/. All tests with `store` run once for each file, on both databases.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import pytest
from pydantic import BaseModel, JsonValue
from sqlalchemy import Connection, inspect, text

from caseworker.core.base.errors import Defect
from caseworker.core.base.ids import CaseId, RepositoryId, effect_key
from caseworker.core.people.messages import Audience
from caseworker.store.database import connect
from caseworker.store.migrations import HEAD, REVISIONS
from caseworker.store.store import Store, open_store
from caseworker.store.tables import metadata
from caseworker.store.upgrade import migrate
from tests.edges.store_examples import begun, build, open_bug, open_case, said
from tests.edges.store_rows import Rows, load, read, rows_of

FIX = CaseId("local/shop#1")


@pytest.fixture(params=REVISIONS)
def revision(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def rows(revision: str) -> Rows:
    return rows_of(revision)


@pytest.fixture
async def store(empty_url: str, revision: str) -> AsyncIterator[Store]:
    """A database of that revision with the rows of its data file, opened by this version."""
    database = connect(empty_url)
    await migrate(database, to=revision)
    async with database.writing() as connection:
        await connection.run_sync(load, revision)
    await database.close()
    opened = await open_store(empty_url)
    try:
        yield opened
    finally:
        await opened.close()


# --- The schema ------------------------------------------------------------------------------------------------------


def schema(connection: Connection) -> set[str]:
    """The schema of our tables as the database reports it: a line for each column, constraint and index, unordered."""
    found = inspect(connection)
    readers: dict[str, Callable[[str], Sequence[object]]] = {
        "column": found.get_columns,
        "primary key": lambda table: [found.get_pk_constraint(table)],
        "reference": found.get_foreign_keys,
        "unique": found.get_unique_constraints,
        "check": found.get_check_constraints,
        "index": found.get_indexes,
    }
    lines = {
        f"{table} {what}: {_described(part)}"
        for table in metadata.tables
        for what, read_parts in readers.items()
        for part in read_parts(table)
    }
    return lines | _autoincremented(connection)


def _described(part: object) -> str:
    """A description with the text of conditions, which SQLAlchemy gives as objects."""
    if isinstance(part, dict):
        return ", ".join(f"{key}={_described(value)}" for key, value in sorted(part.items()))
    return str(part)


def _autoincremented(connection: Connection) -> set[str]:
    """Tables of SQLite that never reuse a number, which the inspector does not report."""
    if connection.dialect.name != "sqlite":
        return set()
    tables = connection.scalars(text("SELECT name FROM sqlite_master WHERE sql LIKE '%AUTOINCREMENT%'"))
    return {f"{table} is autoincremented" for table in tables}


def make_anew(connection: Connection) -> None:
    connection.execute(text("DROP VIEW bug_conversations"))
    metadata.drop_all(connection)
    metadata.create_all(connection)


async def test_migrations_make_the_schema_of_the_metadata(empty_url: str) -> None:
    database = connect(empty_url)
    await migrate(database)
    async with database.rebuilding() as connection:
        migrated = await connection.run_sync(schema)
        await connection.run_sync(make_anew)
        assert migrated == await connection.run_sync(schema)
    await database.close()


async def test_check_constraints_have_their_tables_name_only_once(empty_url: str) -> None:
    """Alembic would add the prefix of the naming convention to a name that has it already."""
    database = connect(empty_url)
    await migrate(database)
    async with database.reading() as connection:
        found = await connection.run_sync(schema)
    names = {(line.split()[0], line.partition("name=")[2].split(",")[0]) for line in found if " check: " in line}
    assert ("pulls", "ck_pulls_state") in names
    assert all(name.startswith(f"ck_{table}_") and name.count("ck_") == 1 for table, name in names)
    await database.close()


async def test_a_rebuild_that_breaks_a_reference_is_rolled_back(tmp_path: Path) -> None:
    store = await open_store(f"sqlite:///{tmp_path / 'caseworker.db'}")
    case = await open_case(store)
    with pytest.raises(Defect, match="refers to nothing"):
        async with store.database.rebuilding() as connection:
            await connection.execute(text("DELETE FROM cases"))
    assert await store.cases.load(case) is not None
    with pytest.raises(Defect):  # foreign keys are checked again afterwards
        async with store.database.writing() as connection:
            await connection.execute(text("DELETE FROM cases"))
    await store.close()


# --- The rows --------------------------------------------------------------------------------------------------------


def holds(value: BaseModel, written: JsonValue) -> bool:
    """Whether nothing that was written is lost. There may be additional, newer fields."""
    assert isinstance(written, dict)
    found = value.model_dump(mode="json")
    return found | written == found


def test_the_newest_data_file_has_rows_of_every_table() -> None:
    """`python -m tests.edges.store_rows` writes this file anew."""
    assert {name for name, found in rows_of(HEAD).items() if found} == set(metadata.tables)


@pytest.mark.parametrize("revision", [HEAD])
async def test_rows_are_read_back_as_they_are_in_the_file(store: Store, rows: Rows) -> None:
    async with store.database.reading() as connection:
        assert await connection.run_sync(read) == rows


async def test_the_bug_and_the_case_that_fixes_it_are_read(store: Store, rows: Rows) -> None:
    (bug,), (asked, fix) = await store.bugs.list(), await store.cases.list()
    for case, row in zip((asked.case, bug.case, fix.case), rows["cases"], strict=True):
        assert holds(case, row["snapshot"])
    assert (bug.report, fix.case.id, fix.title) == ("checkout says 500 since 9:40", FIX, "Checkout is broken")
    assert fix.parent == bug.case.id
    assert await store.cases.unfinished() == [asked.case.id, bug.case.id, FIX]
    assert {audience: thread.anchor for audience, thread in dict(await store.threads.bound(bug.case.id)).items()} == {
        Audience.REPORTER: "17.5",
        Audience.DEVELOPERS: "18.5",
    }


async def test_messages_and_their_files_are_read_and_the_unclaimed_wait(store: Store) -> None:
    (bug,) = await store.bugs.list()
    said_before = [*await store.inbox.of(bug.case.id), *await store.inbox.of(FIX)]
    assert [(message.id, message.text, message.turn) for message in said_before] == [
        (1, "checkout says 500 since 9:40", None),
        (2, "Here it is.", None),
        (3, "it is broken", 1),
        (4, "Since 9:40.", None),
    ]
    assert [message for _, message, _ in await store.inbox.unclaimed()] == [1, 2, 4, 5]
    assert [(file.title, file.content) for file in await store.attachments.of(bug.case.id)] == [
        ("shot.png", b"\x89PNG"),
        ("log.txt", b""),
    ]
    assert await store.inbox.put(said(FIX, id="late")) is None
    assert await store.inbox.put(said(FIX)) is not None


async def test_deliveries_and_the_run_that_was_asked_for_are_read(store: Store) -> None:
    listed = [(delivery.guid, delivery.outcome.kind) for delivery in await store.deliveries.list()]
    assert listed == [("9", "received"), ("8", "failed"), ("7", "dispatched")]
    asked = await store.dispatches.of("acme/shop#7 comment:9 created")
    assert asked is not None
    assert (asked.case, asked.workflow, asked.state) == ("acme/shop#7", "triage", None)
    (learning,) = await store.review_learnings.of(RepositoryId("acme/shop"))
    assert (learning.text, learning.glob) == ("Prices are cents.", "src/api/**")


async def test_the_record_is_read_entry_by_entry(store: Store, rows: Rows) -> None:
    (bug,) = await store.bugs.list()
    for case in (bug.case.id, FIX):
        entries = await store.record.read(case)
        written = [row for row in rows["record"] if row["case_id"] == case]
        assert [entry.sequence for entry in entries] == [row["sequence"] for row in written]
        assert all(holds(entry.entry, row["body"]) for entry, row in zip(entries, written, strict=True))


async def test_finished_turns_stay_finished_and_a_running_one_begins_again(store: Store) -> None:
    (finished,) = await store.turns.finished(FIX)
    assert (finished.turn, finished.outcome.status) == (1, "PROCEED")
    assert await store.transcripts.load(finished.session, "") == [{"type": "user", "uuid": "u1", "text": "go"}]
    assert [(running.case, running.turn) for running in await store.turns.running()] == [(FIX, 2)]
    # Settled, reserved by the running turn, and a single question.
    assert (await store.ledger.spent(FIX)).micros == 1_200 + 500 + 40
    assert (await begun(store, FIX, 2)).number == 2


async def test_builds_pull_requests_effects_and_learnings_are_read(store: Store) -> None:
    assert await store.builds.of(FIX) == [build()]
    assert [(pull.number, pull.state) for pull in await store.pulls.of(FIX)] == [(1, "open")]
    for number, done in ((1, True), (2, False)):
        effect, new = await store.effects.intend(effect_key(FIX, 1, "push", number), FIX, "push", {})
        assert (effect.done, effect.intent, new) == (done, {"branch": "agent/issue-1"}, False)
    assert [learning.content for learning in await store.learnings.of()] == ["Prices are cents."]


async def test_new_cases_of_both_kinds_can_be_opened_beside_the_old(store: Store) -> None:
    case, bug = await open_case(store, "One more"), await open_bug(store)
    assert case == CaseId("local/shop#2")
    assert {case, bug} < set(await store.cases.unfinished())
