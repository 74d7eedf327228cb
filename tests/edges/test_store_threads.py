"""Threads on both databases: one per case and audience, and never one for two cases."""

import asyncio

import pytest

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId
from caseworker.core.people.messages import Audience
from caseworker.ports import Thread
from caseworker.store.store import Store
from tests.edges.store_examples import open_bug

REPORTS = Thread(surface="slack", channel="C1", anchor="17.5")
SUMMARY = Thread(surface="slack", channel="C2", anchor="18.1")


async def test_the_threads_of_a_case_are_given_by_audience_and_found_by_their_names(store: Store) -> None:
    case = await open_bug(store, thread=REPORTS)
    assert await store.threads.add(case, Audience.DEVELOPERS, SUMMARY) == SUMMARY
    assert dict(await store.threads.bound(case)) == {Audience.REPORTER: REPORTS, Audience.DEVELOPERS: SUMMARY}
    assert await store.threads.find(REPORTS) == (case, Audience.REPORTER)
    assert await store.threads.find(SUMMARY) == (case, Audience.DEVELOPERS)


async def test_a_thread_is_found_only_by_all_three_of_its_names(store: Store) -> None:
    await open_bug(store, thread=REPORTS)
    for change in ({"surface": "teams"}, {"channel": "C9"}, {"anchor": "17.6"}, {"anchor": ""}):
        assert await store.threads.find(REPORTS.model_copy(update=change)) is None


async def test_of_ten_threads_added_at_once_for_one_audience_the_first_stays(store: Store) -> None:
    case = await open_bug(store)
    tries = [SUMMARY.model_copy(update={"anchor": str(number)}) for number in range(10)]
    given = await asyncio.gather(*(store.threads.add(case, Audience.DEVELOPERS, thread) for thread in tries))
    assert given == [given[0]] * 10
    assert dict(await store.threads.bound(case)) == {Audience.DEVELOPERS: given[0]}


async def test_the_same_thread_added_again_is_given_back(store: Store) -> None:
    case = await open_bug(store, thread=REPORTS)
    assert await store.threads.add(case, Audience.REPORTER, REPORTS) == REPORTS


async def test_a_thread_of_another_conversation_is_refused(store: Store) -> None:
    await open_bug(store, thread=REPORTS)
    case = await open_bug(store)
    with pytest.raises(Refused, match="belongs to another conversation already"):
        await store.threads.add(case, Audience.DEVELOPERS, REPORTS)
    assert dict(await store.threads.bound(case)) == {}


async def test_a_thread_for_a_case_that_does_not_exist_is_refused(store: Store) -> None:
    with pytest.raises(Refused, match="There is no case bug-0000"):
        await store.threads.add(CaseId("bug-0000"), Audience.REPORTER, REPORTS)
