"""A mirror is a bare copy of a repository where cases keep their commits. The person's own repository is only read."""

import hashlib
import os
import re
import shutil
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import Sha
from caseworker.ports import Git
from caseworker.workspaces.git import OTHER_SIDE, SafeGit
from caseworker.workspaces.locks import locked
from caseworker.workspaces.rounds import Rounds

OURS = ("issue-state.json", ".caseworker")
"""Names at the root of a workspace that we write for the agent; never part of a commit."""
FETCHED_HEAD = "refs/origin-head"
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
_ATTRIBUTES = "* -text -eol -filter -ident -working-tree-encoding !diff\n"
"""Overrides the tree's own .gitattributes. Files are committed byte for byte: no filter, no conversion that could fail,
and no `-diff` that would hide a change from the reviewer."""
_BRANCHES = "refs/heads/"
_FETCH_SECONDS = 600.0


@dataclass(frozen=True, kw_only=True)
class RepositoryFacts:
    path: Path
    """The top-level folder; for a bare repository, the repository itself."""
    default_branch: str
    """The branch that HEAD names. If HEAD is detached: the likeliest branch that contains its commit, or `HEAD`."""
    head: Sha
    object_format: str


async def look(repository: Path, git: Git | None = None) -> RepositoryFacts:
    """Describes the repository at this path, or raises `Refused` with what to do. Changes nothing."""
    ask = git or SafeGit()
    path = _existing_folder(repository)
    questions = ("--is-bare-repository", "--is-inside-work-tree", "--show-object-format", "--absolute-git-dir")
    of_a_checkout = ("--show-toplevel", "--show-superproject-working-tree")  # last: they fail in a bare repository
    found = await ask("rev-parse", *questions, *of_a_checkout, inside=path, accept=(0, 128))
    if not found.text:
        raise Refused(
            f"{path} is not a git repository.", todo=f"Name one, or make it one: git -C {path} init, then commit."
        )
    bare, in_work_tree, object_format, git_dir, *checkout = found.text.splitlines()
    if bare == "true":
        top = Path(git_dir)
    elif in_work_tree == "true" and found.code == 0:
        top = _top_level(*checkout)
    else:
        raise Refused(f"{path} is the inside of a repository.", todo=f"Name the folder above it: {path.parent}")
    head, branch = await _head(top, ask)
    return RepositoryFacts(path=top, default_branch=branch, head=head, object_format=object_format)


def _top_level(top: str, superproject: str = "") -> Path:
    if superproject:
        raise Refused(
            f"{top} is a submodule of {superproject}.", todo="Clone it by itself, and name the clone's folder."
        )
    return Path(top)


async def _head(top: Path, git: Git) -> tuple[Sha, str]:
    """The commit of HEAD, and the branch to use for it (see `RepositoryFacts.default_branch`)."""
    question = ("rev-parse", "HEAD^{commit}", "--symbolic-full-name", "HEAD", "--")  # `--`: a file may be called HEAD
    found = await git(*question, inside=top, accept=(0, 1, 128))
    if found.code != 0:
        raise Refused(f"{top} has no commit yet.", todo='Make one: git add -A && git commit -m "Start"')
    commit, named, *_ = found.text.splitlines()
    if named.startswith(_BRANCHES):
        return Sha(commit), named.removeprefix(_BRANCHES)
    with_head = ("for-each-ref", "--format=%(refname:lstrip=2)", "--contains=HEAD", _BRANCHES)
    branches = (await git(*with_head, inside=top)).text.splitlines()
    likeliest = next((name for name in ("main", "master", "trunk") if name in branches), (branches or ["HEAD"])[0])
    return Sha(commit), likeliest


def _existing_folder(repository: Path) -> Path:
    path = repository.expanduser().resolve()
    if not path.is_dir():
        raise Refused(f"{path} is not a folder.", todo="Name the folder of a git repository.")
    return path


class Mirrors:
    def __init__(self, folder: Path, git: Git) -> None:
        self._folder = folder
        self._git = git
        self._rounds: dict[Path, Rounds[RepositoryFacts]] = {}

    def of(self, repository: Path) -> Path:
        resolved = str(repository.resolve())
        name = re.sub(r"[^\w-]+", "-", repository.resolve().name).strip("-") or "repository"
        return self._folder / f"{name}-{hashlib.sha256(resolved.encode()).hexdigest()[:12]}.git"

    def all(self) -> list[Path]:
        return sorted(self._folder.glob("*.git"))

    def lock(self, mirror: Path) -> AbstractAsyncContextManager[None]:
        busy = f"another process has been fetching into {mirror.name} for {_FETCH_SECONDS:.0f} s."
        return locked(mirror.with_suffix(".lock"), seconds=_FETCH_SECONDS, busy=busy)

    async def renew(self, repository: Path) -> RepositoryFacts:
        """Brings the mirror up to date and describes it. Cases that begin at the same time share one fetch."""
        if repository not in self._rounds:
            self._rounds[repository] = Rounds(partial(self._renew, repository))
        return await self._rounds[repository]()

    async def _renew(self, repository: Path) -> RepositoryFacts:
        facts = await look(repository, self._git)
        mirror = self.of(repository)
        async with self.lock(mirror):
            return replace(facts, head=await self._fetch(facts, mirror))

    async def _fetch(self, facts: RepositoryFacts, mirror: Path) -> Sha:
        """Fetches, and returns the commit of the repository's HEAD. The caller holds the lock."""
        if not (mirror / "HEAD").exists():
            await self._make(mirror, facts.object_format)
        await self._git(
            *("fetch", "--quiet", "--no-tags", "--prune", "--update-shallow", "--no-write-fetch-head"),
            f"--upload-pack={OTHER_SIDE} upload-pack",
            # Not into refs/heads, and without tags: people's names must not collide with refs of ours.
            *(str(facts.path), "+refs/heads/*:refs/remotes/origin/*", f"+HEAD:{FETCHED_HEAD}"),
            git_dir=mirror,
        )
        return Sha((await self._git("rev-parse", f"{FETCHED_HEAD}^{{commit}}", git_dir=mirror)).text)

    async def has(self, mirror: Path, commit: Sha) -> bool:
        if not _is_there(mirror):
            return False
        answer = await self._git("cat-file", "-e", f"{commit}^{{commit}}", git_dir=mirror, accept=(0, 1, 128))
        return answer.code == 0

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


def write_texts(folder: Path, texts: dict[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text)


def _is_there(mirror: Path) -> bool:
    return (mirror / "HEAD").exists()


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
