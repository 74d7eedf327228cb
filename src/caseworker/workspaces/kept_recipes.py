"""Recipes that were learned or written by hand: one file per repository, outside of it, in the home folder."""

from pathlib import Path

from caseworker.core.base.repositories import RepositoryRef
from caseworker.workspaces.mirrors import mirror_name


class KeptRecipes:
    def __init__(self, home: Path) -> None:
        self._folder = home / "recipes"

    def file(self, repository: RepositoryRef | str) -> Path:
        """`repository`: or the name of its mirror."""
        name = repository if isinstance(repository, str) else mirror_name(repository)
        return self._folder / f"{name.removesuffix('.git')}.toml"

    def text(self, repository: RepositoryRef | str) -> str | None:
        try:
            return self.file(repository).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None

    def save(self, repository: RepositoryRef | str, text: str) -> None:
        file = self.file(repository)
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh = file.with_suffix(".new")
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(file)

    def forget(self, repository: RepositoryRef) -> bool:
        file = self.file(repository)
        there = file.exists()
        file.unlink(missing_ok=True)
        return there
