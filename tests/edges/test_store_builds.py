"""Builds on both databases."""

from caseworker.store.store import Store
from tests.edges.store_examples import build, open_case


async def test_builds_of_a_case_come_in_order_and_a_repeated_number_is_replaced(store: Store) -> None:
    case, other = await open_case(store, "One"), await open_case(store, "Two")
    await store.builds.save(case, build(2))
    await store.builds.save(case, build(1, output="first"))
    await store.builds.save(case, build(1, output="again"))
    await store.builds.save(other, build(1))
    assert await store.builds.of(case) == [build(1, output="again"), build(2)]
    assert await store.builds.of(other) == [build(1)]
