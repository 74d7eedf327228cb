"""A case that is over can be removed, with every row of it, and nothing of another case."""

import pytest
from sqlalchemy import func, select

from caseworker.core.base.budget import Usage
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId, SessionId
from caseworker.core.issue.states import IssueState
from caseworker.core.record.entries import Noted
from caseworker.store.store import Store
from caseworker.store.tables import cases, metadata
from tests.app.issue_desk import move
from tests.edges.store_examples import begun, build, complete, open_case, pull


async def rows(store: Store) -> dict[str, int]:
    async with store.database.reading() as connection:
        return {
            table.name: int(await connection.scalar(select(func.count()).select_from(table)) or 0)
            for table in metadata.sorted_tables
        }


async def worked_on(store: Store, title: str, *, rehearsed: bool = True) -> CaseId:
    """A case with rows in many tables, closed."""
    case = await open_case(store, title)
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
    await store.cases.remove(case)
    left = {**await rows(store), "issues": before["issues"]}
    assert left == before
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
