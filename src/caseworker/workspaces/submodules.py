"""The submodules of a repository: laid out from where the user's own checkout has them, and mounted read-only.

Nothing is fetched, and no setting of a submodule is used: only its objects are read, through a folder of ours.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import Sha
from caseworker.core.base.repositories import LocalRepository, RepositoryRef
from caseworker.core.evidence.missing_parts import MissingPart
from caseworker.ports import Git
from caseworker.workspaces.blocking_work import in_thread
from caseworker.workspaces.folders import remove_folder

_FOLDER = "submodules"
_LINK = "160000"
_DEEPEST = 3


@dataclass(frozen=True)
class Submodules:
    laid: dict[str, str] = field(default_factory=dict)
    """By its path in the worktree: the folder with its files."""
    missing: tuple[str, ...] = ()
    """Paths of those that the user's checkout does not have."""

    @classmethod
    def of(cls, folder: Path) -> "Submodules":
        try:
            found = json.loads((folder / "submodules.json").read_text())
            return cls(laid=dict(found["laid"]), missing=tuple(found["missing"]))
        except (OSError, ValueError, KeyError, TypeError):
            return cls()

    def write(self, folder: Path) -> None:
        fresh = folder / "submodules.json.new"
        fresh.write_text(json.dumps({"laid": self.laid, "missing": list(self.missing)}))
        fresh.replace(folder / "submodules.json")

    def overlays(self, tree: Path) -> tuple[tuple[Path, Path], ...]:
        # One that was removed from the cache meanwhile is not mounted.
        return tuple((Path(folder), tree / path) for path, folder in self.laid.items() if Path(folder).is_dir())


def kept_submodules(home: Path) -> list[Path]:
    return sorted((home / _FOLDER).glob("*/tree"))


async def lay_submodules(
    git: Git, home: Path, repository: RepositoryRef, place: tuple[Path, Sha], parts: Sequence[MissingPart]
) -> Submodules:
    """Those of a commit, with those inside them. `place`: the git folder and the commit. `parts`: of that commit."""
    mirror, base = place
    links = {part.path: Sha(part.target) for part in parts if part.kind == "submodule" and _is_plain(part.path)}
    if not links:
        return Submodules()
    if not isinstance(repository, LocalRepository):
        return Submodules(missing=tuple(links))
    own = await git("rev-parse", "--path-format=absolute", "--git-common-dir", inside=repository.path)
    names = await _names(git, mirror, base)
    laid, missing = await _lay_all(_Where(git, home / _FOLDER, Path(own.text)), links, names, depth=1)
    return Submodules(laid=laid, missing=tuple(missing))


@dataclass(frozen=True)
class _Where:
    git: Git
    home: Path
    parent: Path
    """The git folder of the repository whose submodules these are."""


async def _lay_all(
    where: _Where, links: dict[str, Sha], names: dict[str, str], *, depth: int
) -> tuple[dict[str, str], list[str]]:
    laid: dict[str, str] = {}
    missing: list[str] = []
    for path, commit in links.items():
        module = where.parent / "modules" / names.get(path, path)
        folder = await _lay_one(where, module, commit) if _is_plain(names.get(path, path)) else None
        if folder is None:
            missing.append(path)
            continue
        laid[path] = str(folder)
        inner = await _inner_links(where.git, module, commit) if depth < _DEEPEST else {}
        if inner:
            below = _Where(where.git, where.home, module)
            deeper, lacking = await _lay_all(below, inner, await _names(where.git, module, commit), depth=depth + 1)
            laid |= {f"{path}/{name}": place for name, place in deeper.items()}
            missing += [f"{path}/{name}" for name in lacking]
    return laid, missing


async def _lay_one(where: _Where, module: Path, commit: Sha) -> Path | None:
    """The files of a commit. Null: this checkout does not have it."""
    if not (module / "objects").is_dir():
        return None
    known = await where.git("cat-file", "-e", f"{commit}^{{commit}}", git_dir=module, accept=(0, 1, 128))
    if known.code != 0:
        return None
    place = where.home / commit / "tree"
    if place.is_dir():
        return place
    fresh, store = where.home / commit / "fresh", where.home / commit / "git"
    await in_thread(remove_folder, where.home / commit)
    store.parent.mkdir(parents=True)
    try:
        await where.git("init", "--quiet", "--bare", "--template=", str(store))
        (store / "objects" / "info").mkdir(parents=True, exist_ok=True)
        (store / "objects" / "info" / "alternates").write_text(f"{module / 'objects'}\n")
        fresh.mkdir()
        await where.git("read-tree", commit, git_dir=store, work_tree=fresh)
        await where.git("checkout-index", "--all", "--quiet", git_dir=store, work_tree=fresh)
    except Refused:
        return None  # objects that are missing in a partial clone
    fresh.rename(place)
    await in_thread(remove_folder, store)
    return place


async def _inner_links(git: Git, git_dir: Path, commit: Sha) -> dict[str, Sha]:
    """Of a submodule. Asks for no sizes: its clone may lack objects."""
    listing = await git("ls-tree", "-r", "-z", commit, git_dir=git_dir)
    found: dict[str, Sha] = {}
    for line in listing.output.decode(errors="replace").split("\0"):
        about, _, path = line.partition("\t")
        if about.startswith(_LINK) and _is_plain(path):
            found[path] = Sha(about.split(" ")[2])
    return found


async def _names(git: Git, git_dir: Path, commit: Sha) -> dict[str, str]:
    """The name of each submodule by its path, from .gitmodules."""
    question = ("config", f"--blob={commit}:.gitmodules", "-z", "--get-regexp", r"^submodule\..*\.path$")
    answer = await git(*question, git_dir=git_dir, accept=(0, 1, 128))
    pairs = (entry.split("\n", 1) for entry in answer.output.decode(errors="replace").split("\0") if "\n" in entry)
    return {path: key.removeprefix("submodule.").removesuffix(".path") for key, path in pairs}


def _is_plain(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return bool(parts) and ".." not in parts and not path.startswith("/")
