"""A case that is over can be removed, with every row of it, and nothing of another case."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select

from caseworker.app.parts import make_source
from caseworker.app.retention import Retention
from caseworker.core.base.budget import Usage
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId, SessionId
from caseworker.core.issue.states import IssueState
from caseworker.core.people.discussion import Side
from caseworker.core.people.messages import Audience
from caseworker.core.record.entries import Noted
from caseworker.core.runs.chat_modes import ChatTurn, Say
from caseworker.ports import Thread
from caseworker.store.store import Store, open_store
from caseworker.store.tables import cases, metadata
from caseworker.workspaces.worktrees import GitWorkspaces
from tests.app.issue_desk import move
from tests.edges.store_examples import begun, build, complete, open_case, pull


async def rows(store: Store) -> dict[str, int]:
    async with store.database.reading() as connection:
        return {
            table.name: int(await connection.scalar(select(func.count()).select_from(table)) or 0)
            for table in metadata.sorted_tables
        }


async def worked_on(store: Store, title: str, *, rehearsed: bool = True, parent: CaseId | None = None) -> CaseId:
    """A case with rows in many tables, closed."""
    case = await open_case(store, title, parent=parent)
    attempt = await begun(store, case)
    paid = await store.ledger.reserve(attempt, model="m", micros=10, cap_micros=100, rehearsed=rehearsed)
    assert paid is not None
    await store.ledger.settle(paid, Usage(input_tokens=1), 5)
    await store.transcripts.append(SessionId(attempt.session), "", "p", [{"uuid": "1"}])
    await complete(store, attempt)
    await store.builds.save(case, build())
    await move(store, case, Noted(text="closed by a test"), state=IssueState.CLOSED)
    async with store.database.writing() as connection:
        await connection.execute(cases.update().where(cases.c.id == case).values(over=True))
    return case


async def test_a_removed_case_leaves_the_rows_of_the_others(store: Store) -> None:
    await worked_on(store, "One")
    before = await rows(store)
    case = await worked_on(store, "Two")
    await store.pulls.create(pull(case))
    thread = Thread(surface="github", channel="shop", anchor="1")
    await store.threads.add(case, Audience.DEVELOPERS, thread)
    said = ChatTurn(
        comment="1", author="ada", side=Side.OWNER, said="hello", act=Say(text="hello"), at=datetime.now(UTC)
    )
    await store.chat_threads.commit(thread, said)
    await store.cases.remove(case)
    assert await rows(store) == before
    assert await store.cases.find(case) is None


async def test_an_open_case_is_not_removed(store: Store) -> None:
    case = await open_case(store)
    with pytest.raises(Refused, match=r"is not over.*caseworker close shop/1"):
        await store.cases.remove(case)
    assert await store.cases.find(case) is not None


async def test_money_that_the_daily_budget_counts_is_not_removed(store: Store) -> None:
    case = await worked_on(store, "One", rehearsed=False)
    with pytest.raises(Refused, match="spent money within 24 hours"):
        await store.cases.remove(case)


async def test_a_case_is_removed_when_its_retention_time_is_over(store: Store, tmp_path: Path) -> None:
    bug = await worked_on(store, "Old")
    fix = await worked_on(store, "Its fix", parent=bug)
    recent, still_open = await worked_on(store, "New"), await open_case(store, "Open")
    long_ago = datetime.now(UTC) - timedelta(days=31)
    async with store.database.writing() as connection:
        old = cases.c.id.in_([bug, fix, still_open])
        await connection.execute(cases.update().where(old).values(changed_at=long_ago))
    workspaces = GitWorkspaces(tmp_path, source=make_source())
    await Retention(store=store, workspaces=workspaces, days=30).look()
    assert {stored.case.id for stored in await store.cases.all()} == {recent, still_open}


async def test_a_parent_is_kept_as_long_as_its_child(store: Store, tmp_path: Path) -> None:
    bug = await worked_on(store, "Old")
    fix = await worked_on(store, "Its fix", parent=bug)
    async with store.database.writing() as connection:
        long_ago = datetime.now(UTC) - timedelta(days=31)
        await connection.execute(cases.update().where(cases.c.id == bug).values(changed_at=long_ago))
    await Retention(store=store, workspaces=GitWorkspaces(tmp_path, source=make_source()), days=30).look()
    assert {stored.case.id for stored in await store.cases.all()} == {bug, fix}


async def test_the_words_of_a_removed_case_are_not_left_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "caseworker.db"
    store = await open_store(f"sqlite:///{file}")
    try:
        case = await worked_on(store, "Xylophone")
        await store.cases.remove(case)
    finally:
        await store.close()
    assert b"Xylophone" not in file.read_bytes()
