"""Base class for showing a case in the terminal; one subclass per kind. `view_of_kind.py` has them all."""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar

from rich.console import Console

from caseworker.app.desk import Desk
from caseworker.core.base.ids import Sha
from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.telling.why import Why
from caseworker.ports import Store


class CaseView(ABC):
    pull_request: int | None = None
    state: str
    """The state's name in JSON output."""
    no_matrix: ClassVar[str]
    """Why the case has no matrix of hypotheses; `{case}` stands for its id, `{typed}` for it in a command."""

    @abstractmethod
    def how_it_stands(self) -> tuple[str, str]:
        """The state in words, and what follows from it."""

    @abstractmethod
    async def show(self, store: Store, console: Console, *, as_json: bool, everything: bool) -> None: ...

    @abstractmethod
    async def show_pull_request(self, store: Store, console: Console, *, as_json: bool) -> None: ...

    @abstractmethod
    async def follow(self, desk: Desk, console: Console, *, as_json: bool) -> None:
        """Watch the case until it rests, then print the result and the commands to type next."""

    @abstractmethod
    async def file(self, store: Store) -> str:
        """The document that `export` prints."""

    @abstractmethod
    async def export(self, store: Store, folder: Path) -> list[Path]: ...

    @abstractmethod
    async def artifact(self, store: Store, workflow: WorkflowName) -> tuple[str, str]:
        """The name and the text of the newest run's artifact. `Refused` where there is none."""

    @abstractmethod
    async def why(self, store: Store) -> Why: ...

    @abstractmethod
    def change(self) -> tuple[Sha, Sha]:
        """The commits before and after its change. `Refused` where nothing has changed."""
