"""How the last `caseworker check` of a repository ended: one file per repository in the home folder."""

from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from caseworker.core.base.repositories import RepositoryRef
from caseworker.workspaces.mirrors import mirror_name


class KeptCheck(BaseModel):
    model_config = ConfigDict(frozen=True)

    at: datetime
    commit: str
    kind: Literal["works", "fails_already", "fails_otherwise", "could_not_run"]
    sentence: str
    """How it ended, and what to do."""
    found: tuple[str, ...] = ()
    """The ecosystems, such as `Python, by pyproject.toml`."""
    source: Literal["settings", "recipe", "rules"]
    """Who said how to test."""


class KeptChecks:
    def __init__(self, home: Path) -> None:
        self._folder = home / "checks"

    def of(self, repository: RepositoryRef) -> KeptCheck | None:
        try:
            return KeptCheck.model_validate_json(self._file(repository).read_bytes())
        except (OSError, ValidationError):
            return None

    def save(self, repository: RepositoryRef, check: KeptCheck) -> None:
        file = self._file(repository)
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh = file.with_suffix(".new")
        fresh.write_text(check.model_dump_json(), encoding="utf-8")
        fresh.replace(file)

    def _file(self, repository: RepositoryRef) -> Path:
        return self._folder / f"{mirror_name(repository).removesuffix('.git')}.json"
