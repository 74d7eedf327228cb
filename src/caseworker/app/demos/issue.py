"""What the demos of one issue case share: the sample's case, its story in short, and what to type next."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.resources import as_file, files
from typing import Final

from rich.console import Console

from caseworker.app.demos.fix import lay_out, tell_next
from caseworker.app.desk import Desk, at_desk, person
from caseworker.app.parts import read_rehearsal
from caseworker.app.processes.start_checks import check_disk, check_sandbox
from caseworker.app.settings import Settings, make_home
from caseworker.app.terminal.live_view import View, open_view, print_json_line
from caseworker.app.terminal.run import exit_code
from caseworker.app.terminal.summary import print_summary, summary_of
from caseworker.app.terminal.tail import HOST_SECONDS, LOOK_SECONDS, Tail
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId
from caseworker.core.base.repositories import LocalRepository
from caseworker.core.base.roles import Task
from caseworker.core.issue.turns import MAY_BE_AT_WORK
from caseworker.core.record.entries import (
    BuildRan,
    Entry,
    Posted,
    Recorded,
    ToolCalled,
    ToolReturned,
    Transitioned,
    TurnCompleted,
)
from caseworker.core.telling.story import one_line
from caseworker.core.telling.summaries import Summary
from caseworker.intake.issues import read_issue
from caseworker.ports import StoredCase

INTERRUPTED: Final = "`caseworker cases` names the case, and `caseworker show CASE --follow` watches it"
_PATIENCE: Final = 120.0
"""Seconds without anything new in the record: then something is wrong, and the demo says so."""
_TOOL_LENGTH: Final = 64
"""With its sign, a tool at work has one line of 80 columns."""


@dataclass(frozen=True, kw_only=True)
class Scene:
    """`issue` and `rehearsal` are files of the sample; `about` is what the demo shows, in a sentence."""

    about: str
    issue: str
    rehearsal: str
    sample: str = "shop"


class Stage:
    """One case on show. What was shown once is not shown again, however often it goes on."""

    def __init__(self, *, desk: Desk, console: Console, case: CaseId, as_json: bool) -> None:
        self.desk = desk
        self.console = console
        self.case = case
        self.as_json = as_json
        self._tail = Tail(desk.store, case)

    async def goes_on(self) -> Summary:
        """From here until it moves to where nobody works: people are wanted, or it is over."""
        state = (await self.stored()).case.state
        with open_view(self.console, as_json=self.as_json, state=state) as view:
            await self._follow(view if self.as_json else _InShort(view))
        return await summary_of(self.desk.store, self.case)

    async def stored(self) -> StoredCase:
        stored = await self.desk.store.cases.load(self.case)
        assert stored is not None, "it was opened here"
        return stored

    async def keep_host(self) -> None:
        await self.desk.keep_host(again=f"`caseworker host start` makes {self.case} go on.")

    async def ends(self, summary: Summary, commands: Sequence[tuple[str, str]]) -> int:
        """`commands` and what each is for: only where the demo came to its end."""
        if self.as_json:
            print_json_line({"kind": "summary", **summary.model_dump(mode="json")})
            return exit_code(summary)
        repository = await self.desk.store.repositories.ref((await self.stored()).repository)
        print_summary(summary, repository, self.console, as_json=False)
        if exit_code(summary) == 0:
            tell_next(commands, self.console)
        return exit_code(summary)

    async def _follow(self, view: View) -> None:
        rests, last_news, last_look = False, time.monotonic(), 0.0
        while True:
            news = await self._tail.news()
            for recorded in news:
                view.show(recorded)
                if isinstance(recorded.entry, Transitioned):
                    rests = recorded.entry.to_state not in MAY_BE_AT_WORK
            now = time.monotonic()
            if news:
                last_news = now
            elif rests:
                return
            elif now - last_news > _PATIENCE:
                raise Refused(f"Nothing has happened for {_PATIENCE:.0f} s.", todo=f"`caseworker why {self.case}`.")
            spent = await self.desk.store.ledger.spent(self.case)
            view.spent(spent.micros, spent.calls)
            if now - last_look > HOST_SECONDS:
                last_look = now
                await self.keep_host()
            await asyncio.sleep(LOOK_SECONDS)


class _InShort(View):
    """Without what tools and builds have put out, each tool at work in one line, and nothing twice: what the pm writes
    to people is shown where they are asked, or is the reason of the next move."""

    def __init__(self, view: View) -> None:
        self._view = view

    def show(self, recorded: Recorded) -> None:
        match recorded.entry:
            case ToolReturned() | Posted() | TurnCompleted(task=Task.QUESTIONS | Task.INTERPRET):
                return
            case ToolCalled(summary=summary) as called:
                self._show(recorded, called.model_copy(update={"summary": one_line(summary, _TOOL_LENGTH)}))
            case BuildRan() as build:
                self._show(recorded, build.model_copy(update={"runs": []}))
            case _:
                self._view.show(recorded)

    def _show(self, recorded: Recorded, entry: Entry) -> None:
        self._view.show(recorded.model_copy(update={"entry": entry}))

    def spent(self, micros: int, calls: int) -> None:
        self._view.spent(micros, calls)


@asynccontextmanager
async def on_stage(scene: Scene, settings: Settings, console: Console, *, as_json: bool) -> AsyncIterator[Stage]:
    """A sample project of its own, and the scene's issue opened in it."""
    check_disk(settings.home)
    await check_sandbox(settings)
    make_home(settings)
    with as_file(files("caseworker.app") / "demos" / "samples" / scene.sample) as source:
        project = lay_out(source, settings.home / "demo")
        rehearsal = read_rehearsal(source / scene.rehearsal)
        new = read_issue(source / scene.issue)
    if not as_json:
        console.print(scene.about)
        console.print(f"The sample project is {project}; its model is rehearsed, the rest is real.\n", style="dim")
    async with at_desk(settings) as desk:
        repository = await desk.store.repositories.register(LocalRepository(path=project))
        issue = await desk.store.repositories.new_issue(repository, new, taken=frozenset())
        opened = await desk.new_cases.open_case(issue, policy=settings.policy(), rehearsal=rehearsal, author=person())
        yield Stage(desk=desk, console=console, case=opened.case, as_json=as_json)
