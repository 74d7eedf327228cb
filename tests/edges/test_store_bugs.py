"""Bug cases on both databases: a report opens one case, also if it is delivered twice."""

import asyncio
import re

import pytest

from caseworker.core.base.errors import Defect, Refused
from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Policy, Severity
from caseworker.core.bug.case import BugCase, BugState
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.messages import Audience
from caseworker.core.record.entries import BugMoved, BugReported, Noted, WorkspaceRemoved
from caseworker.ports import Thread
from caseworker.store.bugs import StoredBugs
from caseworker.store.store import Store, open_store
from tests.edges.store_examples import (
    TRACE,
    begun,
    bug_report,
    completed_entry,
    finished,
    kinds,
    open_bug,
    open_case,
    reported,
    said,
    stored_bug,
)
from tests.edges.store_processes import Process, let_off

THREAD = Thread(surface="slack", channel="C1", anchor="17.5")


async def count_of_cases(store: Store) -> int:
    return len(await store.bugs.list()) + len(await store.cases.list())


async def save(store: Store, bug: BugCase, **changes: object) -> BugCase:
    after = bug.updated(**changes)
    await store.bugs.save(after, trace=TRACE)
    return after


# --- opening ---------------------------------------------------------------------------------------------------------


async def test_a_bug_is_opened_with_its_thread_its_first_entry_and_its_first_message(store: Store) -> None:
    first = reported("checkout says 500", reference="C1/17.5")
    case, new = await store.bugs.open(bug_report(thread=THREAD, rehearsal="turns: []"), first)
    assert new
    assert re.fullmatch("bug-[0-9A-HJKMNP-TV-Z]{4}", case)
    stored = await stored_bug(store, case)
    assert stored.case == BugCase(id=case)
    assert (stored.title, stored.report, stored.reporter) == ("Checkout says 500", "checkout says 500", "grace")
    assert (stored.surface, stored.repository, stored.policy) == ("cli", "local/shop", Policy())
    assert (stored.rehearsal, stored.trace) == ("turns: []", TRACE)
    assert stored.opened_at.utcoffset() is not None
    (message,) = await store.inbox.of(case)
    assert (message.case, message.text, message.reference, message.turn) == (case, first.text, "C1/17.5", None)
    assert dict(await store.threads.bound(case)) == {Audience.REPORTER: THREAD}
    assert await kinds(store, case) == ["bug_reported", "message_recorded"]
    assert (await store.record.read(case))[0].entry == BugReported(
        repository=stored.repository, title=stored.title, reporter="grace", surface="cli", rehearsed=True
    )
    assert [waiting for waiting, _, _ in await store.inbox.unclaimed()] == [case]


async def test_fifty_concurrent_deliveries_of_one_report_open_one_case(store: Store) -> None:
    first, bug = reported(id="event-1", reference="C1/17.5"), bug_report(thread=THREAD)
    results = await asyncio.gather(*(store.bugs.open(bug, first) for _ in range(50)))
    assert len({case for case, _ in results}) == 1
    assert [new for _, new in results].count(True) == 1
    assert await count_of_cases(store) == 1
    assert await kinds(store, results[0][0]) == ["bug_reported", "message_recorded"]


@pytest.mark.slow
async def test_four_processes_that_deliver_the_same_reports_open_each_once(store_url: str) -> None:
    said_by_each = let_off([Process("report", store_url, "20") for _ in range(4)])
    assert said_by_each == [said_by_each[0]] * 4
    store = await open_store(store_url)
    assert sorted(bug.case.id for bug in await store.bugs.list()) == sorted(said_by_each[0])
    assert len(said_by_each[0]) == 20
    await store.close()


async def test_fifty_reports_in_one_thread_open_one_case(store: Store) -> None:
    bug = bug_report(thread=THREAD)
    results = await asyncio.gather(*(store.bugs.open(bug, reported(reference=f"C1/{n}")) for n in range(50)))
    assert len({case for case, _ in results}) == 1
    assert [new for _, new in results].count(True) == 1
    assert len(await store.inbox.of(results[0][0])) == 1


async def test_a_message_with_another_event_id_is_recognised_by_its_reference(store: Store) -> None:
    tries = [store.bugs.open(bug_report(), reported(id=f"event-{n}", reference="C1/17.5")) for n in range(20)]
    results = await asyncio.gather(*tries)
    assert len({case for case, _ in results}) == 1
    assert await count_of_cases(store) == 1


async def test_a_report_that_is_a_message_of_another_case_returns_that_case(store: Store) -> None:
    issue = await open_case(store)
    await store.inbox.put(said(issue, id="event-1"))
    assert await store.bugs.open(bug_report(thread=THREAD), reported(id="event-1")) == (issue, False)
    assert await store.bugs.list() == []
    assert await store.threads.find(THREAD) is None


async def test_separate_reports_open_separate_cases(store: Store) -> None:
    cases = await asyncio.gather(*(open_bug(store) for _ in range(20)))
    assert len(set(cases)) == 20


async def test_a_taken_name_is_drawn_again_and_later_with_more_letters(store: Store) -> None:
    drawn: list[int] = []

    def draw(length: int) -> CaseId:
        drawn.append(length)
        return CaseId("bug-AAAA" if length == 4 else "bug-AAAAA")

    bugs = StoredBugs(store.database, draw=draw)
    assert await bugs.open(bug_report(), reported()) == ("bug-AAAA", True)
    assert await bugs.open(bug_report(), reported()) == ("bug-AAAAA", True)
    assert drawn == [4, 4, 4, 4, 4, 5]


async def test_if_no_free_name_is_found_it_is_a_defect_and_nothing_is_written(store: Store) -> None:
    bugs = StoredBugs(store.database, draw=lambda length: CaseId("bug-AAAA"))
    await bugs.open(bug_report(), reported())
    with pytest.raises(Defect):
        await bugs.open(bug_report(thread=THREAD), reported())
    assert await store.threads.find(THREAD) is None


# --- saving ----------------------------------------------------------------------------------------------------------


async def test_a_saved_bug_is_read_back_with_what_happened(store: Store) -> None:
    case = await open_bug(store)
    bug = (await stored_bug(store, case)).case
    after = bug.updated(severity=Severity.P1, state=BugState.AWAITING_DEV, transitions=1)
    moved = BugMoved(number=1, from_state=bug.state, to_state=after.state, reason="the findings are posted")
    await store.bugs.save(after, [moved, Noted(text="and more")], trace=TRACE, key="1/1")
    assert (await stored_bug(store, case)).case == after
    assert (await kinds(store, case))[-2:] == ["bug_moved", "noted"]


async def test_a_repeated_key_adds_no_entry_and_the_newest_snapshot_stays(store: Store) -> None:
    case = await open_bug(store)
    bug = (await stored_bug(store, case)).case
    newer = bug.updated(transitions=2, turns=1, reason="newer")
    await store.bugs.save(newer, [Noted(text="once")], trace=TRACE, key="1/1")
    late = bug.updated(transitions=1, turns=1, reason="late")
    await store.bugs.save(late, [Noted(text="twice")], trace=TRACE, key="1/1")
    assert (await stored_bug(store, case)).case == newer
    again = newer.updated(reason="the same move, decided anew after its task was lost")
    await store.bugs.save(again, [Noted(text="twice")], trace=TRACE, key="1/1")
    assert (await stored_bug(store, case)).case == again
    assert (await kinds(store, case)).count("noted") == 1


async def test_a_bug_without_entries_or_key_is_saved_every_time(store: Store) -> None:
    case = await open_bug(store)
    bug = (await stored_bug(store, case)).case
    await save(store, bug, turns=1)
    await save(store, bug, turns=2)
    assert (await stored_bug(store, case)).case.progress.turns == 2
    assert await kinds(store, case) == ["bug_reported", "message_recorded"]


async def test_a_bug_that_does_not_exist_is_refused(store: Store) -> None:
    with pytest.raises(Refused, match="There is no case bug-0000"):
        await store.bugs.save(BugCase(id=CaseId("bug-0000")), trace=TRACE)


# --- beside the issue cases ------------------------------------------------------------------------------------------


async def test_each_kind_of_case_is_listed_by_itself(store: Store) -> None:
    issue, bug = await open_case(store), await open_bug(store)
    assert [stored.case.id for stored in await store.cases.list()] == [issue]
    assert [stored.case.id for stored in await store.bugs.list()] == [bug]
    assert await store.cases.load(bug) is None
    assert await store.bugs.load(issue) is None
    assert set(await store.cases.unfinished()) == {issue, bug}


async def test_bugs_are_listed_with_the_newest_change_first(store: Store) -> None:
    one, two = await open_bug(store), await open_bug(store)
    assert [stored.case.id for stored in await store.bugs.list()] == [two, one]
    await save(store, (await stored_bug(store, one)).case, turns=1)
    assert [stored.case.id for stored in await store.bugs.list()] == [one, two]


async def test_a_bug_counts_as_at_work_only_while_it_is_investigated(store: Store) -> None:
    await open_case(store)
    bug = (await stored_bug(store, await open_bug(store))).case
    assert await store.cases.at_work() == 2
    for state in BugState:
        await save(store, bug, state=state)
        assert await store.cases.at_work() == (2 if state is BugState.INVESTIGATING else 1)


async def test_a_resolved_bug_is_unfinished_until_closed_up_and_after_a_reopening(store: Store) -> None:
    case = await open_bug(store)
    bug = await save(store, (await stored_bug(store, case)).case, state=BugState.RESOLVED)
    assert await store.cases.unfinished() == [case]
    await store.turns.close_up(case, WorkspaceRemoved(), trace=TRACE)
    assert await store.cases.unfinished() == []
    await save(store, bug)  # still resolved: it needs no workflow
    assert await store.cases.unfinished() == []
    bug = await save(store, bug, state=BugState.INVESTIGATING, epoch=2)
    assert await store.cases.unfinished() == [case]
    await save(store, bug, state=BugState.RESOLVED)
    for _ in range(2):
        await store.turns.close_up(case, WorkspaceRemoved(), trace=TRACE)
    assert await store.cases.unfinished() == []
    assert (await kinds(store, case)).count("workspace_removed") == 2  # once in each epoch


async def test_a_turn_of_a_bug_is_completed_without_a_case_file(store: Store) -> None:
    case = await open_bug(store)
    attempt = await begun(store, case)
    assert await store.turns.complete(attempt, finished(attempt), None, completed_entry(attempt))
    assert await store.turns.finished(case) == [finished(attempt)]
    assert (await stored_bug(store, case)).case == BugCase(id=case)


async def test_a_reopened_bug_begins_its_turn_in_another_session(store: Store) -> None:
    case = await open_bug(store)
    first = await begun(store, case)
    await save(store, (await stored_bug(store, case)).case, epoch=2)
    assert (await begun(store, case, turn=2)).session != first.session


async def test_a_message_to_a_bug_is_put_and_claimed_like_any_other(store: Store) -> None:
    case = await open_bug(store)
    await store.inbox.put(said(case, "never mind", kind=MessageKind.CLOSE))
    assert [message.text for message in await store.inbox.claim(case, 1)] == [
        "checkout says 500 since 9:40",
        "never mind",
    ]
