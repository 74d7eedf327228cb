"""Shows a bug case in the terminal."""

from pathlib import Path

from rich.console import Console

from caseworker.app.desk import Desk
from caseworker.app.terminal.bug_summary import print_bug_summary
from caseworker.app.terminal.case_view import CaseView
from caseworker.app.terminal.follow_bug import follow_bug
from caseworker.app.terminal.live_view import open_view
from caseworker.app.terminal.show_bug import bug_file, export_bug, show_bug, show_fix
from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import Sha, typed
from caseworker.core.base.text import words_of
from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.bug.case import status_of
from caseworker.core.telling.summaries import standing_of_bug
from caseworker.core.telling.why import Why
from caseworker.ports import Store, StoredBug
from caseworker.views.case_summaries import bug_summary
from caseworker.views.whole_cases import why_with_sources


class BugView(CaseView):
    no_matrix = (
        "{case} is a bug, and keeps no matrix of hypotheses: `caseworker show {typed}` has what was found. "
        "The issue case of its fix has one, if the cause is investigated there."
    )

    def __init__(self, stored: StoredBug) -> None:
        self._stored = stored
        self.state = status_of(stored.case).value

    def how_it_stands(self) -> tuple[str, str]:
        return words_of(status_of(self._stored.case)), standing_of_bug(self._stored.case)

    async def show(self, store: Store, console: Console, *, as_json: bool, everything: bool) -> None:
        await show_bug(store, self._stored, console, as_json=as_json, everything=everything)

    async def show_pull_request(self, store: Store, console: Console, *, as_json: bool) -> None:
        await show_fix(store, self._stored, console, as_json=as_json)

    async def follow(self, desk: Desk, console: Console, *, as_json: bool) -> None:
        with open_view(console, as_json=as_json) as view:
            stored = await follow_bug(desk, self._stored.case.id, view.show, view.spent)
        print_bug_summary(await bug_summary(desk.store, stored), console, voice="developer", as_json=as_json)

    async def file(self, store: Store) -> str:
        return await bug_file(store, self._stored)

    async def export(self, store: Store, folder: Path) -> list[Path]:
        return await export_bug(store, self._stored, folder)

    async def artifact(self, store: Store, workflow: WorkflowName) -> tuple[str, str]:
        raise Refused(f"{self._stored.case.id} is a bug case: it has no runs.", todo=self._fix("its runs"))

    async def why(self, store: Store) -> Why:
        return await why_with_sources(store, self._stored, TerminalPhrasing())

    def change(self) -> tuple[Sha, Sha]:
        raise Refused(f"{self._stored.case.id} is a bug case: it changes nothing.", todo=self._fix("one"))

    def _fix(self, what: str) -> str:
        fix = self._stored.case.repair.fix
        return f"`caseworker show {typed(fix)}` has its fix." if fix else f"Its fix will have {what}."
