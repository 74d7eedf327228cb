"""`caseworker chat`: shows a case's conversation as it goes on, and sends what the person types."""

import asyncio
import re
import time
from contextlib import suppress

from rich.console import Console

from caseworker.app.desk import Desk, at_desk, find_case, reading
from caseworker.app.settings import Settings
from caseworker.app.terminal.follow_bug import HOST_SECONDS, LOOK_SECONDS
from caseworker.app.terminal.keyboard import Lines, PlainScreen, Screen, typing_on
from caseworker.app.terminal.live_view import StoryWithoutRepeats, story_line
from caseworker.app.terminal.local_times import zone_words
from caseworker.app.terminal.send import Speaker, VoiceName, send, speaker_in
from caseworker.app.terminal.talk import Talk, seen_by
from caseworker.app.terminal.view_of_kind import view_of
from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.ids import typed
from caseworker.core.people.messages import Standing
from caseworker.core.record.bug_conversation import conversation
from caseworker.core.record.entries import BugReported, CaseOpened, MessageRecorded, Posted, Recorded, ToolReturned
from caseworker.core.telling.story import one_line
from caseworker.ports import StoredAny
from caseworker.views.receipt_watch import Receipts
from caseworker.views.tail import Tail

_LEAVING = ("/quit", "/exit", "/q", "quit", "exit", ":q", ":q!")
_COMMANDS = {
    Standing.REPORTER: "`never mind` drops it",
    Standing.DEVELOPER: "`I'll take it`, `hand back`, `budget +5`, `close code_fix because ...`",
    Standing.OWNER: "`approve`, `reject: why`, `retry`, `I'll take it`, `hand back`, `budget +5`, `close`",
}


_HELP = ("/help", "/h", "/?", "help", "?")
_SLASH = re.compile(r"/[a-z?]+\s*")


def is_for_chat(line: str) -> bool:
    """Whether a line is for the chat itself: a request for help, or a single word with a slash, which is no path."""
    return line.strip().lower() in _HELP or _SLASH.fullmatch(line.strip().lower()) is not None


async def chat(
    settings: Settings, console: Console, name: str, voice: VoiceName, author: str | None, *, wait: float
) -> int:
    """Returns the exit code. For a pipe: 2 if something was refused, 3 if a message has no outcome yet; it is recorded
    and will have one."""
    async with reading(settings) as store:
        stored = await find_case(store, name)
    speaker = speaker_in(stored, voice, author)
    async with at_desk(settings, any_host=True) as desk, typing_on(console) as (lines, screen):
        session = Chat(desk=desk, speaker=speaker, talk=Talk(console, speaker.standing), screen=screen, lines=lines)
        await session.greet(stored)
        await session.run()
        if isinstance(screen, PlainScreen):
            return await session.finish(wait)
    console.print(f"You left {speaker.case}. `caseworker chat {typed(speaker.case)}` comes back.", style="dim")
    return 0


class Chat:
    def __init__(self, *, desk: Desk, speaker: Speaker, talk: Talk, screen: Screen, lines: Lines) -> None:
        self._desk = desk
        self._speaker = speaker
        self._talk = talk
        self._screen = screen
        self._lines = lines
        self._tail = Tail(desk.store, speaker.case)
        self._receipts = Receipts()
        self._last_look = time.monotonic()
        self._alone = False
        self._code = 0
        self._story = StoryWithoutRepeats()

    async def greet(self, stored: StoredAny) -> None:
        """Show the header. A person also sees the conversation so far; a pipe only sees what follows its messages."""
        who = f"{self._speaker.name}, {self._speaker.standing}"
        self._screen.show(self._talk.aside(f"{stored.case.id}: {one_line(stored.title)} (you are {who})", sign="●"))
        if isinstance(self._screen, PlainScreen):
            await self._tail.news()
            state, stands = view_of(stored).how_it_stands()
            known = stands in ("", state) or self._speaker.standing is Standing.REPORTER
            self._screen.show(self._talk.aside(state if known else f"{state}: {stands}"))
            return
        self._screen.show(self._talk.aside(f"{self._help()} {zone_words()}"))

    def _help(self, asked: str = "") -> str:
        """`asked`: what was typed for it. Nothing with a slash is sent: no model is asked what `/stauts` means."""
        unknown = "" if asked.strip().lower() in ("", *_HELP) else f"{asked.strip()} is no command, and was not sent. "
        commands = _COMMANDS.get(self._speaker.standing, "")
        return (
            f"{unknown}Enter sends. Commands are just words: {commands}. "
            "/help shows this again. /quit or Ctrl-D leaves; the case goes on."
        )

    async def run(self) -> None:
        """Runs until the person leaves, or the pipe ends."""
        while True:
            await self._look()
            with suppress(TimeoutError):
                line = await asyncio.wait_for(self._lines.get(), timeout=LOOK_SECONDS)
                if line is None or line.strip().lower() in _LEAVING:
                    return
                if is_for_chat(line):
                    self._screen.show(self._talk.aside(self._help(line)))
                elif line.strip():
                    await self._say(line)

    async def finish(self, seconds: float) -> int:
        """The exit code: whether every message sent from here has an outcome within this time."""
        deadline = time.monotonic() + seconds
        await self._look()
        while not self._receipts.all_known and time.monotonic() < deadline:
            await asyncio.sleep(LOOK_SECONDS)
            await self._look()
        if self._code == 2 or self._receipts.refused:
            return 2
        return self._code if self._receipts.all_known else 3

    async def _say(self, line: str) -> None:
        try:
            message = await send(self._desk, self._speaker, line.strip())
        except (Refused, Transient) as error:
            self._screen.show(self._talk.aside(str(error), sign="✘"))
            self._code = 2 if isinstance(error, Refused) else self._code or 3
            return
        self._receipts.expect(message.id)

    async def _look(self) -> None:
        for recorded in await self._tail.news():
            self._show(recorded)
        stored = await find_case(self._desk.store, self._speaker.case)
        for text, words, stage in await self._receipts.changes(self._desk.store, self._speaker.case):
            about = "" if stage == "recorded" else f"  “{one_line(text, 40)}”"
            self._screen.show(self._talk.aside(f"{words}{about}", sign="↳"))
        self._screen.prompt(f"{one_line(self._speaker.name, 30)} · {view_of(stored).how_it_stands()[0]} › ")
        if time.monotonic() - self._last_look > HOST_SECONDS:
            self._last_look = time.monotonic()
            await self._keep_host()

    def _show(self, recorded: Recorded) -> None:
        if isinstance(recorded.entry, CaseOpened | BugReported):
            return  # the title is shown above
        if isinstance(recorded.entry, Posted | MessageRecorded):
            for line in seen_by(self._speaker.standing, conversation([recorded])):
                self._screen.show(self._talk.line(line))
        elif self._speaker.standing is not Standing.REPORTER and not isinstance(recorded.entry, ToolReturned):
            for told in self._story.tell(recorded.entry):
                self._screen.show(self._talk.aside(story_line(told).plain.strip(), sign=""))

    async def _keep_host(self) -> None:
        """Keep the host running. One that was stopped on purpose stays stopped; messages are still recorded."""
        try:
            await self._desk.keep_host(again="`caseworker host start` makes it go on; what you say is kept.")
            self._alone = False
        except Refused as refused:
            if not self._alone:
                self._screen.show(self._talk.aside(str(refused), sign="✘"))
            self._alone = True
