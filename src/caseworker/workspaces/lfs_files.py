"""Files in Git LFS: taken from where the user's own checkout keeps them, and mounted read-only over their pointers.

Nothing is fetched, and git-lfs is not run. The worktree itself keeps the pointers, so that commits have them as before.
"""

import json
import os
import re
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from caseworker.core.base.repositories import LocalRepository, RepositoryRef
from caseworker.core.evidence.missing_parts import LARGEST_POINTER, MissingPart, lfs_object
from caseworker.ports import Git
from caseworker.workspaces.blocking_work import in_thread

_FOLDER = "lfs-objects"
_NAME = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class LfsFiles:
    laid: dict[str, str] = field(default_factory=dict)
    """By its path in the worktree: the file with its content."""

    @classmethod
    def of(cls, folder: Path) -> "LfsFiles":
        try:
            return cls(laid=dict(json.loads((folder / "lfs.json").read_text())))
        except (OSError, ValueError, TypeError):
            return cls()

    def write(self, folder: Path) -> None:
        fresh = folder / "lfs.json.new"
        fresh.write_text(json.dumps(self.laid))
        fresh.replace(folder / "lfs.json")

    def overlays(self, tree: Path) -> tuple[tuple[Path, Path], ...]:
        # One that was removed from the cache meanwhile is not mounted: tests see its pointer.
        return tuple((Path(kept), tree / path) for path, kept in self.laid.items() if Path(kept).exists())


async def lay_lfs_files(git: Git, home: Path, repository: RepositoryRef, parts: Sequence[MissingPart]) -> LfsFiles:
    """Those of a commit that the user's checkout has. `parts`: of that commit."""
    wanted = {part.path: part.target for part in parts if part.kind == "lfs" and _NAME.fullmatch(part.target)}
    if not wanted or not isinstance(repository, LocalRepository):
        return LfsFiles()
    own = await git("rev-parse", "--path-format=absolute", "--git-common-dir", inside=repository.path)
    objects = Path(own.text) / "lfs" / "objects"
    return LfsFiles(laid=await in_thread(_keep_all, objects, home / _FOLDER, wanted))


def _keep_all(objects: Path, kept: Path, wanted: dict[str, str]) -> dict[str, str]:
    kept.mkdir(parents=True, exist_ok=True)
    laid = {}
    for path, name in wanted.items():
        source = objects / name[:2] / name[2:4] / name
        if (kept / name).exists() or _keep(source, kept / name):
            laid[path] = str(kept / name)
    return laid


def _keep(source: Path, place: Path) -> bool:
    """Kept under a name of ours: the user may remove theirs while a case still needs it."""
    with suppress(OSError):
        os.link(source, place)
        return True
    fresh = place.with_suffix(".new")
    with suppress(OSError):
        shutil.copyfile(source, fresh)
        fresh.replace(place)
        return True
    return False


def kept_objects(home: Path) -> list[Path]:
    folder = home / _FOLDER
    return sorted(path for path in folder.iterdir() if _NAME.fullmatch(path.name)) if folder.is_dir() else []


def is_lfs_mount(outside: Path) -> bool:
    return outside.parent.name == _FOLDER


def stands_for(outside: Path, inside: Path) -> bool:
    """Whether the worktree still has the pointer for this content. A change may have moved, replaced or removed it."""
    try:
        if inside.is_symlink() or inside.stat().st_size > LARGEST_POINTER or _leads_elsewhere(inside.parent):
            return False
        return lfs_object(inside.read_text(errors="replace")) == outside.name
    except OSError:
        return False


def _leads_elsewhere(folder: Path) -> bool:
    return Path(os.path.realpath(folder)) != folder
