"""Shared by the demos of one issue case: opens the sample's case, shows a short story, and says what to type next."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.resources import as_file, files
from typing import Final

from rich.console import Console

from caseworker.app.demos.fix import in_the_browser, lay_out, tell_next
from caseworker.app.desk import Desk, at_desk
from caseworker.app.parts import read_rehearsal
from caseworker.app.processes.own_name import person
from caseworker.app.processes.start_checks import check_disk, check_sandbox
from caseworker.app.settings import Settings, make_home
from caseworker.app.terminal.follow_bug import HOST_SECONDS, LOOK_SECONDS
from caseworker.app.terminal.live_view import View, live_cost, open_view, print_json_line
from caseworker.app.terminal.run_issue import exit_code
from caseworker.app.terminal.summary import print_summary
from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId, typed
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
from caseworker.views.case_summaries import summary_of
from caseworker.views.tail import Tail

INTERRUPTED: Final = "`caseworker cases --all` names the case, and `caseworker show CASE --follow` watches it"
_GIVE_UP_SECONDS: Final = 120.0
"""Seconds without a new record entry after which the demo gives up and says so."""
_TOOL_LENGTH: Final = 64
"""With its sign, a tool call takes one line of 80 columns."""


@dataclass(frozen=True, kw_only=True)
class Scene:
    """What a demo plays: `issue` and `rehearsal` are files of the sample, `about` is shown to the viewer."""

    about: str
    issue: str
    rehearsal: str
    sample: str = "shop"


class Stage:
    """Shows one case. Nothing is shown twice, however often the case goes on."""

    def __init__(self, *, desk: Desk, console: Console, case: CaseId, as_json: bool) -> None:
        self.desk = desk
        self.console = console
        self.case = case
        self.as_json = as_json
        self._tail = Tail(desk.store, case)

    async def goes_on(self) -> Summary:
        """Show the case until nobody works on it: it needs a person, or it is over."""
        state = (await self.stored()).case.state
        with open_view(self.console, as_json=self.as_json, state=state) as view:
            await self._follow(view if self.as_json else _ShortView(view))
        return await summary_of(self.desk.store, self.case, TerminalPhrasing())

    async def stored(self) -> StoredCase:
        stored = await self.desk.store.cases.load(self.case)
        assert stored is not None, "it was opened here"
        return stored

    async def keep_host(self) -> None:
        await self.desk.keep_host(again=f"`caseworker host start` makes {self.case} go on.")

    async def ends(self, summary: Summary, commands: Sequence[tuple[str, str]]) -> int:
        """Print the summary. `commands`, and what each is for, are printed only if the demo reached its end."""
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
            elif now - last_news > _GIVE_UP_SECONDS:
                raise Refused(
                    f"Nothing has happened for {_GIVE_UP_SECONDS:.0f} s.", todo=f"`caseworker why {typed(self.case)}`."
                )
            view.spent(await live_cost(self.desk.store, self.case, rehearsed=True))
            if now - last_look > HOST_SECONDS:
                last_look = now
                await self.keep_host()
            await asyncio.sleep(LOOK_SECONDS)


class _ShortView(View):
    """A shorter view: no output of tools and builds, one line per tool call. The pm's messages are left out, because
    the question or the next move repeats them."""

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

    def spent(self, words: str) -> None:
        self._view.spent(words)


@asynccontextmanager
async def on_stage(scene: Scene, settings: Settings, console: Console, *, as_json: bool) -> AsyncIterator[Stage]:
    """Make a sample project, and open the scene's issue in it."""
    check_disk(settings.home)
    await check_sandbox(settings)
    make_home(settings)
    with as_file(files("caseworker.app") / "demos" / "samples" / scene.sample) as source:
        project = lay_out(source, settings.home / "demo")
        rehearsal = read_rehearsal(source / scene.rehearsal)
        new = read_issue(source / scene.issue)
    if not as_json:
        console.print(scene.about)
        console.print(f"The sample project is {project}; its model is rehearsed, the rest is real.", style="dim")
        console.print(f"{in_the_browser()}\n", style="dim", markup=False)
    async with at_desk(settings) as desk:
        repository = await desk.store.repositories.register(LocalRepository(path=project))
        issue = await desk.store.repositories.new_issue(repository, new, taken=frozenset())
        opened = await desk.new_cases.open_case(issue, policy=settings.policy(), rehearsal=rehearsal, author=person())
        yield Stage(desk=desk, console=console, case=opened.case, as_json=as_json)
