"""Shows a pull case in the terminal."""

from pathlib import Path

from rich.console import Console

from caseworker.app.desk import Desk
from caseworker.app.terminal.case_view import CaseView
from caseworker.app.terminal.live_view import PlainView, open_view
from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import Sha
from caseworker.core.base.text import words_of
from caseworker.core.record.entries import AgentSaid, ToolCalled, ToolReturned
from caseworker.core.runs.workflow_names import WorkflowName
from caseworker.core.telling.pull_why import standing_of_pull, why_pull
from caseworker.core.telling.why import Why
from caseworker.ports import Store, StoredPull


class PullView(CaseView):
    no_matrix = "{case} looks after a pull request, and investigates no hypotheses."

    def __init__(self, stored: StoredPull) -> None:
        self._stored = stored
        self.pull_request = stored.number
        self.state = stored.case.state.value

    def how_it_stands(self) -> tuple[str, str]:
        return words_of(self._stored.case.state), standing_of_pull(self._stored.case)

    async def show(self, store: Store, console: Console, *, as_json: bool, everything: bool) -> None:
        view = PlainView(console)
        for recorded in await store.record.whole(self._stored.case.id):
            if everything or not isinstance(recorded.entry, ToolCalled | ToolReturned | AgentSaid):
                view.show(recorded)

    async def show_pull_request(self, store: Store, console: Console, *, as_json: bool) -> None:
        console.print(f"{self._stored.title}\n{self._stored.url}", markup=False, highlight=False)

    async def follow(self, desk: Desk, console: Console, *, as_json: bool) -> None:
        with open_view(console, as_json=as_json):
            raise Refused("A pull case can't be followed yet.")

    async def file(self, store: Store) -> str:
        return self._stored.case.model_dump_json(indent=2)

    async def export(self, store: Store, folder: Path) -> list[Path]:
        raise Refused(f"{self._stored.case.id} can't be exported yet.")

    async def artifact(self, store: Store, workflow: WorkflowName) -> tuple[str, str]:
        raise Refused(f"{self._stored.case.id} has no artifact of {workflow}.")

    async def why(self, store: Store) -> Why:
        return why_pull(self._stored.case, TerminalPhrasing())

    def change(self) -> tuple[Sha, Sha]:
        work = self._stored.case.work
        if work.base is None or self._stored.case.commit is None:
            raise Refused(f"{self._stored.case.id} has changed nothing.")
        return work.base, self._stored.case.commit
