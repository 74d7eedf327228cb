"""Shows an issue case in the terminal."""

from pathlib import Path

from rich.console import Console

from caseworker.app.desk import Desk
from caseworker.app.terminal.case_view import CaseView
from caseworker.app.terminal.export_artifact import artifact_of
from caseworker.app.terminal.live_view import open_view
from caseworker.app.terminal.run_issue import follow
from caseworker.app.terminal.show import export_case, show_case, show_pull_request
from caseworker.app.terminal.summary import print_summary
from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import Sha, typed
from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.casefile.pipeline import standing_in_file
from caseworker.core.issue.words import state_words
from caseworker.core.telling.why import Why
from caseworker.ports import Store, StoredCase
from caseworker.views.case_summaries import summary_of
from caseworker.views.changes import commits_of
from caseworker.views.whole_cases import why_with_sources


class IssueView(CaseView):
    no_matrix = (
        "Nothing is investigated in {case}. An investigation begins when the pm or the tech lead asks for one, "
        "or when a developer is blocked. `caseworker why {typed}` says where the case stands."
    )

    def __init__(self, stored: StoredCase) -> None:
        self._stored = stored
        self.pull_request = stored.case.delivery.pull_request
        self.state = stored.case.state.value

    def how_it_stands(self) -> tuple[str, str]:
        return state_words(self._stored.case.state), standing_in_file(self._stored.case, self._stored.file)

    async def show(self, store: Store, console: Console, *, as_json: bool, everything: bool) -> None:
        await show_case(store, self._stored, console, as_json=as_json, everything=everything)

    async def show_pull_request(self, store: Store, console: Console, *, as_json: bool) -> None:
        await show_pull_request(store, self._stored, console, as_json=as_json)

    async def follow(self, desk: Desk, console: Console, *, as_json: bool) -> None:
        case = self._stored.case.id
        with open_view(console, as_json=as_json) as view:
            await follow(desk, case, view)
        path = await desk.store.repositories.ref(self._stored.repository)
        print_summary(await summary_of(desk.store, case, TerminalPhrasing()), path, console, as_json=as_json)

    async def file(self, store: Store) -> str:
        return self._stored.file.dump()

    async def export(self, store: Store, folder: Path) -> list[Path]:
        return await export_case(store, self._stored, folder)

    async def artifact(self, store: Store, workflow: WorkflowName) -> tuple[str, str]:
        return await artifact_of(store, self._stored, workflow)

    async def why(self, store: Store) -> Why:
        return await why_with_sources(store, self._stored, TerminalPhrasing())

    def change(self) -> tuple[Sha, Sha]:
        case, commits = self._stored.case.id, commits_of(self._stored)
        if commits is None:
            raise Refused(f"{case} has changed nothing yet.", todo=f"`caseworker why {typed(case)}` says what happens.")
        return commits
