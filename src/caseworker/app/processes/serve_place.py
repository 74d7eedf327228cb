"""The file that says where `caseworker serve` of this home listens, for `caseworker open`."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from caseworker.engine.identity import started_at


class ServeFile(BaseModel):
    """`serve.json`."""

    model_config = ConfigDict(frozen=True)

    pid: int
    process_started: str | None
    """In clock ticks: shows whether the pid still belongs to the same process."""
    address: str
    """Where the dashboard answers."""


class ServePlace:
    def __init__(self, home: Path) -> None:
        self.home = home
        self.file = home / "serve.json"
        self.log = home / "serve.log"
        self.failure = home / "serve.failure"
        """Why it could not start, in a sentence."""

    def running(self) -> ServeFile | None:
        """The file of a dead process is ignored."""
        try:
            found = ServeFile.model_validate_json(self.file.read_text())
        except (OSError, ValidationError):
            return None
        return found if started_at(found.pid) == found.process_started else None

    @contextmanager
    def held(self, address: str) -> Iterator[None]:
        """The file is there as long as this process listens."""
        mine = ServeFile(pid=os.getpid(), process_started=started_at(os.getpid()), address=address)
        draft = self.file.with_suffix(".new")
        draft.write_text(mine.model_dump_json())
        draft.rename(self.file)
        try:
            yield
        finally:
            if self.running() == mine:
                self.file.unlink(missing_ok=True)
