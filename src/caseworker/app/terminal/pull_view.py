"""Shows a pull case in the terminal."""

from pathlib import Path

from rich.console import Console

from caseworker.app.desk import Desk
from caseworker.app.terminal.case_view import CaseView
from caseworker.app.terminal.follow_pull import follow_pull
from caseworker.app.terminal.live_view import open_view, print_json
from caseworker.app.terminal.pull_summary import print_pull_summary
from caseworker.app.terminal.show_pull import artifact_of_pull, export_pull, pull_file, show_pull
from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import Sha, typed
from caseworker.core.base.text import printable, words_of
from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.telling.pull_why import standing_of_pull
from caseworker.core.telling.why import Why
from caseworker.ports import Store, StoredPull
from caseworker.views.changes import commits_of
from caseworker.views.whole_cases import why_with_sources


class PullView(CaseView):
    no_matrix = "{case} looks after a pull request, and investigates no hypotheses."

    def __init__(self, stored: StoredPull) -> None:
        self._stored = stored
        self.pull_request = stored.number
        self.state = stored.case.state.value

    def how_it_stands(self) -> tuple[str, str]:
        return words_of(self._stored.case.state), standing_of_pull(self._stored.case)

    async def show(self, store: Store, console: Console, *, as_json: bool, everything: bool) -> None:
        await show_pull(store, self._stored, console, as_json=as_json, everything=everything)

    async def show_pull_request(self, store: Store, console: Console, *, as_json: bool) -> None:
        if as_json:
            print_json([{"number": self._stored.number, "title": self._stored.title, "url": self._stored.url}])
        else:
            console.print(printable(f"{self._stored.title}\n{self._stored.url}"), markup=False, highlight=False)

    async def follow(self, desk: Desk, console: Console, *, as_json: bool) -> None:
        with open_view(console, as_json=as_json) as view:
            stored = await follow_pull(desk, self._stored.case.id, view)
        await print_pull_summary(desk.store, stored, console, as_json=as_json)

    async def file(self, store: Store) -> str:
        return await pull_file(store, self._stored)

    async def export(self, store: Store, folder: Path) -> list[Path]:
        return await export_pull(store, self._stored, folder)

    async def artifact(self, store: Store, workflow: WorkflowName) -> tuple[str, str]:
        return await artifact_of_pull(store, self._stored, workflow)

    async def why(self, store: Store) -> Why:
        return await why_with_sources(store, self._stored, TerminalPhrasing())

    def change(self) -> tuple[Sha, Sha]:
        case, commits = self._stored.case.id, commits_of(self._stored)
        if commits is None:
            todo = f"`caseworker why {typed(case)}` says what happens."
            raise Refused(f"{case} has nothing in hand that is not pushed.", todo=todo)
        return commits
