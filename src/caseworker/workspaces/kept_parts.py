"""Submodules and files in Git LFS that are kept for the worktrees of cases. What no case uses can be removed."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from caseworker.workspaces.folders import remove_entry, size_of
from caseworker.workspaces.lfs_files import LfsFiles, kept_objects
from caseworker.workspaces.submodules import Submodules, kept_submodules


@dataclass(frozen=True, kw_only=True)
class KeptPart:
    path: Path
    size: int
    in_use: bool
    """A case that is not over has it mounted."""


class KeptParts:
    def __init__(self, home: Path) -> None:
        self._home = home.resolve()  # the worktrees name them like this

    def all(self) -> list[KeptPart]:
        used = set(self._used())
        folders = [KeptPart(path=path, size=size_of(path), in_use=path in used) for path in kept_submodules(self._home)]
        files = [KeptPart(path=path, size=_own_size(path), in_use=path in used) for path in kept_objects(self._home)]
        return [*folders, *files]

    def remove_unused(self) -> tuple[int, int]:
        """Returns how many, and their size in bytes. They are laid again from the user's checkout when needed."""
        count, size = 0, 0
        for part in self.all():
            if not part.in_use:
                remove_entry(part.path.parent if part.path.is_dir() else part.path)
                count, size = count + 1, size + part.size
        return count, size

    def _used(self) -> Iterator[Path]:
        cases = self._home / "workspaces"
        for folder in cases.iterdir() if cases.is_dir() else ():
            yield from map(Path, Submodules.of(folder).laid.values())
            yield from map(Path, LfsFiles.of(folder).laid.values())


def _own_size(file: Path) -> int:
    """Most are second names of files in the user's checkout, and take no space of their own."""
    try:
        status = file.stat()
    except OSError:
        return 0
    return status.st_blocks * 512 if status.st_nlink == 1 else 0
