"""Plays `demo bug`: shows the conversation and the work as they are recorded, and sends what the people say."""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from rich.console import Console
from rich.text import Text

from caseworker.app.desk import Desk
from caseworker.app.terminal.follow_bug import HOST_SECONDS, LOOK_SECONDS
from caseworker.app.terminal.live_view import JsonView, View, story_line
from caseworker.app.terminal.run_issue import follow
from caseworker.app.terminal.send import Speaker, send
from caseworker.app.terminal.talk import Talk
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId, typed
from caseworker.core.bug.case import About
from caseworker.core.record.bug_conversation import conversation
from caseworker.core.record.entries import (
    AgentSaid,
    BugMoved,
    MessageRecorded,
    Posted,
    Recorded,
    ToolCalled,
    ToolReturned,
    TurnFailed,
    TurnStarted,
)
from caseworker.core.telling.story import one_line, tell
from caseworker.views.receipt_watch import Receipts
from caseworker.views.tail import BugTail

_GIVE_UP_SECONDS: Final = 120.0
"""Seconds without a new record entry after which the demo gives up and says so."""
_KEY_SECONDS: Final = 0.012


class Play:
    def __init__(self, *, desk: Desk, console: Console, case: CaseId, as_json: bool) -> None:
        self._desk = desk
        self._console = console
        self._case = case
        self._talk = Talk(console)
        self._json = JsonView() if as_json else None
        self._tail = BugTail(desk.store, case)
        self._receipts = Receipts()
        self._last_news = self._last_look = time.monotonic()

    async def says(self, who: Speaker, text: str, *, at_once: bool = False) -> None:
        """Type a message, commit it and ring. It is shown once it is on the record. `at_once`: without typing, since an
        agent is at work."""
        if self._json is None and self._console.is_terminal and not at_once:
            await self._show_typing(who, text)
        self._receipts.expect((await send(self._desk, who, text)).id)

    async def until(self, is_it: Callable[[Recorded], bool]) -> None:
        """Show new entries until a matching one is recorded."""
        while True:
            if any(is_it(recorded) for recorded in await self._look()):
                return
            await asyncio.sleep(LOOK_SECONDS)

    async def until_it_waits(self) -> None:
        while True:
            if not await self._look() and await self._tail.waiting() is not None:
                return
            await asyncio.sleep(LOOK_SECONDS)

    async def follow_the_fix(self) -> CaseId:
        stored = await self._desk.store.bugs.load(self._case)
        if stored is None or stored.case.repair.fix is None:
            raise Refused(f"The fix of {self._case} was announced, but not begun.")
        await follow(self._desk, stored.case.repair.fix, self._json or _IndentedView(self._talk))
        return stored.case.repair.fix

    async def _look(self) -> list[Recorded]:
        news = await self._tail.news()
        for recorded in news:
            self._show(recorded)
        await self._show_receipts()
        now = time.monotonic()
        if news:
            self._last_news = now
            self._stop_on_failure(news)
        elif now - self._last_news > _GIVE_UP_SECONDS:
            raise Refused(
                f"Nothing has happened for {_GIVE_UP_SECONDS:.0f} s.", todo=f"`caseworker show {typed(self._case)}`."
            )
        if now - self._last_look > HOST_SECONDS:
            self._last_look = now
            await self._desk.keep_host(again="`caseworker demo bug` begins a new one.")
        return news

    def _stop_on_failure(self, news: list[Recorded]) -> None:
        for recorded in news:
            if isinstance(recorded.entry, Posted) and recorded.entry.about in (About.FAILED_TURN, About.FIX_REFUSED):
                look = f"`caseworker show {typed(self._case)} --all` tells more."
                raise Refused(f"The demo went wrong: {recorded.entry.text}", todo=look)

    def _show(self, recorded: Recorded) -> None:
        if self._json is not None:
            self._json.show(recorded)
            return
        match recorded.entry:
            case Posted() | MessageRecorded():
                for line in conversation([recorded]):
                    self._talk.show(line)
            case BugMoved() | TurnStarted() | TurnFailed() | ToolCalled() | AgentSaid():
                for told in tell(recorded.entry):
                    self._console.print(self._talk.aside(story_line(told).plain.strip(), sign=""), highlight=False)
            case ToolReturned(ok=True, output=output) if output.strip() and len(output) < 200:
                self._console.print(self._talk.aside(f"│    {one_line(output, 100)}", sign=""), highlight=False)
            case _:
                return

    async def _show_receipts(self) -> None:
        for text, words, stage in await self._receipts.changes(self._desk.store, self._case):
            if self._json is None and stage != "seen":  # a receipt that names the turn follows in a moment
                self._console.print(self._talk.aside(f"{words}  “{one_line(text, 40)}”", sign="↳"), highlight=False)

    async def _show_typing(self, who: Speaker, text: str) -> None:
        """Show the message being typed, key by key, then clear it; the line itself comes from the record."""
        file = self._console.file
        room = max(20, self._console.size.width - len(who.name) - 4)
        for end in range(len(text) + 1):
            file.write(f"\r\x1b[2K\x1b[2m{who.name} ›\x1b[0m {text[max(0, end - room) : end]}")
            file.flush()
            await asyncio.sleep(_KEY_SECONDS)
        file.write("\r\x1b[2K")
        file.flush()


class _IndentedView(View):
    """The story of the fix, indented beside the conversation."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk

    def show(self, recorded: Recorded) -> None:
        for told in tell(recorded.entry):
            line = story_line(told)
            text = Text(line.plain.strip("\n"), style=line.style)
            self._talk.console.print(self._talk.indented(text), highlight=False)

    def spent(self, words: str) -> None:
        """Nothing to show here: the summary has the cost."""
