"""The record on both databases: one order per case, nothing twice, nothing dropped."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId
from caseworker.core.evidence.builds import CommandRun, Purpose, Stage
from caseworker.core.record.entries import BODY_LIMIT, AgentSaid, BuildRan, Noted, ToolReturned
from caseworker.store.columns import to_json
from caseworker.store.store import Store
from tests.edges.store_examples import HEAD, TRACE, open_case


async def notes(store: Store, case: CaseId) -> list[str]:
    return [found.entry.text for found in await store.record.read(case) if isinstance(found.entry, Noted)]


async def test_entries_written_at_the_same_time_have_one_order_without_gaps(store: Store) -> None:
    case = await open_case(store)
    batches = [[Noted(text=f"{batch}.1"), Noted(text=f"{batch}.2")] for batch in range(25)]
    await asyncio.gather(*(store.record.append(case, batch, trace=TRACE) for batch in batches))
    recorded = await store.record.read(case)
    assert [found.sequence for found in recorded] == list(range(1, 53))
    written = await notes(store, case)
    pairs = list(zip(written[::2], written[1::2], strict=True))
    assert sorted(pairs) == sorted((f"{batch}.1", f"{batch}.2") for batch in range(25))


async def test_each_case_has_its_own_sequence_numbers(store: Store) -> None:
    one, two = await open_case(store, "One"), await open_case(store, "Two")
    await store.record.append(one, [Noted(text="a"), Noted(text="b")], trace=TRACE)
    await store.record.append(two, [Noted(text="c")], trace=TRACE)
    assert [found.sequence for found in await store.record.read(one)] == [1, 2, 3, 4]
    assert [found.sequence for found in await store.record.read(two)] == [1, 2, 3]


async def test_a_key_that_was_used_before_writes_nothing(store: Store) -> None:
    case = await open_case(store)
    await asyncio.gather(*(store.record.append(case, [Noted(text="once")], trace=TRACE, key="k") for _ in range(10)))
    assert await notes(store, case) == ["once"]
    await store.record.append(case, [Noted(text="another")], trace=TRACE, key="k2")
    assert [found.sequence for found in await store.record.read(case)] == [1, 2, 3, 4]


async def test_a_key_belongs_to_its_case(store: Store) -> None:
    for case in (await open_case(store, "One"), await open_case(store, "Two")):
        await store.record.append(case, [Noted(text="once")], trace=TRACE, key="k")
        assert await notes(store, case) == ["once"]


async def test_reading_goes_on_after_a_sequence_number_and_stops_at_the_limit(store: Store) -> None:
    case = await open_case(store)
    await store.record.append(case, [Noted(text=str(number)) for number in range(10)], trace=TRACE)
    assert [found.sequence for found in await store.record.read(case, after=4, limit=3)] == [5, 6, 7]
    assert await store.record.read(case, after=12) == []


async def test_times_are_utc_and_the_trace_is_kept(store: Store) -> None:
    found = (await store.record.read(await open_case(store)))[0]
    assert found.at.tzinfo is UTC
    assert datetime.now(UTC) - found.at < timedelta(minutes=1)
    assert (found.trace, found.version) == (TRACE, 1)


async def test_an_entry_that_is_too_long_is_clipped_and_not_dropped(store: Store) -> None:
    case = await open_case(store)
    long = ToolReturned(turn=1, call="c", ok=True, output="начало " + "х" * 200_000 + " конец")
    runs = [
        CommandRun(purpose=Purpose.TEST, command=f"test {n}", exit_code=0, seconds=1, output="y" * 8_000)
        for n in range(30)
    ]
    many = BuildRan(number=1, stage=Stage.HEAD, commit=HEAD, verdict="green", reason="", runs=runs)
    await store.record.append(case, [long, many, AgentSaid(turn=1, text="short")], trace=TRACE)
    cut, build, short = (found.entry for found in (await store.record.read(case))[-3:])
    assert isinstance(cut, ToolReturned)
    assert cut.output.startswith("начало ")
    assert cut.output.endswith(" конец")
    assert "[cut: " in cut.output
    assert isinstance(build, BuildRan)
    assert [run.command for run in build.runs] == [f"test {n}" for n in range(30)]
    assert all(len(to_json(entry.model_dump(mode="json")).encode()) <= BODY_LIMIT for entry in (cut, build))
    assert short == AgentSaid(turn=1, text="short")


async def test_an_entry_with_a_nul_is_read_back_unchanged(store: Store) -> None:
    case = await open_case(store)
    await store.record.append(case, [Noted(text="a\x00b")], trace=TRACE)
    assert await notes(store, case) == ["a\x00b"]


async def test_the_record_of_a_case_that_does_not_exist_is_refused(store: Store) -> None:
    with pytest.raises(Refused, match="There is no case local/shop#7"):
        await store.record.append(CaseId("local/shop#7"), [Noted(text="x")], trace=TRACE)
