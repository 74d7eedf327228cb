"""Learnings on both databases: one row for the same words, counted once per case."""

import asyncio

import pytest

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId, RepositoryId
from caseworker.core.casefile.learnings import Learning
from caseworker.core.outcomes.answers import Observation
from caseworker.core.record.entries import WorkspaceRemoved
from caseworker.store.learnings import repository_of
from caseworker.store.store import Store
from tests.edges.store_examples import TRACE, open_bug, open_case
from tests.patience import PATIENCE

SHOP = RepositoryId("local/shop")


def noted(*contents: str, type: str = "pattern_discovered") -> list[Observation]:
    return [Observation(type=type, content=content) for content in contents]


async def known(store: Store, repository: RepositoryId | None = SHOP) -> dict[str, int]:
    return {learning.content: learning.seen for learning in await store.learnings.of(repository)}


async def only(store: Store) -> Learning:
    (learning,) = await store.learnings.of(SHOP)
    return learning


async def test_an_observation_is_kept_with_the_case_that_made_it(store: Store) -> None:
    case = await open_case(store)
    await store.learnings.add(SHOP, case, noted("Prices are Decimal."))
    learning = await only(store)
    assert (learning.repository, learning.type, learning.content) == (SHOP, "pattern_discovered", "Prices are Decimal.")
    assert (learning.seen, learning.first_case, learning.last_case) == (1, case, case)
    assert learning.first_at == learning.last_at
    assert learning.first_at.utcoffset() is not None


async def test_the_same_words_of_another_case_are_counted_and_the_first_wording_stays(store: Store) -> None:
    first, second = await open_case(store, "One"), await open_case(store, "Two")
    await store.learnings.add(SHOP, first, noted("Prices are Decimal."))
    before = await only(store)
    await store.learnings.add(SHOP, second, noted("  prices\nARE   decimal. ", type="Pattern_Discovered"))
    after = await only(store)
    assert after == before.model_copy(update={"seen": 2, "last_case": second, "last_at": after.last_at})
    assert after.last_at >= before.last_at


async def test_other_words_or_another_type_make_another_learning(store: Store) -> None:
    case = await open_case(store)
    await store.learnings.add(SHOP, case, [*noted("a", "b"), *noted("a", type="pitfall")])
    assert sorted((learning.type, learning.content) for learning in await store.learnings.of(SHOP)) == [
        ("pattern_discovered", "a"),
        ("pattern_discovered", "b"),
        ("pitfall", "a"),
    ]


async def test_repeated_observations_of_a_case_count_once(store: Store) -> None:
    case = await open_case(store)
    for _ in range(3):
        await store.learnings.add(SHOP, case, noted("a", "A", "b"))
    assert list((await known(store)).values()) == [1, 1]


async def test_a_removed_learning_can_come_back_only_from_another_case(store: Store) -> None:
    first, second = await open_case(store, "One"), await open_case(store, "Two")
    await store.learnings.add(SHOP, first, noted("a", "b"))
    forgotten = next(learning for learning in await store.learnings.of() if learning.content == "a")
    assert await store.learnings.forget(forgotten.id)
    assert not await store.learnings.forget(forgotten.id)
    await store.learnings.add(SHOP, first, noted("a"))
    assert await known(store) == {"b": 1}
    await store.learnings.add(SHOP, second, noted("a"))
    assert await known(store) == {"a": 1, "b": 1}
    assert forgotten.id not in [learning.id for learning in await store.learnings.of()]


async def test_learnings_of_repositories_are_separate(store: Store) -> None:
    case, bug = await open_case(store), await open_bug(store)
    await store.learnings.add(SHOP, case, noted("a"))
    await store.learnings.add(RepositoryId("local/other"), bug, noted("a"))
    assert await known(store) == {"a": 1}
    assert [learning.repository for learning in await store.learnings.of()] == ["local/other", SHOP]
    assert await known(store, RepositoryId("local/none")) == {}


async def test_learnings_outlive_their_case(store: Store) -> None:
    case = await open_case(store)
    await store.learnings.add(SHOP, case, noted("a"))
    await store.turns.close_up(case, WorkspaceRemoved(), trace=TRACE)
    assert await known(store) == {"a": 1}


async def test_empty_learnings_are_dropped_and_unstorable_characters_replaced(store: Store) -> None:
    case = await open_case(store)
    await store.learnings.add(SHOP, case, [])
    await store.learnings.add(SHOP, case, noted("", " \n\t", "a\x00b"))
    assert await known(store) == {"a\ufffdb": 1}


async def test_ten_cases_that_learn_the_same_at_once_count_ten_and_never_deadlock(store: Store) -> None:
    cases = [await open_case(store, f"Issue {number}") for number in range(10)]
    words = [f"word {number}" for number in range(5)]
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(
            *(
                store.learnings.add(SHOP, case, noted(*words[place % 5 :], *words[: place % 5]))
                for place, case in enumerate(cases)
            )
        )
    assert await known(store) == dict.fromkeys(words, 10)


async def test_a_case_that_does_not_exist_is_refused(store: Store) -> None:
    with pytest.raises(Refused, match="There is no case local/shop#9"):
        await store.learnings.add(SHOP, CaseId("local/shop#9"), noted("a"))


async def test_the_repository_is_found_for_both_kinds_of_case(store: Store) -> None:
    case, bug = await open_case(store), await open_bug(store)
    async with store.database.reading() as connection:
        assert [await repository_of(connection, each) for each in (case, bug)] == [SHOP, SHOP]


async def test_an_owner_approves_and_edits_a_learning(store: Store) -> None:
    case = await open_case(store)
    await store.learnings.add(SHOP, case, noted("Prices are Decimal.", "Ids are strings."))
    first, second = await store.learnings.of(SHOP)

    assert await store.learnings.approve(first.id, by="ada")
    assert await store.learnings.edit(second.id, "Ids are UUIDs.", by="ada")
    assert not await store.learnings.edit(second.id, "prices are  decimal.", by="ada")  # another one says it
    assert not await store.learnings.approve(999, by="ada")

    assert [(one.content, one.approved_by) for one in await store.learnings.of(SHOP)] == [
        ("Prices are Decimal.", "ada"),
        ("Ids are UUIDs.", "ada"),
    ]
