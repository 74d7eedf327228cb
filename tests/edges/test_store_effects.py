"""Effects on both databases: one intent, one result."""

import asyncio

import pytest

from caseworker.core.base.errors import Defect
from caseworker.ports import Effect
from caseworker.store.store import Store
from tests.edges.store_examples import open_case


async def test_of_ten_concurrent_intents_for_one_effect_one_is_first(store: Store) -> None:
    case = await open_case(store)
    tries = (store.effects.intend("k", case, "push", {"commit": str(number)}) for number in range(10))
    results = await asyncio.gather(*tries)
    assert [new for _, new in results].count(True) == 1
    assert len({effect.intent["commit"] for effect, _ in results}) == 1


async def test_an_effect_that_was_intended_but_not_done_is_reported_so(store: Store) -> None:
    case = await open_case(store)
    await store.effects.intend("k", case, "push", {"branch": "b"})
    effect, new = await store.effects.intend("k", case, "push", {"branch": "another"})
    assert (effect, new) == (Effect(key="k", done=False, intent={"branch": "b"}, result={}), False)


async def test_the_first_result_of_an_effect_stays(store: Store) -> None:
    case = await open_case(store)
    await store.effects.intend("k", case, "push", {})
    await store.effects.done("k", {"commit": "abc"})
    await store.effects.done("k", {"commit": "def"})
    effect, new = await store.effects.intend("k", case, "push", {})
    assert (effect.done, effect.result, new) == (True, {"commit": "abc"}, False)


async def test_a_result_without_an_intent_is_a_defect(store: Store) -> None:
    with pytest.raises(Defect):
        await store.effects.done("never", {})


async def test_an_effect_under_way_is_found_by_its_exact_intent_until_it_is_done(store: Store) -> None:
    case = await open_case(store)
    begins = {"channel": "C0SUMMARY", "begins": "a thread"}
    await store.effects.intend("k", case, "post", begins)
    assert await store.effects.beginning("post", begins)
    assert not await store.effects.beginning("post", {**begins, "channel": "C0OTHER"})
    assert not await store.effects.beginning("push", begins)
    await store.effects.done("k", {})
    assert not await store.effects.beginning("post", begins)


async def test_a_withdrawn_intent_is_new_again_and_a_result_stays(store: Store) -> None:
    case = await open_case(store)
    await store.effects.intend("k", case, "post", {})
    await store.effects.withdraw("k")
    _, new = await store.effects.intend("k", case, "post", {})
    assert new
    await store.effects.done("k", {"place": "1.2"})
    await store.effects.withdraw("k")
    effect, new = await store.effects.intend("k", case, "post", {})
    assert (effect.done, new) == (True, False)
