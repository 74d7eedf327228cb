"""Mirrors: a bare copy of each repository, filled through the `Source` port, where cases keep their commits.

The history of a base branch is in a repository of its own beside the mirror (a *history*), which the mirror borrows
from. A sandbox sees that, and not the mirror, which has the commits of all cases and all branches of people.
"""

import hashlib
import os
import re
import shutil
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

from caseworker.core.base.ids import Sha
from caseworker.core.base.repositories import LocalRepository, RemoteRepository, RepositoryRef
from caseworker.ports import Git, Head, Source
from caseworker.workspaces.locks import locked
from caseworker.workspaces.rounds import Rounds

OURS = ("issue-state.json", ".caseworker")
"""Names at the root of a workspace that we write for the agent; never part of a commit."""
FETCHED_HEAD = "refs/origin-head"
FETCHED_TAGS = "refs/origin-tags"
_BY_PRODUCTS = (
    "__pycache__/",
    "*.py[co]",
    ".pytest_cache/",
    ".mypy_cache/",
    ".ruff_cache/",
    "node_modules/",
    ".DS_Store",
)
"""By-products of builds and tools, ignored even where the repository does not ignore them. Tracked files stay."""
_EXCLUDE = "".join(f"{name}\n" for name in (*(f"/{name}" for name in OURS), *_BY_PRODUCTS))
_ATTRIBUTES = "* -text -eol -filter -ident -working-tree-encoding !diff !merge !conflict-marker-size\n"
"""Overrides the tree's own .gitattributes. Files are committed byte for byte: no filter, no conversion that could fail,
no `-diff` that would hide a change from the reviewer, no driver, and no markers of a size that fills the memory."""
_FETCH_SECONDS = 600.0


def mirror_name(repository: RepositoryRef) -> str:
    match repository:
        case LocalRepository(path=path):
            known_as = path.name
        case RemoteRepository(name=name):
            known_as = name
    readable = re.sub(r"[^\w-]+", "-", known_as).strip("-") or "repository"
    return f"{readable}-{hashlib.sha256(str(repository).encode()).hexdigest()[:12]}.git"


class Mirrors:
    def __init__(self, folder: Path, *, source: Source, git: Git) -> None:
        self._folder = folder
        self._source = source
        self._git = git
        self._rounds: dict[RepositoryRef, Rounds[Head]] = {}

    def of(self, repository: RepositoryRef) -> Path:
        return self._folder / mirror_name(repository)

    def history(self, mirror: Path, branch: str) -> Path:
        """Where the history of this base branch is."""
        readable = re.sub(r"[^\w-]+", "-", branch)[:60]
        return mirror.with_suffix(".base") / f"{readable}-{hashlib.sha256(branch.encode()).hexdigest()[:12]}"

    async def keep_history(self, mirror: Path, branch: str, base: Sha) -> Path:
        """Makes sure that all of the base's history is in the history of its branch, which is returned."""
        history = self.history(mirror, branch)
        if await self.has(history, base):
            return history
        async with self.lock(mirror):
            await self._make_history(mirror, history)
            known = await self._git("for-each-ref", "--format=^%(objectname)", git_dir=history)
            await copy_objects(self._git, mirror, f"{base}\n{known.text}\n", into=history / "objects")
            await self._git("update-ref", f"refs/bases/{base}", base, git_dir=history)
        return history

    def all(self) -> list[Path]:
        return sorted(self._folder.glob("*.git"))

    def lock(self, mirror: Path) -> AbstractAsyncContextManager[None]:
        busy = f"another process has been fetching into {mirror.name} for {_FETCH_SECONDS:.0f} s."
        return locked(mirror.with_suffix(".lock"), seconds=_FETCH_SECONDS, busy=busy)

    async def renew(self, repository: RepositoryRef) -> Head:
        """Brings the mirror up to date and describes it. Cases that begin at the same time share one fetch."""
        if repository not in self._rounds:
            self._rounds[repository] = Rounds(partial(self._renew, repository))
        return await self._rounds[repository]()

    async def _renew(self, repository: RepositoryRef) -> Head:
        head = await self._source.head(repository)
        mirror = self.of(repository)
        async with self.lock(mirror):
            if not _is_there(mirror):
                await self._make(mirror, head.object_format)
            history = self.history(mirror, head.branch)
            await self._make_history(mirror, history)
            if not await self.has(history, head.commit):
                await self._source.fetch(repository, history, ["+HEAD:refs/base"])
            _borrow(mirror, history)
            # Not into refs/heads and refs/tags: people's names must not collide with refs of ours.
            branches, tags = "+refs/heads/*:refs/remotes/origin/*", f"+refs/tags/*:{FETCHED_TAGS}/*"
            await self._source.fetch(repository, mirror, [branches, tags, f"+HEAD:{FETCHED_HEAD}"])
            fetched = await self._git("rev-parse", f"{FETCHED_HEAD}^{{commit}}", git_dir=mirror)
        return replace(head, commit=Sha(fetched.text))

    async def tags(self, mirror: Path, branch: str, base: Sha) -> str:
        """The tags of the base's history as lines of a `packed-refs` file: versions are computed from them. Those of
        other branches are not shown; tag objects are copied to where a sandbox sees them."""
        peeled = "%(if)%(*objectname)%(then)%0a^%(*objectname)%(end)"
        form = f"--format=%(objectname) refs/tags/%(refname:lstrip=2){peeled}"
        question = ("for-each-ref", f"--merged={base}", form, f"{FETCHED_TAGS}/")
        lines = (await self._git(*question, git_dir=mirror)).text.splitlines()
        objects = [line.split(" ")[0] for line, after in pairwise([*lines, ""]) if after.startswith("^")]
        history = self.history(mirror, branch)
        if objects and (lacking := await self._lacking(history, objects)):
            wanted = "".join(f"{name}\n" for name in lacking)
            await copy_objects(self._git, mirror, f"{wanted}^{base}\n", into=history / "objects")
        return "".join(f"{line}\n" for line in lines)

    async def _lacking(self, git_dir: Path, objects: list[str]) -> list[str]:
        asked = "".join(f"{name}\n" for name in objects).encode()
        answer = await self._git("cat-file", "--batch-check", stdin=asked, git_dir=git_dir)
        return [line.split(" ")[0] for line in answer.text.splitlines() if line.endswith(" missing")]

    async def has(self, mirror: Path, commit: Sha) -> bool:
        if not _is_there(mirror):
            return False
        answer = await self._git("cat-file", "-e", f"{commit}^{{commit}}", git_dir=mirror, accept=(0, 1, 128))
        return answer.code == 0

    async def _make_history(self, mirror: Path, history: Path) -> None:
        if not _is_there(history):
            format_of = await self._git("rev-parse", "--show-object-format", git_dir=mirror)
            history.parent.mkdir(exist_ok=True)
            await self._make(history, format_of.text)

    async def _make(self, mirror: Path, object_format: str) -> None:
        fresh = mirror.with_suffix(f".{os.getpid()}.tmp")
        _remove(fresh)
        await self._git(
            *("init", "--quiet", "--bare", "--template=", "--initial-branch=none"),
            *(f"--object-format={object_format}", str(fresh)),
        )
        write_texts(fresh / "info", {"exclude": _EXCLUDE, "attributes": _ATTRIBUTES})
        _remove(mirror)
        fresh.rename(mirror)


async def copy_objects(git: Git, git_dir: Path, revisions: str, *, into: Path) -> None:
    """Packs the objects of these revisions, one per line, into another folder of objects."""
    how = ("pack-objects", "--revs", "--quiet", "--non-empty", "--delta-base-offset", "--threads=1")
    await git(*how, str(into / "pack" / "pack"), stdin=revisions.encode(), git_dir=git_dir)


def _borrow(mirror: Path, history: Path) -> None:
    file = mirror / "objects" / "info" / "alternates"
    known = file.read_text() if file.exists() else ""
    line = f"{history / 'objects'}\n"
    if line not in known:
        write_texts(file.parent, {file.name: known + line})
    if (history / "shallow").exists():
        # Where history was cut off: git writes it down only where it fetches, and the mirror has these commits already.
        cut = {
            line for place in (history, mirror) if (place / "shallow").exists() for line in _lines(place / "shallow")
        }
        write_texts(mirror, {"shallow": "".join(f"{line}\n" for line in sorted(cut))})


def write_texts(folder: Path, texts: dict[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text)


def _lines(file: Path) -> list[str]:
    return file.read_text().split()


def _is_there(mirror: Path) -> bool:
    return (mirror / "HEAD").exists()


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
