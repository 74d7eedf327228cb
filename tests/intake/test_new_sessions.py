"""Sessions on a pull request that a person at a terminal begins, and following them until only people are left."""

import io
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.console import Console

from caseworker.app.desk import Desk
from caseworker.app.settings import Settings
from caseworker.app.terminal.follow_pull import follow_pull
from caseworker.app.terminal.live_view import PlainView
from caseworker.app.terminal.pull_summary import exit_code, print_pull_summary
from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Policy
from caseworker.core.people.commands import StartWork
from caseworker.core.pull.case import PullState, SessionEnd
from caseworker.core.record.entries import PullMoved
from caseworker.intake.conversation import Conversation, Words
from caseworker.intake.new_cases import NewCases
from caseworker.ports import NewPullCase
from caseworker.ports.github import thread_on
from caseworker.store.store import Store
from tests.edges.store_examples import TRACE
from tests.intake.bell import RecordingBell
from tests.intake.github_desk import SHOP

NINE = CaseId("acme/shop!9")


class Terminal:
    def __init__(self, store: Store) -> None:
        self.store, self.bell = store, RecordingBell()
        self.cases = NewCases(store=store, doorbell=self.bell)
        self.asked = 0

    async def begins(self, command: StartWork) -> bool:
        new = NewPullCase(
            repository=await self.store.repositories.register(SHOP),
            number=9,
            title="Count in cents",
            url="https://github.com/acme/shop/pull/9",
            author="rita",
            policy=Policy(),
            rehearsal=None,
            trace=TRACE,
            thread=thread_on(SHOP, 9),
        )
        self.asked += 1
        words = Words(surface="terminal", external_id=f"start {self.asked}", author="ann", text="Please ship it.")
        opened = await self.cases.begin_session(new, command, words)
        assert opened.case == NINE
        return opened.new

    async def becomes(self, *entries: PullMoved, **changes: object) -> None:
        stored = await self.store.pull_cases.load(NINE)
        assert stored is not None
        moved = stored.case.updated(transitions=stored.case.progress.transitions + 1, **changes)
        await self.store.pull_cases.save(moved, entries, trace=TRACE)

    async def commands(self) -> list[object]:
        return [message.command for message in await self.store.inbox.of(NINE)]


@pytest.fixture
def terminal(store: Store) -> Terminal:
    return Terminal(store)


async def test_a_session_is_begun_once_and_again_after_its_end(terminal: Terminal) -> None:
    ship, review = StartWork(deadline_seconds=60), StartWork(workflow="review")
    assert await terminal.begins(ship)
    assert not await terminal.begins(ship)
    assert not await terminal.begins(review)
    await terminal.becomes(state=PullState.ENDED, end=SessionEnd.READY)
    assert await terminal.begins(review)
    assert await terminal.commands() == [ship, review]
    assert [run.workflow.value for run in await terminal.store.runs.of(NINE)] == ["ship", "review"]
    assert {case for case, _, _ in terminal.bell.rung} == {NINE}


async def test_a_session_is_followed_until_only_people_are_left(terminal: Terminal, tmp_path: Path) -> None:
    await terminal.begins(StartWork())
    await terminal.store.inbox.claim(NINE, turn=1)
    move = PullMoved(number=1, from_state=PullState.LOOKING, to_state=PullState.ENDED, reason="It is ready.")
    await terminal.becomes(move, state=PullState.ENDED, end=SessionEnd.READY, looked_at=datetime.now(UTC))
    desk = Desk(
        settings=Settings.model_validate({"home": tmp_path}),
        store=terminal.store,
        conversation=Conversation(store=terminal.store, doorbell=terminal.bell),
        new_cases=terminal.cases,
    )
    file = io.StringIO()
    console = Console(file=file, width=120, color_system=None)
    stored = await follow_pull(desk, NINE, PlainView(console))
    await print_pull_summary(terminal.store, stored, console, as_json=False)
    assert exit_code(stored.case) == 0
    assert "ENDED  It is ready." in file.getvalue()
    assert "acme/shop!9: ready awaiting human merge" in file.getvalue()
