"""Migrations meet real rows: `store_rows/<revision>.json` holds what the release with that revision had written.

The rows of 0001 were written by release 0.1.0: one case that was merged and closed up, one that is at work. Those of
0002 by release 0.2.0: a reported bug, and the case that fixes it. Those of 0003 by release 0.3.0: a case with a senior
developer at work, and what was learned before.
"""

from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path

import pytest
from pydantic import JsonValue, TypeAdapter
from sqlalchemy import Column, Connection, DateTime, LargeBinary, MetaData, insert, text

from caseworker.core.base.errors import Bug
from caseworker.core.base.ids import CaseId, RepositoryId, SessionId, effect_key
from caseworker.core.issue.case import Case
from caseworker.core.issue.states import IssueState
from caseworker.core.outcomes.answers import Observation
from caseworker.core.people.messages import Audience, Message, MessageKind, Standing
from caseworker.core.record.entries import CaseOpened, WorkspaceRemoved
from caseworker.ports import RunningAttempt
from caseworker.store.database import connect
from caseworker.store.store import Store, open_store
from caseworker.store.upgrade import migrate
from tests.edges.store_examples import TRACE, begun, build, kinds, new_bug, open_case, said
from tests.edges.store_processes import Process, let_off

DONE, AT_WORK = CaseId("local/shop#1"), CaseId("local/shop#2")
BUG, FIX = CaseId("bug-7F3K"), CaseId("local/shop#1")
_ROWS = TypeAdapter(dict[str, list[dict[str, JsonValue]]])


def rows_of(revision: str) -> dict[str, list[dict[str, JsonValue]]]:
    return _ROWS.validate_json((Path(__file__).parent / "store_rows" / f"{revision}.json").read_bytes())


def load(connection: Connection, revision: str) -> None:
    """Into the tables as they are there, not as tables.py has them today. Row numbers are the database's to give."""
    found = MetaData()
    found.reflect(connection)
    for name, rows in rows_of(revision).items():
        table = found.tables[name]
        for row in rows:
            values = {key: bindable(table.c[key], value) for key, value in row.items() if value is not None}
            connection.execute(insert(table).values(values))


def bindable(column: Column[object], value: JsonValue) -> object:
    match column.type:
        case DateTime():
            return datetime.fromisoformat(str(value))
        case LargeBinary():
            return bytes.fromhex(str(value))
        case _:
            return value


async def filled(url: str, revision: str) -> str:
    database = connect(url)
    await migrate(database, to=revision)
    async with database.writing() as connection:
        await connection.run_sync(load, revision)
    await database.close()
    return url


@pytest.fixture
async def url_of_0_1_0(empty_url: str) -> str:
    return await filled(empty_url, "0001")


@pytest.fixture
async def upgraded(url_of_0_1_0: str) -> AsyncIterator[Store]:
    store = await open_store(url_of_0_1_0)
    try:
        yield store
    finally:
        await store.close()


@pytest.fixture
async def upgraded_from_0_2_0(empty_url: str) -> AsyncIterator[Store]:
    store = await open_store(await filled(empty_url, "0002"))
    try:
        yield store
    finally:
        await store.close()


@pytest.fixture
async def upgraded_from_0_3_0(empty_url: str) -> AsyncIterator[Store]:
    store = await open_store(await filled(empty_url, "0003"))
    try:
        yield store
    finally:
        await store.close()


async def test_cases_of_0_1_0_are_issue_cases_with_their_snapshots_and_files(upgraded: Store) -> None:
    at_work, done = await upgraded.cases.list()
    assert (at_work.case.id, done.case.id) == (AT_WORK, DONE)
    snapshots = [Case.model_validate(row["snapshot"]) for row in rows_of("0001")["cases"]]
    assert [done.case, at_work.case] == snapshots
    assert (done.title, done.number, done.rehearsal, done.parent) == ("Checkout is broken", 1, "turns: []", None)
    assert done.file.triage.scope == "SMALL"
    assert [question.question for question in done.file.communication.questions] == ["Which page?"]
    assert done.case.state is IssueState.COMPLETED
    assert not done.case.analysed
    assert await upgraded.bugs.list() == []
    assert await upgraded.cases.unfinished() == [AT_WORK]
    assert await upgraded.cases.at_work() == 1


async def test_messages_of_0_1_0_are_read_as_they_were_and_the_unclaimed_are_claimed(upgraded: Store) -> None:
    stored = [*await upgraded.inbox.of(DONE), *await upgraded.inbox.of(AT_WORK)]
    before = [
        Message.model_validate(
            {key: value for key, value in row.items() if key != "case_id" and value is not None}
            | {"case": row["case_id"], "id": number}
        )
        for number, row in enumerate(rows_of("0001")["messages"], start=1)
    ]
    assert stored == before
    assert [(case, kind) for case, _, kind in await upgraded.inbox.unclaimed()] == [
        (AT_WORK, MessageKind.ANSWER),
        (AT_WORK, MessageKind.CLOSE),
    ]
    heard = await upgraded.inbox.overhear(AT_WORK, 2, {Standing.REPORTER})
    assert [message.author for message in heard] == ["grace"]
    assert await upgraded.inbox.put(said(DONE, id="merge-1")) is None
    assert await upgraded.inbox.put(said(DONE)) is not None


async def test_the_record_of_0_1_0_is_read_entry_by_entry(upgraded: Store) -> None:
    for case in (DONE, AT_WORK):
        entries = await upgraded.record.read(case)
        written = [row for row in rows_of("0001")["record"] if row["case_id"] == case]
        assert [entry.entry.model_dump(mode="json") for entry in entries] == [row["body"] for row in written]
        assert [entry.sequence for entry in entries] == [row["sequence"] for row in written]
        assert [entry.at.isoformat() for entry in entries] == [row["at"] for row in written]
    assert isinstance((await upgraded.record.read(DONE))[0].entry, CaseOpened)


async def test_turns_of_0_1_0_stay_finished_and_the_one_at_work_can_be_begun_again(upgraded: Store) -> None:
    (finished,) = await upgraded.turns.finished(DONE)
    assert (finished.turn, finished.session) == (1, SessionId("31911f35-d4ec-5d21-8c20-ef5535ab8e7d"))
    assert await upgraded.transcripts.load(finished.session, "") == [{"type": "user", "uuid": "u1", "text": "go"}]
    assert await upgraded.turns.running() == [
        RunningAttempt(case=AT_WORK, turn=2, number=1, worker="host-1", activity=b"token")
    ]
    assert (await upgraded.ledger.spent(AT_WORK)).micros == 1_200 + 500  # settled, and held back by the one at work
    assert (await begun(upgraded, AT_WORK, 2)).number == 2


async def test_effects_builds_and_pull_requests_of_0_1_0_are_there(upgraded: Store) -> None:
    pushed, new = await upgraded.effects.intend(effect_key(DONE, 1, "push", 1), DONE, "push", {})
    assert (pushed.done, pushed.intent, new) == (True, {"branch": "agent/issue-1"}, False)
    unknown, new = await upgraded.effects.intend(effect_key(AT_WORK, 1, "push", 2), AT_WORK, "push", {})
    assert (unknown.done, new) == (False, False)
    assert await upgraded.builds.of(DONE) == [build()]
    assert [pull.state for pull in await upgraded.pulls.of(DONE)] == ["merged"]
    issue = await upgraded.repositories.issue(RepositoryId("local/shop"), 2)
    assert issue is not None
    assert issue.body == "Since 9:40.\nOrder 1182."


async def test_a_case_that_0_1_0_closed_up_is_not_closed_up_twice(upgraded: Store) -> None:
    before = await kinds(upgraded, DONE)
    await upgraded.turns.close_up(DONE, WorkspaceRemoved(), trace=TRACE)
    assert await kinds(upgraded, DONE) == before


async def test_an_upgraded_database_takes_new_cases_of_both_kinds(upgraded: Store) -> None:
    case = await open_case(upgraded, "One more")
    bug, new = await new_bug(upgraded)
    assert (case, new) == (CaseId("local/shop#3"), True)
    assert await upgraded.cases.unfinished() == sorted([bug, case, AT_WORK])


async def test_a_bug_of_0_2_0_is_there_with_its_threads_its_files_and_its_fix(upgraded_from_0_2_0: Store) -> None:
    store = upgraded_from_0_2_0
    (bug,), (fix,) = await store.bugs.list(), await store.cases.list()
    snapshots = [row["snapshot"] for row in rows_of("0002")["cases"]]
    assert [bug.case.model_dump(mode="json"), fix.parent] == [snapshots[0], BUG]
    assert fix.case == Case.model_validate(snapshots[1])
    assert fix.file.review.verdict == "APPROVED"
    assert {audience: thread.anchor for audience, thread in (await store.threads.of(BUG)).items()} == {
        Audience.REPORTER: "17.5",
        Audience.DEVELOPERS: "18.5",
    }
    assert [(file.title, file.content, file.is_missing) for file in await store.attachments.of(BUG)] == [
        ("shot.png", b"\x89PNG", False),
        ("log.txt", b"", True),
    ]
    assert [kind for _, _, kind in await store.inbox.unclaimed()] == [MessageKind.FIX_NEWS, MessageKind.WORDS]
    for case in (BUG, FIX):
        written = [row["body"] for row in rows_of("0002")["record"] if row["case_id"] == case]
        assert [entry.entry.model_dump(mode="json") for entry in await store.record.read(case)] == written


async def test_turns_of_0_2_0_are_read_and_what_comes_next_is_learned(upgraded_from_0_2_0: Store) -> None:
    store = upgraded_from_0_2_0
    (investigated,), (reviewed,) = await store.turns.finished(BUG), await store.turns.finished(FIX)
    assert [investigated.outcome.status, reviewed.outcome.status] == ["create_fix", "APPROVED"]
    assert await store.learnings.of() == []
    await store.learnings.add(RepositoryId("local/shop"), FIX, reviewed.outcome.observations)
    await store.learnings.add(RepositoryId("local/shop"), FIX, [Observation(type="pattern", content="Cents.")])
    known = await store.learnings.of(RepositoryId("local/shop"))
    assert sorted(learning.content for learning in known) == ["Cents.", "Prices are Decimal."]


async def test_a_case_of_0_3_0_goes_on_with_what_it_had_and_what_was_learned(upgraded_from_0_3_0: Store) -> None:
    store, written = upgraded_from_0_3_0, rows_of("0003")
    (stored,) = await store.cases.list()
    assert stored.case == Case.model_validate(written["cases"][0]["snapshot"])
    assert (stored.case.state, stored.case.senior) == (IssueState.FIXING_ISSUES, True)
    assert [turn.outcome.status for turn in await store.turns.finished(FIX)] == ["PROCEED", "READY"]
    assert [entry.entry.model_dump(mode="json") for entry in await store.record.read(FIX)] == [
        row["body"] for row in written["record"]
    ]
    known = await store.learnings.of(RepositoryId("local/shop"))
    assert [learning.content for learning in known] == ["Money is kept in cents.", "The cart is cached."]


async def test_the_developer_of_0_3_0_that_was_at_work_is_begun_again_and_gets_a_place(
    upgraded_from_0_3_0: Store,
) -> None:
    store = upgraded_from_0_3_0
    (running,) = await store.turns.running()
    assert (await begun(store, running.case, running.turn)).number == 2
    assert await store.places.ask(running.case, running.turn, most=1, queue=True)
    assert not await store.places.ask(running.case, running.turn + 1, most=1, queue=False)


@pytest.mark.slow
async def test_four_processes_that_upgrade_a_database_at_once_all_find_its_cases(url_of_0_1_0: str) -> None:
    assert let_off([Process("open", url_of_0_1_0) for _ in range(4)]) == [["2"]] * 4


async def test_an_upgraded_database_knows_no_other_kind_of_case(upgraded: Store) -> None:
    with pytest.raises(Bug):
        async with upgraded.database.writing() as connection:
            await connection.execute(text("UPDATE cases SET kind = 'pull'"))


async def test_a_change_of_the_tables_that_leaves_a_row_alone_is_taken_back(tmp_path: Path) -> None:
    store = await open_store(f"sqlite:///{tmp_path / 'caseworker.db'}")
    case = await open_case(store)
    with pytest.raises(Bug, match="refers to nothing"):
        async with store.database.rebuilding() as connection:
            await connection.execute(text("DELETE FROM cases"))
    assert await store.cases.load(case) is not None
    with pytest.raises(Bug):  # and references are looked at again
        async with store.database.writing() as connection:
            await connection.execute(text("DELETE FROM cases"))
    await store.close()
