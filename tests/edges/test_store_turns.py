"""Turns on both databases: only one attempt completes a turn, and a killed attempt leaves nothing behind."""

import asyncio
from pathlib import Path

from caseworker.core.base.ids import SessionId
from caseworker.core.record.entries import Noted, WorkspaceRemoved
from caseworker.ports import Attempt, FinishedTurn
from caseworker.store.store import Store, open_store
from tests.edges.store_examples import (
    TRACE,
    begin,
    begun,
    case_file,
    complete,
    completed_entry,
    failed_entry,
    finished,
    kinds,
    open_case,
    snapshot,
)

ENTRY: dict[str, object] = {"type": "user", "uuid": "u1"}


async def transcript(store: Store, session: SessionId) -> list[dict[str, object]] | None:
    return await store.transcripts.load(session, "")


async def test_beginning_a_completed_turn_returns_its_result(store: Store) -> None:
    case = await open_case(store)
    attempt = await begun(store, case)
    file = await case_file(store, case)
    file.triage.scope = "SMALL"
    assert await store.turns.complete(attempt, finished(attempt), file, completed_entry(attempt))
    assert await begin(store, case) == finished(attempt)
    assert await store.turns.finished(case) == [finished(attempt)]
    assert (await case_file(store, case)).triage.scope == "SMALL"
    assert (await kinds(store, case))[-1] == "turn_completed"
    assert await store.turns.running() == []


async def test_a_second_attempt_supersedes_the_first_which_can_then_complete_nothing(store: Store) -> None:
    case = await open_case(store)
    first = await begun(store, case)
    second = await begun(store, case)
    assert (first.number, second.number) == (1, 2)
    assert first.session != second.session
    assert not await store.turns.is_current(first)
    assert await store.turns.is_current(second)
    assert not await complete(store, first)
    assert await store.turns.finished(case) == []
    assert "turn_completed" not in await kinds(store, case)
    assert await complete(store, second)


async def test_the_right_number_with_a_wrong_token_completes_nothing(store: Store) -> None:
    attempt = await begun(store, await open_case(store))
    assert not await complete(store, attempt.model_copy(update={"token": "guessed"}))
    assert await store.turns.is_current(attempt)


async def test_a_turn_is_completed_once(store: Store) -> None:
    case = await open_case(store)
    attempt = await begun(store, case)
    assert sorted(await asyncio.gather(*(complete(store, attempt) for _ in range(8)))) == [False] * 7 + [True]
    assert (await kinds(store, case)).count("turn_completed") == 1


async def test_the_transcript_of_a_killed_attempt_is_gone_and_stays_gone(store: Store) -> None:
    case = await open_case(store)
    killed = await begun(store, case)
    await store.transcripts.append(killed.session, "", "p", [ENTRY])
    await store.transcripts.append(killed.session, "subagents/a", "p", [ENTRY])
    await begun(store, case)
    assert await transcript(store, killed.session) is None
    assert await store.transcripts.subpaths(killed.session) == []
    await store.transcripts.append(killed.session, "", "p", [ENTRY])  # the process is still alive
    assert await transcript(store, killed.session) is None


async def test_the_transcript_of_a_completed_turn_stays(store: Store) -> None:
    case = await open_case(store)
    attempt = await begun(store, case)
    await store.transcripts.append(attempt.session, "", "p", [ENTRY])
    await complete(store, attempt)
    await begun(store, case, turn=2)
    assert await transcript(store, attempt.session) == [ENTRY]


async def test_a_failed_attempt_leaves_an_entry_and_no_transcript(store: Store) -> None:
    case = await open_case(store)
    attempt = await begun(store, case)
    await store.transcripts.append(attempt.session, "", "p", [ENTRY])
    await store.turns.fail(attempt, "the model was overloaded", failed_entry(attempt))
    assert await transcript(store, attempt.session) is None
    assert (await kinds(store, case))[-1] == "turn_failed"
    assert not await store.turns.is_current(attempt)
    assert (await begun(store, case)).number == 2


async def test_a_superseded_attempt_that_fails_writes_nothing(store: Store) -> None:
    case = await open_case(store)
    first = await begun(store, case)
    second = await begun(store, case)
    await store.turns.fail(first, "killed", failed_entry(first))
    assert "turn_failed" not in await kinds(store, case)
    assert await store.turns.is_current(second)


async def test_attempts_begun_at_the_same_time_leave_one_that_is_current(store: Store) -> None:
    case = await open_case(store)
    attempts = await asyncio.gather(*(begun(store, case) for _ in range(8)))
    assert sorted(attempt.number for attempt in attempts) == list(range(1, 9))
    current = [attempt for attempt in attempts if await store.turns.is_current(attempt)]
    assert [attempt.number for attempt in current] == [8]


async def test_running_attempts_of_all_cases_are_listed_with_their_activity(store: Store) -> None:
    one, two = await open_case(store, "One"), await open_case(store, "Two")
    await begun(store, one)
    await begun(store, two, turn=4)
    await begun(store, two, turn=4)
    running = await store.turns.running()
    assert [(found.case, found.turn, found.number) for found in running] == [(one, 1, 1), (two, 4, 2)]
    assert [(found.worker, found.activity) for found in running] == [("host-1", b"token")] * 2


async def test_nobody_can_compute_the_session_of_an_attempt(tmp_path: Path) -> None:
    sessions = set()
    for name in ("one", "two"):
        store = await open_store(f"sqlite:///{tmp_path / name}")
        sessions.add((await begun(store, await open_case(store))).session)
        await store.close()
    assert len(sessions) == 2  # although case, turn and attempt have the same names


async def test_the_transcript_of_a_completed_turn_can_not_be_added_to(store: Store) -> None:
    case = await open_case(store)
    attempt = await begun(store, case)
    await store.transcripts.append(attempt.session, "", "p", [ENTRY])
    await complete(store, attempt)
    await store.transcripts.append(attempt.session, "", "p", [{"type": "assistant", "uuid": "forged"}])
    assert await transcript(store, attempt.session) == [ENTRY]


async def test_finished_turns_come_in_the_order_of_their_numbers(store: Store) -> None:
    case = await open_case(store)
    for turn in (2, 1):
        assert await complete(store, await begun(store, case, turn))
    found: list[FinishedTurn] = await store.turns.finished(case)
    assert [turn.turn for turn in found] == [1, 2]


async def test_beginning_a_turn_writes_no_entry(store: Store) -> None:
    case = await open_case(store)
    before = await kinds(store, case)
    assert isinstance(await begin(store, case), Attempt)
    assert await kinds(store, case) == before


async def test_a_case_is_closed_up_once_in_each_epoch(store: Store) -> None:
    case = await open_case(store)
    file = await case_file(store, case)
    for epoch in (1, 2):
        after = (await snapshot(store, case)).updated(epoch=epoch)
        await store.cases.move(after, [Noted(text="moved")], file, trace=TRACE)
        for _ in range(2):
            await store.turns.close_up(case, WorkspaceRemoved(), trace=TRACE)
        assert (await kinds(store, case)).count("workspace_removed") == epoch
    assert await store.cases.unfinished() == []


async def test_a_fenced_turn_can_not_complete_and_a_completed_one_is_reported(store: Store) -> None:
    case = await open_case(store)
    attempt = await begun(store, case, turn=1)
    assert not await store.turns.fence(case, 1)
    assert not await complete(store, attempt)
    assert await complete(store, await begun(store, case, turn=1))
    assert await store.turns.fence(case, 1)
