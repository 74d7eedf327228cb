"""What the terminal shows of a case, one subclass per kind. `kinds.py` has them all."""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar

from rich.console import Console

from caseworker.app.desk import Desk
from caseworker.core.base.ids import Sha
from caseworker.core.runs.names import WorkflowName
from caseworker.core.telling.why import Why
from caseworker.ports import Store


class CaseView(ABC):
    pull_request: int | None = None
    state: str
    """As programs are told."""
    no_matrix: ClassVar[str]
    """Why it has no matrix of hypotheses; `{case}` stands for its id."""

    @abstractmethod
    def how_it_stands(self) -> tuple[str, str]:
        """The state in words, and what follows from it."""

    @abstractmethod
    async def show(self, store: Store, console: Console, *, as_json: bool, everything: bool) -> None: ...

    @abstractmethod
    async def show_pull_request(self, store: Store, console: Console, *, as_json: bool) -> None: ...

    @abstractmethod
    async def follow(self, desk: Desk, console: Console, *, as_json: bool) -> None:
        """Watch it work until it rests, then tell what came of it and what to type now."""

    @abstractmethod
    async def file(self, store: Store) -> str:
        """The one document that `export` prints."""

    @abstractmethod
    async def export(self, store: Store, folder: Path) -> list[Path]: ...

    @abstractmethod
    async def artifact(self, store: Store, workflow: WorkflowName) -> tuple[str, str]:
        """The name and the text of the newest run's artifact. Refused where there is none."""

    @abstractmethod
    async def why(self, store: Store) -> Why: ...

    @abstractmethod
    def change(self) -> tuple[Sha, Sha]:
        """What it has changed: from which commit to which. Refused where nothing is changed."""
