"""One kept environment on the disk: its folder, what is known of it, and how it is shown to a worktree.

An entry has `env` (mounted at the fixed path), `made` (what the set-up made inside the tree, by its path there) and
`entry.json`, which is written last: without it the entry is not there.
"""

import hashlib
import json
import os
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from caseworker.core.ecosystems.variables import ROOT, after_set_up, always, search_path
from caseworker.ports import Equipment, Workspace

UV_PLACE = "bin/uv"
"""Below `env`: where our uv is mounted."""


@dataclass(frozen=True, kw_only=True)
class Known:
    """What is kept of an environment besides its files."""

    key: str
    repository: str
    tree: str
    """The path of the worktree in which it was made: some files of it name that path."""
    made: tuple[str, ...]
    named: tuple[str, ...]
    """Files that name `tree`, relative to the entry."""
    seconds: float
    """How long the set-up took."""
    at: float
    size: int
    has_venv: bool


@dataclass(frozen=True)
class Entry:
    folder: Path

    @property
    def env(self) -> Path:
        return self.folder / "env"

    @property
    def made(self) -> Path:
        return self.folder / "made"

    @property
    def _file(self) -> Path:
        return self.folder / "entry.json"

    def known(self) -> Known | None:
        try:
            found = json.loads(self._file.read_text())
            return Known(**{**found, "made": tuple(found["made"]), "named": tuple(found["named"])})
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def write(self, known: Known) -> None:
        fresh = self.folder / "entry.json.new"
        fresh.write_text(json.dumps(asdict(known)))
        fresh.replace(self._file)

    def use(self) -> None:
        """Notes that it was used now: the least recently used one is removed first."""
        os.utime(self._file)

    @property
    def used_at(self) -> float:
        try:
            return self._file.stat().st_mtime
        except OSError:
            return 0.0


@dataclass(frozen=True)
class Attachment:
    """Which environment a case's worktrees see. Kept in `environment.json` in the case's folder."""

    entry: Path
    uv: Path

    @classmethod
    def of(cls, folder: Path) -> "Attachment | None":
        try:
            found = json.loads((folder / "environment.json").read_text())
            return cls(entry=Path(found["entry"]), uv=Path(found["uv"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write(self, folder: Path) -> None:
        fresh = folder / "environment.json.new"
        fresh.write_text(json.dumps({"entry": str(self.entry), "uv": str(self.uv), "at": time.time()}))
        fresh.replace(folder / "environment.json")


def equipped(workspace: Workspace, attachment: Attachment, folder: Path) -> Workspace:
    """The worktree with its environment mounted. Without it, if it is no longer there. `folder`: for a few files of it
    that name the worktree's path and are written again for this one."""
    entry = Entry(attachment.entry)
    known = entry.known()
    if known is None:
        return workspace
    overlays = [*workspace.overlays, (entry.env, Path(ROOT)), (attachment.uv, Path(ROOT) / UV_PLACE)]
    overlays += [(entry.made / path, workspace.path / path) for path in known.made]
    overlays += _renamed(entry, known, workspace.path, folder)
    return replace(workspace, overlays=tuple(overlays), equipment=equipment_of(known))


def equipment_of(known: Known, root: str = ROOT) -> Equipment:
    venv = {"VIRTUAL_ENV": f"{root}/venv"} if known.has_venv else {}
    variables = {"CASEWORKER_ENV": root, **always(root), **after_set_up(root), **venv}
    return Equipment(search_path=search_path(root), variables=variables)


def _renamed(entry: Entry, known: Known, tree: Path, folder: Path) -> list[tuple[Path, Path]]:
    """Files that name the worktree in which the environment was made (an editable install), for this worktree."""
    if str(tree) == known.tree:
        return []
    where = folder / "environment" / hashlib.sha256(f"{known.key} {tree}".encode()).hexdigest()[:12]
    pairs = []
    for name in known.named:
        copy = where / name
        if not copy.exists():
            copy.parent.mkdir(parents=True, exist_ok=True)
            text = (entry.folder / name).read_bytes().replace(known.tree.encode(), str(tree).encode())
            fresh = copy.with_name(f".{copy.name}.{os.getpid()}")
            fresh.write_bytes(text)
            fresh.chmod((entry.folder / name).stat().st_mode)
            fresh.replace(copy)
        pairs.append((copy, _inside(name, tree)))
    return pairs


def _inside(name: str, tree: Path) -> Path:
    kind, _, rest = name.partition("/")
    return (Path(ROOT) if kind == "env" else tree) / rest
