"""The inbox on both databases: nothing is lost, nothing is taken twice."""

import asyncio

import pytest

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId
from caseworker.core.people.commands import Close, MessageKind, Resolution
from caseworker.core.people.messages import Standing
from caseworker.core.record.entries import MessageRecorded, MessagesClaimed
from caseworker.store.store import Store, open_store
from tests.edges.store_examples import begun, complete, kinds, open_case, said
from tests.edges.store_processes import Process, let_off


async def test_fifty_concurrent_deliveries_of_one_external_id_make_one_message(store: Store) -> None:
    case = await open_case(store)
    results = await asyncio.gather(*(store.inbox.put(said(case, id="delivery-7")) for _ in range(50)))
    assert len([message for message in results if message is not None]) == 1
    assert [message.external_id for message in await store.inbox.of(case)].count("delivery-7") == 1
    assert (await kinds(store, case)).count("message_recorded") == 2  # the first message of the case, and this one


async def test_a_put_message_is_given_back_with_its_id_and_time_and_is_in_the_record(store: Store) -> None:
    case = await open_case(store)
    message = await store.inbox.put(said(case, "since 9:40", kind=MessageKind.ANSWER))
    assert message is not None
    assert message in await store.inbox.of(case)
    assert message.received_at.utcoffset() is not None
    last = (await store.record.read(case))[-1].entry
    assert isinstance(last, MessageRecorded)
    assert (last.message, last.message_kind, last.text) == (message.id, MessageKind.ANSWER, "since 9:40")


async def test_a_message_with_characters_that_no_database_stores_is_kept(store: Store) -> None:
    case = await open_case(store)
    assert await store.inbox.put(said(case, "a\x00b ✓ Привет")) is not None
    assert (await store.inbox.of(case))[-1].text == "a\ufffdb ✓ Привет"


async def test_a_message_to_a_case_that_does_not_exist_is_refused(store: Store) -> None:
    with pytest.raises(Refused, match="There is no case local/shop#99"):
        await store.inbox.put(said(CaseId("local/shop#99")))


async def test_a_repeated_claim_gives_the_same_messages_and_takes_what_came_since(store: Store) -> None:
    case = await open_case(store)
    await store.inbox.put(said(case, "second"))
    first = await store.inbox.claim(case, turn=1)
    assert await store.inbox.claim(case, turn=1) == first
    assert [message.text for message in first] == ["it is broken", "second"]
    await store.inbox.put(said(case, "third"))
    assert [message.text for message in await store.inbox.claim(case, turn=1)] == ["it is broken", "second", "third"]
    assert await store.inbox.claim(case, turn=2) == []


async def test_the_record_has_one_claim_of_each_message(store: Store) -> None:
    case = await open_case(store)
    await store.inbox.claim(case, turn=1)
    await store.inbox.claim(case, turn=1)
    late = await store.inbox.put(said(case))
    assert late is not None
    await store.inbox.claim(case, turn=1)
    claims = [found.entry for found in await store.record.read(case) if isinstance(found.entry, MessagesClaimed)]
    assert [len(claim.messages) for claim in claims] == [1, 1]
    assert claims[1].messages == [late.id]


async def test_concurrent_claims_of_different_turns_share_no_message(store: Store) -> None:
    case = await open_case(store)
    for _ in range(10):
        await store.inbox.put(said(case))
    claims = await asyncio.gather(*(store.inbox.claim(case, turn) for turn in range(1, 6)))
    claimed = [message.id for claim in claims for message in claim]
    assert len(claimed) == len(set(claimed)) == 11


async def test_unclaimed_messages_of_every_case_are_listed_until_they_are_claimed(store: Store) -> None:
    one, two = await open_case(store, "One"), await open_case(store, "Two")
    close = await store.inbox.put(said(two, kind=MessageKind.CLOSE))
    assert close is not None
    await store.inbox.claim(one, turn=1)
    waiting = await store.inbox.unclaimed()
    assert [(case, kind) for case, _, kind in waiting] == [(two, MessageKind.WORDS), (two, MessageKind.CLOSE)]
    assert waiting[1][1] == close.id


async def test_the_first_outcome_of_a_message_stays(store: Store) -> None:
    case = await open_case(store)
    claimed = await store.inbox.claim(case, turn=1)
    await store.inbox.settle([message.id for message in claimed], "answered")
    await store.inbox.settle([message.id for message in claimed], "declined", refused=True)
    assert [(message.outcome, message.refused) for message in await store.inbox.of(case)] == [("answered", False)]


async def test_a_message_keeps_that_it_was_refused(store: Store) -> None:
    case = await open_case(store)
    [message] = await store.inbox.claim(case, turn=1)
    await store.inbox.settle([message.id], "not done: it is over", refused=True)
    assert [message.refused for message in await store.inbox.of(case)] == [True]


async def test_a_message_put_with_an_outcome_is_not_unclaimed(store: Store) -> None:
    case = await open_case(store)
    await store.inbox.claim(case, turn=1)
    third = await store.inbox.put(said(case, standing=Standing.OTHER, outcome="not the reporter"))
    assert third is not None
    assert (third.turn, third.outcome) == (0, "not the reporter")
    assert third in await store.inbox.of(case)
    assert await store.inbox.unclaimed() == []
    assert await store.inbox.claim(case, turn=2) == []
    assert (await kinds(store, case))[-1] == "message_recorded"


# --- references ------------------------------------------------------------------------------------------------------


async def test_a_message_is_found_by_its_surface_and_its_reference(store: Store) -> None:
    case = await open_case(store)
    message = said(case, kind=MessageKind.CLOSE, reference="C1/17.5")
    command = Close(resolution=Resolution.DATA_FIX, reason="the row was wrong")
    put = await store.inbox.put(message.model_copy(update={"refers_to": "C1/17.1", "command": command}))
    assert put is not None
    assert await store.inbox.find("cli", "C1/17.5") == put
    assert (put.refers_to, put.command) == ("C1/17.1", command)
    assert await store.inbox.find("slack", "C1/17.5") is None
    assert await store.inbox.find("cli", "C1/17.1") is None


async def test_fifty_deliveries_with_different_ids_and_one_reference_make_one_message(store: Store) -> None:
    case = await open_case(store)
    tries = (store.inbox.put(said(case, id=f"event-{number}", reference="C1/17.5")) for number in range(50))
    assert len([message for message in await asyncio.gather(*tries) if message is not None]) == 1
    assert len(await store.inbox.of(case)) == 2


async def test_messages_without_a_reference_do_not_collide_and_are_not_found_by_it(store: Store) -> None:
    case = await open_case(store)
    assert await store.inbox.put(said(case)) is not None
    assert await store.inbox.put(said(case)) is not None
    assert [message.reference for message in await store.inbox.of(case)] == ["", "", ""]
    assert await store.inbox.find("cli", "") is None


# --- overhearing -----------------------------------------------------------------------------------------------------


async def test_a_working_turn_gets_words_of_the_right_standings_only(store: Store) -> None:
    case = await open_case(store)
    await store.inbox.claim(case, turn=1)
    for standing in Standing:
        await store.inbox.put(said(case, f"words of {standing}", standing=standing))
    for kind in (MessageKind.CLOSE, MessageKind.TAKEOVER, MessageKind.EDIT):
        await store.inbox.put(said(case, kind, kind=kind, standing=Standing.DEVELOPER))
    heard = await store.inbox.overhear(case, 1, {Standing.OWNER, Standing.DEVELOPER})
    assert [message.text for message in heard] == ["words of owner", "words of developer", "edit"]
    assert {message.turn for message in heard} == {1}
    waiting = [message.text for message in await store.inbox.of(case) if message.turn is None]
    assert waiting == ["words of reporter", "words of other", "close", "takeover"]
    claim = (await store.record.read(case))[-1].entry
    assert claim == MessagesClaimed(turn=1, messages=[message.id for message in heard])


async def test_an_overheard_message_is_returned_once_and_belongs_to_the_turn(store: Store) -> None:
    case = await open_case(store)
    first = await store.inbox.claim(case, turn=1)
    await store.inbox.put(said(case, "since 9:40"))
    heard = await store.inbox.overhear(case, 1, {Standing.OWNER})
    assert await store.inbox.overhear(case, 1, {Standing.OWNER}) == []
    assert await store.inbox.claim(case, turn=1) == first + heard  # the next attempt gets all of them


async def test_of_many_concurrent_listeners_one_gets_a_message(store: Store) -> None:
    case = await open_case(store)
    await store.inbox.put(said(case))
    heard = await asyncio.gather(*(store.inbox.overhear(case, 1, {Standing.OWNER}) for _ in range(20)))
    ids = [message.id for messages in heard for message in messages]
    assert len(ids) == len(set(ids)) == 2
    assert (await kinds(store, case)).count("messages_claimed") == 1


async def test_messages_of_another_case_are_not_overheard(store: Store) -> None:
    case = await open_case(store, "One")
    await store.inbox.claim(case, turn=1)
    await open_case(store, "Two")
    assert await store.inbox.overhear(case, 1, set(Standing)) == []


async def test_overhearing_nothing_does_not_wait_for_a_writer(store: Store) -> None:
    case = await open_case(store)
    await store.inbox.claim(case, turn=1)
    async with store.database.writing(), asyncio.timeout(8):
        assert await store.inbox.overhear(case, 1, set(Standing)) == []


@pytest.mark.slow
async def test_a_kill_during_writes_loses_no_acknowledged_message(store_url: str) -> None:
    store = await open_store(store_url)
    case = await open_case(store)
    process = Process("put", store_url, case)
    process.get_ready()
    process.go()
    acknowledged = [process.next_line() for _ in range(40)] + process.kill()
    kept = [message for message in await store.inbox.of(case) if message.external_id.startswith("put-")]
    assert set(acknowledged) <= {message.external_id for message in kept}
    assert len(kept) <= len(acknowledged) + 1  # one may have been committed and not yet printed
    entries = [found.entry for found in await store.record.read(case)]
    recorded = {entry.message for entry in entries if isinstance(entry, MessageRecorded)}
    assert {message.id for message in kept} <= recorded
    assert await store.inbox.put(said(case)) is not None
    await store.close()


@pytest.mark.slow
async def test_four_processes_that_write_to_one_database_never_find_it_locked(store_url: str) -> None:
    store = await open_store(store_url)
    case = await open_case(store)
    let_off([Process("write", store_url, case, f"writer-{number}", "25") for number in range(4)])
    assert len(await store.inbox.of(case)) == 1 + 4 * 25
    sequences = [found.sequence for found in await store.record.read(case)]
    assert sequences == list(range(1, len(sequences) + 1))
    assert [entry for entry in await kinds(store, case) if entry == "noted"] == ["noted"] * 100
    await store.close()


async def test_a_put_cancelled_at_any_point_does_not_lock_the_database(store: Store) -> None:
    case = await open_case(store)
    for steps in range(0, 150, 5):
        leaving = asyncio.create_task(store.inbox.put(said(case)))
        for _ in range(steps):
            await asyncio.sleep(0)  # lets it go a little further each time
        leaving.cancel()
        await asyncio.wait([leaving])
        async with asyncio.timeout(8):  # SQLite would wait 10 s for a lock that was left behind
            assert await store.inbox.put(said(case)) is not None


async def test_a_completed_turn_claims_nothing_new_even_if_its_end_was_not_heard(store: Store) -> None:
    case = await open_case(store)
    given = await store.inbox.claim(case, turn=1)
    assert await complete(store, await begun(store, case, turn=1))
    await store.inbox.put(said(case, "a moment later"))
    assert await store.inbox.claim(case, turn=1) == given
    assert [message.text for message in await store.inbox.claim(case, turn=2)] == ["a moment later"]
