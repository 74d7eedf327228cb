"""The live chat of an issue case, as a developer sees it."""

import asyncio
import io
from pathlib import Path

from rich.console import Console

from caseworker.app.desk import Desk
from caseworker.app.terminal.chat import Chat
from caseworker.app.terminal.keyboard import PlainScreen
from caseworker.app.terminal.send import Speaker
from caseworker.app.terminal.talk import Talk
from caseworker.core.base.roles import Role, Task
from caseworker.core.issue.states import IssueState
from caseworker.core.people.messages import Audience, Standing
from caseworker.core.record.entries import Entry, Posted, Transitioned, TurnCompleted
from caseworker.intake.conversation import Conversation
from caseworker.intake.new_cases import NewCases
from caseworker.store.store import open_store
from tests.app.issue_desk import IssueDesk
from tests.core.examples import HEAD
from tests.intake.bell import RecordingBell

S = IssueState
REPLY = "We say  goodbye, too."


async def shown(home: Path, *entries: Entry) -> list[str]:
    """The lines of a chat with a case whose record has these entries, without times."""
    office = IssueDesk(home)
    case = await office.begin(*entries)
    store = await open_store(office.settings.database)
    desk = Desk(
        settings=office.settings,
        store=store,
        conversation=Conversation(store=store, doorbell=RecordingBell()),
        new_cases=NewCases(store=store, doorbell=RecordingBell()),
    )
    file = io.StringIO()
    console = Console(file=file, width=200, color_system=None)
    lines: asyncio.Queue[str | None] = asyncio.Queue()
    lines.put_nowait(None)
    speaker = Speaker(case=case, name="grace", standing=Standing.DEVELOPER)
    try:
        await Chat(desk=desk, speaker=speaker, talk=Talk(console), screen=PlainScreen(console), lines=lines).run()
    finally:
        await store.close()
    return [line[9:].strip() for line in file.getvalue().splitlines()]


def read_by_the_pm(summary: str, task: Task = Task.INTERPRET) -> TurnCompleted:
    turn = {"turn": 7, "attempt": 1, "checkpoint": HEAD, "calls": 1, "cost_micros": 0}
    return TurnCompleted.model_validate(
        {**turn, "role": Role.PM, "task": task, "status": "CONTINUE", "summary": summary}
    )


def moved(reason: str) -> Transitioned:
    return Transitioned(number=9, from_state=S.HUMAN_INPUT_RECEIVED, to_state=S.FIXING_ISSUES, reason=reason)


async def test_a_chat_shows_the_pms_reply_once(tmp_path: Path) -> None:
    said = Posted(audience=Audience.DEVELOPERS, about="reply", text=REPLY)
    seen = await shown(
        tmp_path / "home", read_by_the_pm(REPLY), moved(f"Not to be done: {REPLY}"), said, moved("Green.")
    )
    assert seen[-4:] == [
        "✔ turn 7: the pm says CONTINUE",
        "▶ FIXING ISSUES",
        f"caseworker → developers: {REPLY}",
        "▶ FIXING ISSUES  Green.",
    ]


async def test_a_chat_tells_why_the_pm_asks_nobody(tmp_path: Path) -> None:
    seen = await shown(tmp_path / "home", read_by_the_pm("It is clear.", Task.QUESTIONS), moved("It is clear."))
    assert seen[-1] == "▶ FIXING ISSUES  It is clear."


async def test_a_chat_shows_each_of_two_replies_once(tmp_path: Path) -> None:
    entries: list[Entry] = []
    for reply in (REPLY, "We shout it."):
        said = Posted(audience=Audience.DEVELOPERS, about="reply", text=reply)
        entries += [read_by_the_pm(reply), moved(f"Nothing follows from what was said. {reply}"), said]
    seen = await shown(tmp_path / "home", *entries)
    moves = ["✔ turn 7: the pm says CONTINUE", "▶ FIXING ISSUES"]
    assert seen[-6:] == [
        *[*moves, f"caseworker → developers: {REPLY}"],
        *[*moves, "caseworker → developers: We shout it."],
    ]
