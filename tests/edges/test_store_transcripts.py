"""Transcripts on both databases. The SDK's conformance suite runs with the adapter, in the tests of agents."""

import time

from caseworker.core.base.ids import SessionId
from caseworker.store.store import Store

SESSION = SessionId("6a1f0a52-6a2e-4d2c-a0d6-4b8d6f6f0001")
OTHER = SessionId("6a1f0a52-6a2e-4d2c-a0d6-4b8d6f6f0002")


def entry(uuid: str | None = None, **more: object) -> dict[str, object]:
    return {"type": "user", **({"uuid": uuid} if uuid else {}), **more}


async def test_entries_are_read_back_equal_and_in_the_order_of_the_calls(store: Store) -> None:
    odd = entry("z", nested={"b": [1, 2.5, None, True], "a": "\x00 \ud83d ✓"}, big=2**70)
    await store.transcripts.append(SESSION, "", "p", [odd, entry("a")])
    await store.transcripts.append(SESSION, "", "p", [])
    await store.transcripts.append(SESSION, "", "p", [entry("m")])
    assert await store.transcripts.load(SESSION, "") == [odd, entry("a"), entry("m")]


async def test_an_entry_with_a_known_uuid_is_not_added_again_and_one_without_is(store: Store) -> None:
    for _ in range(2):
        await store.transcripts.append(SESSION, "", "p", [entry("a"), entry(None, title="t")])
    assert await store.transcripts.load(SESSION, "") == [entry("a"), entry(None, title="t"), entry(None, title="t")]


async def test_a_session_that_was_never_written_is_none(store: Store) -> None:
    await store.transcripts.append(SESSION, "", "p", [entry("a")])
    assert await store.transcripts.load(OTHER, "") is None
    assert await store.transcripts.load(SESSION, "subagents/a") is None


async def test_transcripts_of_subagents_are_separate_from_the_sessions_own(store: Store) -> None:
    await store.transcripts.append(SESSION, "", "p", [entry("a")])
    await store.transcripts.append(SESSION, "subagents/2", "p", [entry("a", n=2)])
    await store.transcripts.append(SESSION, "subagents/1", "p", [entry("a", n=1), entry("b")])
    assert await store.transcripts.subpaths(SESSION) == ["subagents/1", "subagents/2"]
    assert await store.transcripts.load(SESSION, "subagents/2") == [entry("a", n=2)]
    assert await store.transcripts.load(SESSION, "") == [entry("a")]


async def test_sessions_of_a_project_have_the_time_of_their_last_change_in_milliseconds(store: Store) -> None:
    await store.transcripts.append(SESSION, "", "p", [entry("a")])
    await store.transcripts.append(OTHER, "", "q", [entry("a")])
    await store.transcripts.append(OTHER, "subagents/1", "p", [entry("a")])
    [(session, changed)] = await store.transcripts.sessions("p")
    assert session == SESSION
    assert abs(changed - time.time() * 1_000) < 60_000
    assert await store.transcripts.sessions("never") == []


async def test_deleting_a_session_deletes_its_subagents_but_not_the_reverse(store: Store) -> None:
    for subpath in ("", "subagents/1", "subagents/2"):
        await store.transcripts.append(SESSION, subpath, "p", [entry("a")])
    await store.transcripts.append(OTHER, "", "p", [entry("a")])
    await store.transcripts.delete(SESSION, "subagents/1")
    assert await store.transcripts.subpaths(SESSION) == ["subagents/2"]
    assert await store.transcripts.load(SESSION, "") is not None
    await store.transcripts.delete(SESSION)
    assert await store.transcripts.subpaths(SESSION) == []
    assert await store.transcripts.load(SESSION, "") is None
    assert await store.transcripts.load(OTHER, "") == [entry("a")]
