"""The page of a case: its story, its buttons, messages with receipts, and entries that come by themselves."""

import asyncio

from caseworker.core.base.policy import Milestone
from caseworker.core.base.roles import Role, Task
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.core.people.commands import Approve, MessageKind, RaiseBudget
from caseworker.core.record.entries import Noted, ToolCalled, TurnStarted
from caseworker.dashboard.addresses import case_path
from caseworker.store.store import Store
from tests.app.issue_desk import move
from tests.dashboard.live_page import LivePage
from tests.dashboard.visitor import Visitor
from tests.edges.store_examples import TRACE, begun, open_bug, open_case
from tests.intake.test_conversation_issue import Counter
from tests.patience import PATIENCE

PATH = "/cases/local/shop~1"


async def test_a_button_is_a_message_with_a_receipt(visitor: Visitor, store: Store) -> None:
    case = await Counter(store).case(IssueState.WAITING_FOR_HUMAN_INPUT, WaitingFor.APPROVAL, Subject.PLAN)
    page = await visitor.sees(PATH)
    assert "It needs you" in page
    assert "Goes on with the plan." in page
    answer = await visitor.sends(case, "approve")
    assert answer.headers["location"] == f"{PATH}#talk"
    assert visitor.bell.kinds == [MessageKind.APPROVE]
    sent = (await store.inbox.of(case))[-1]
    assert (sent.surface, sent.author, sent.text) == ("web", "ada", "Approved.")
    assert "recorded" in await visitor.sees(PATH)


async def test_a_case_that_stopped_at_its_milestone_is_taken_further_as_by_a_label(
    visitor: Visitor, store: Store
) -> None:
    case = await Counter(store).case(IssueState.WAITING_FOR_HUMAN_INPUT, WaitingFor.MILESTONE)
    shown = await visitor.sees(case_path(case))
    for label in ("Implement", "Plan"):
        assert f'<button class="plain">{label}</button>' in shown or f'class="as-button">{label}</span>' in shown
    assert (await visitor.sends(case, "implement")).status_code == 303
    assert (await store.inbox.of(case))[-1].command == Approve(milestone=Milestone.PR)


async def test_more_money_says_how_much_and_adds_five_if_nothing_is_written(visitor: Visitor, store: Store) -> None:
    case = await Counter(store).case(IssueState.WAITING_FOR_HUMAN_INPUT, WaitingFor.BUDGET)
    assert "<label>Dollars more, such as +2.50; 5 if you leave it empty<textarea" in await visitor.sees(case_path(case))
    assert "is no amount" in (await visitor.sends(case, "budget", "a lot")).text
    await visitor.sends(case, "budget")
    assert (await store.inbox.of(case))[-1].command == RaiseBudget(micros=5_000_000, amount="+5")


async def test_what_was_said_leads_to_its_entry_in_the_record(visitor: Visitor, store: Store) -> None:
    case = await open_case(store)
    (first,) = [one for one in await store.record.read(case) if one.entry.kind == "message_recorded"]
    assert f'href="#e{first.sequence}" title="Entry' in (await visitor.sees(case_path(case))).partition('id="talk"')[2]


async def test_the_same_press_twice_is_one_message(visitor: Visitor, store: Store) -> None:
    case = await open_case(store)
    await visitor.sends(case, "say", "look at line 4")
    await visitor.sends(case, "say", "look at line 4")
    await visitor.sends(case, "say", "look at line 4", key="2")
    assert [message.text for message in await store.inbox.of(case)][1:] == ["look at line 4"] * 2


async def test_a_button_that_does_not_fit_is_refused_with_what_fits(visitor: Visitor, store: Store) -> None:
    case = await open_case(store)
    answer = await visitor.sends(case, "approve")
    assert answer.status_code == 409
    assert "does not fit local/shop#1" in answer.text
    assert visitor.bell.rung == []


async def test_a_bug_is_closed_with_a_resolution_and_a_reason(visitor: Visitor, store: Store) -> None:
    bug = await open_bug(store)
    assert "needs a word" in (await visitor.sends(bug, "close_bug", choice="data_fix")).text
    assert "needs one of" in (await visitor.sends(bug, "close_bug", "an old row", choice="magic")).text
    await visitor.sends(bug, "close_bug", "an old row", choice="data_fix")
    assert visitor.bell.kinds == [MessageKind.CLOSE]


async def test_a_new_entry_comes_under_its_number(visitor: Visitor, store: Store) -> None:
    case = await open_case(store)
    newest = await store.boards.newest(case)
    async with LivePage.of(visitor, f"/live/cases/local/shop~1?after={newest}") as page:
        await store.record.append(case, [Noted(text="the disk is full")], trace=TRACE)
        assert "the disk is full" in (await page.event(newest + 1)).data


async def test_a_page_that_slept_is_told_what_it_missed_once(visitor: Visitor, store: Store) -> None:
    case = await open_case(store)
    newest = await store.boards.newest(case)
    await store.record.append(case, [Noted(text=f"note {number}") for number in range(1200)], trace=TRACE)
    async with LivePage.of(visitor, "/live/cases/local/shop~1?after=1", last=newest + 600) as page:
        await page.event(newest + 1200)
        assert [event.id for event in page.entries] == [str(newest + number) for number in range(601, 1201)]


async def test_a_tool_call_goes_into_its_turn(visitor: Visitor, store: Store) -> None:
    case = await open_case(store)
    await begun(store, case)
    start = TurnStarted(turn=1, attempt=1, role=Role.PM, task=Task.TRIAGE, model="m")
    await store.record.append(case, [start], trace=TRACE)
    newest = await store.boards.newest(case)
    async with LivePage.of(visitor, f"/live/cases/local/shop~1?after={newest}") as page:
        call = ToolCalled(turn=1, call="1", tool="Bash", summary="ls -la")
        await store.record.append(case, [call], trace=TRACE)
        event = await page.event(newest + 1)
    assert 'hx-target="#steps-1-1"' in event.data
    assert "ls -la" in event.data


async def test_a_receipt_changes_on_the_open_page(visitor: Visitor, store: Store) -> None:
    case = await open_case(store)
    async with LivePage.of(visitor, "/live/cases/local/shop~1") as page:
        await page.region("talk")
        message = (await store.inbox.of(case))[0]
        await store.inbox.claim(case, 1)
        await store.inbox.settle([message.id], "read by the pm")
        assert "read by the pm" in await page.region("talk", "read by the pm")


async def test_fifty_pages_are_looked_for_once(visitor: Visitor, store: Store) -> None:
    await open_case(store)
    pages = [visitor.backend.changes.open_page() for _ in range(50)]
    for page in pages:
        page.__enter__()
    await visitor.backend.changes.look()
    assert (visitor.backend.changes.open_pages, visitor.backend.changes.looks) == (50, 1)


async def test_a_page_opened_after_a_while_is_not_sent_what_was_true_before(visitor: Visitor, store: Store) -> None:
    case = await open_case(store)
    async with LivePage.of(visitor, "/live/cases/local/shop~1") as page:
        await page.region("talk")
    await visitor.sends(case, "say", "look at line 4")
    async with LivePage.of(visitor, "/live/cases/local/shop~1", looks=False) as page:
        await page.region("facts")
        shown = [event.data for event in page.events if 'hx-target="#talk"' in event.data]
        assert all("look at line 4" in text for text in shown)


async def test_the_stream_of_a_removed_case_ends(visitor: Visitor, store: Store) -> None:
    case = await open_case(store)
    await move(store, case, Noted(text="closed"), state=IssueState.CLOSED)
    await store.turns.close_up(case, Noted(text="over"), trace=TRACE)
    async with LivePage.of(visitor, "/live/cases/local/shop~1") as page:
        await page.region("talk")
        await store.cases.remove(case)
        await asyncio.wait_for(page.ended.wait(), PATIENCE)
    assert (await visitor.client.get("/live/cases/local/shop~1")).status_code == 404
