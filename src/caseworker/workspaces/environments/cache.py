"""The cache of environments: found by key, locked while they are made, the least recently used removed first."""

from collections.abc import Collection, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

from caseworker.workspaces.environment_mounts import Attachment, Entry, Known
from caseworker.workspaces.folders import remove_folder
from caseworker.workspaces.kept_parts import KeptParts
from caseworker.workspaces.locks import locked

_GIGABYTE = 1_000_000_000


@dataclass(frozen=True, kw_only=True)
class Kept:
    entry: Entry
    known: Known
    used_at: float
    in_use: bool
    """A case that is not over sees it."""


class EnvironmentCache:
    def __init__(self, home: Path, *, gigabytes: float = 10) -> None:
        self._home = home
        self._folder = home / "environments"
        self._most = int(gigabytes * _GIGABYTE)
        self.parts = KeptParts(home)

    def find(self, key: str) -> Entry | None:
        entry = Entry(self._folder / key)
        if entry.known() is None:
            return None
        entry.use()
        return entry

    def begin(self, key: str) -> Entry:
        """An empty entry. The caller holds its lock."""
        entry = Entry(self._folder / key)
        remove_folder(entry.folder)
        entry.env.mkdir(parents=True)
        entry.made.mkdir()
        return entry

    def lock(self, key: str, *, seconds: float) -> AbstractAsyncContextManager[None]:
        busy = f"another set-up of the same environment has been running for {seconds:.0f} s."
        return locked(self._folder / f"{key}.lock", seconds=seconds, busy=busy)

    def all(self) -> list[Kept]:
        """Most recently used first."""
        used = self._attached()
        found = [
            Kept(entry=entry, known=known, used_at=entry.used_at, in_use=entry.folder in used)
            for entry in self._entries()
            if (known := entry.known()) is not None
        ]
        return sorted(found, key=lambda kept: -kept.used_at)

    def trim(self, *, keep: Collection[str] = ()) -> list[Known]:
        """Removes the least recently used ones beyond the limit. Those in use and `keep` (keys) stay. Before them, what
        is kept of submodules and files in Git LFS and no case uses: it is quickly laid again."""
        environments = self.all()
        parts = self.parts.all()
        size = sum(part.size for part in parts)
        if size + sum(kept.known.size for kept in environments) > self._most:
            size -= self.parts.remove_unused()[1]
        removed = []
        for kept in environments:
            size += kept.known.size
            if size > self._most and not kept.in_use and kept.known.key not in keep:
                self._remove(kept.entry)
                size -= kept.known.size
                removed.append(kept.known)
        return removed

    def clear(self, repository: str | None = None) -> tuple[int, int]:
        """Removes all that no case uses. Returns how many, and their size in bytes."""
        count, size = 0, 0
        for kept in self.all():
            if not kept.in_use and repository in (None, kept.known.repository):
                self._remove(kept.entry)
                count, size = count + 1, size + kept.known.size
        return count, size

    def _remove(self, entry: Entry) -> None:
        (entry.folder / "entry.json").unlink(missing_ok=True)  # first: half of an entry must not be found
        remove_folder(entry.folder)
        entry.folder.with_suffix(".lock").unlink(missing_ok=True)

    def _entries(self) -> Iterator[Entry]:
        if self._folder.is_dir():
            yield from (Entry(path) for path in sorted(self._folder.iterdir()) if path.is_dir())

    def _attached(self) -> set[Path]:
        cases = self._home / "workspaces"
        folders = cases.iterdir() if cases.is_dir() else ()
        return {found.entry for folder in folders if (found := Attachment.of(folder)) is not None}
