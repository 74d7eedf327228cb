"""Pull requests on both databases: one open one per branch."""

import asyncio

import pytest

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import RepositoryId
from caseworker.store.store import Store
from tests.edges.store_examples import open_case, pull


async def test_of_ten_that_open_the_same_pull_request_all_get_the_first(store: Store) -> None:
    case = await open_case(store)
    made = await asyncio.gather(*(store.pulls.create(pull(case)) for _ in range(10)))
    assert {found.number for found in made} == {1}
    assert await store.pulls.of(case) == [made[0]]


async def test_other_branches_get_the_next_numbers(store: Store) -> None:
    case = await open_case(store)
    heads = [f"agent/issue-{number}" for number in range(6)]
    made = await asyncio.gather(*(store.pulls.create(pull(case, head=head)) for head in heads))
    assert sorted(found.number for found in made) == [1, 2, 3, 4, 5, 6]


async def test_after_a_pull_request_was_closed_its_branch_may_have_a_new_one(store: Store) -> None:
    case = await open_case(store)
    first = await store.pulls.create(pull(case))
    await store.pulls.set_state(first.repository, first.number, "closed")
    assert await store.pulls.open_ones() == []
    second = await store.pulls.create(pull(case))
    assert second.number == 2
    assert await store.pulls.find(first.repository, first.head) == second
    assert [found.state for found in await store.pulls.of(case)] == ["closed", "open"]
    assert await store.pulls.open_ones() == [second]


async def test_a_pull_request_gets_another_title_text_and_commit_and_nothing_else(store: Store) -> None:
    case = await open_case(store)
    first = await store.pulls.create(pull(case))
    told = {"title": "Fix more", "body": "Both.", "head_sha": "b" * 40}
    changed = first.model_copy(update={**told, "state": "merged", "url": "elsewhere"})
    assert await store.pulls.update(changed) == first.model_copy(update=told)
    assert await store.pulls.of(case) == [first.model_copy(update=told)]


async def test_an_unknown_pull_request_cannot_be_updated(store: Store) -> None:
    unknown = pull(await open_case(store)).model_copy(update={"number": 9})
    with pytest.raises(Refused, match="There is no pull request 9 in local/shop"):
        await store.pulls.update(unknown)


async def test_a_pull_request_can_be_of_no_case_of_ours(store: Store) -> None:
    case = await open_case(store)
    ours = await store.pulls.create(pull(case))
    other = await store.pulls.create(pull(None, head="their-branch"))
    assert (other.number, other.case) == (2, None)
    assert await store.pulls.find(other.repository, "their-branch") == other
    assert await store.pulls.open_ones() == [ours, other]
    assert await store.pulls.of(case) == [ours]


async def test_a_branch_without_a_pull_request_has_none(store: Store) -> None:
    assert await store.pulls.find(RepositoryId("local/shop"), "agent/issue-1") is None


async def test_the_state_of_an_unknown_pull_request_cannot_be_set(store: Store) -> None:
    with pytest.raises(Refused, match="There is no pull request 9 in local/shop"):
        await store.pulls.set_state(RepositoryId("local/shop"), 9, "merged")
