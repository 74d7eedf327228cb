"""What the home keeps for a repository outside of it: its environment, its recipe, and how the last check ended."""

from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.repositories import RepositoryRef
from caseworker.workspaces.environments.cache import EnvironmentCache, Kept
from caseworker.workspaces.kept_checks import KeptCheck, KeptChecks
from caseworker.workspaces.kept_recipes import KeptRecipes
from caseworker.workspaces.mirrors import mirror_name


class EnvironmentLine(BaseModel):
    """The environment that was used last."""

    model_config = ConfigDict(frozen=True)

    bytes: int
    made_at: datetime
    made_seconds: float
    used_at: datetime
    in_use: bool
    """A case that is not over sees it."""


class Upkeep(BaseModel):
    model_config = ConfigDict(frozen=True)

    environment: EnvironmentLine | None = None
    """Null: nothing has to be installed for it, or nothing was yet."""
    recipe: str | None = None
    """The commands that are kept outside the repository. Null: its own settings or the rules say how to test."""
    check: KeptCheck | None = None


class UpkeepReader:
    """Reads the disk: not for the event loop. The environments are listed once for all repositories."""

    def __init__(self, home: Path) -> None:
        self._recipes = KeptRecipes(home)
        self._checks = KeptChecks(home)
        self._environments: dict[str, Kept] = {}
        for kept in reversed(EnvironmentCache(home).all()):  # the most recently used one stays
            self._environments[kept.known.repository] = kept

    def of(self, repository: RepositoryRef) -> Upkeep:
        kept = self._environments.get(mirror_name(repository).removesuffix(".git"))
        return Upkeep(
            environment=None if kept is None else _line(kept),
            recipe=self._recipes.text(repository),
            check=self._checks.of(repository),
        )


def _line(kept: Kept) -> EnvironmentLine:
    return EnvironmentLine(
        bytes=kept.known.size,
        made_at=datetime.fromtimestamp(kept.known.at, UTC),
        made_seconds=kept.known.seconds,
        used_at=datetime.fromtimestamp(kept.used_at, UTC),
        in_use=kept.in_use,
    )
