"""Attachments on both databases: stored with their message, filled once."""

import asyncio

import pytest

from caseworker.core.base.errors import Defect
from caseworker.core.base.ids import CaseId
from caseworker.core.people.messages import Attachment, NewAttachment
from caseworker.store.store import Store
from tests.edges.store_examples import bug_report, open_bug, reported, said

PICTURE = bytes(range(256))
HERE = NewAttachment(title="shot.png", media_type="image/png", size=256, content=PICTURE)
THERE = NewAttachment(title="../../etc/log\x00", media_type="text/plain", size=5_000_000_000, source="https://files/F1")


async def only_attachment(store: Store, case: CaseId) -> Attachment:
    (attachment,) = await store.attachments.of(case)
    return attachment


async def with_one_to_fetch(store: Store) -> CaseId:
    case = await open_bug(store)
    assert await store.inbox.put(said(case, attachments=(THERE,))) is not None
    return case


async def test_attachments_are_stored_with_their_message_and_given_in_order(store: Store) -> None:
    first = reported().model_copy(update={"attachments": (HERE, THERE)})
    case, _ = await store.bugs.open(bug_report(), first)
    later = await store.inbox.put(said(case, attachments=(HERE,)))
    assert later is not None
    one, two, three = await store.attachments.of(case)
    assert (one.title, one.media_type, one.size, one.content) == ("shot.png", "image/png", 256, PICTURE)
    assert (two.source, two.size, two.content) == ("https://files/F1", 5_000_000_000, b"")
    assert two.title == "../../etc/log\ufffd"
    assert [found.message for found in (one, two, three)] == [later.id - 1, later.id - 1, later.id]
    assert [found.is_missing for found in (one, two, three)] == [False, True, False]


async def test_a_message_with_files_is_read_back_as_it_was_put(store: Store) -> None:
    case = await open_bug(store)
    put = await store.inbox.put(said(case, attachments=(HERE,)))
    assert put is not None
    assert (await store.inbox.of(case))[-1] == put


async def test_a_second_delivery_stores_no_file_again(store: Store) -> None:
    case = await open_bug(store)
    message = said(case, id="event-1", attachments=(HERE,))
    await asyncio.gather(*(store.inbox.put(message) for _ in range(20)))
    assert len(await store.attachments.of(case)) == 1


async def test_a_filled_attachment_keeps_its_bytes(store: Store) -> None:
    case = await with_one_to_fetch(store)
    number = (await only_attachment(store, case)).id
    await store.attachments.fill(number, b"", problem="the server did not answer")
    failed = await only_attachment(store, case)
    assert (failed.problem, failed.is_missing) == ("the server did not answer", False)
    await store.attachments.fill(number, b"\x00log")
    filled = await only_attachment(store, case)
    assert (filled.content, filled.size, filled.problem) == (b"\x00log", 4, "")
    await store.attachments.fill(number, b"other")
    await store.attachments.fill(number, b"", problem="it is gone")
    assert await only_attachment(store, case) == filled


async def test_a_file_that_turns_out_empty_is_not_missing(store: Store) -> None:
    case = await with_one_to_fetch(store)
    await store.attachments.fill((await only_attachment(store, case)).id, b"")
    assert not (await only_attachment(store, case)).is_missing


async def test_attachments_belong_to_their_case(store: Store) -> None:
    await with_one_to_fetch(store)
    assert await store.attachments.of(await open_bug(store)) == []


async def test_filling_an_unknown_attachment_is_a_defect(store: Store) -> None:
    with pytest.raises(Defect):
        await store.attachments.fill(99, b"x")
