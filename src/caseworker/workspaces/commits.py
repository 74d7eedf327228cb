"""What is in a commit: answers of git, kept in a cache, because a commit never changes."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Generic, TypeVar

from caseworker.core.base.ids import Sha
from caseworker.core.ecosystems.project_files import may_change_plan, read_paths
from caseworker.core.evidence.missing_parts import MissingPart
from caseworker.ports import Git
from caseworker.workspaces.checkpoints import Written
from caseworker.workspaces.texts import find_missing_parts, read_texts

T = TypeVar("T")
_MOST_READ: Final = 100
"""Files that tell how to build."""
_NAMES: Final = 200_000
"""File names in the cache, of all commits together: some 20 MB."""
_TEXT: Final = 8 << 20
"""Characters of root files in the cache."""
_FILES: Final = 4 << 20
"""Characters of other files in the cache."""
_TREES: Final = 1_000


class Commits:
    def __init__(self, git: Git) -> None:
        self._git = git
        self._names: Kept[Sequence[str]] = Kept(_NAMES, weigh=len)
        self._texts: Kept[dict[str, str]] = Kept(_TEXT, weigh=lambda texts: sum(map(len, texts.values())))
        self._files: Kept[dict[str, str]] = Kept(_FILES, weigh=lambda files: sum(map(len, [*files, *files.values()])))
        self._trees: Kept[Sha] = Kept(_TREES, weigh=lambda _: 0)
        self._missing: Kept[Sequence[MissingPart]] = Kept(_TREES, weigh=len)
        self._parents: Kept[Sha] = Kept(_TREES, weigh=lambda _: 0)
        """Of commits that this process has made."""

    async def names(self, git_dir: Path, commit: Sha) -> Sequence[str]:
        """Every path in the commit. Bytes that are not UTF-8 are kept as they are (`surrogateescape`)."""
        if (known := self._names.get(commit)) is not None:
            return known
        listing = await self._git("ls-tree", "-r", "-z", "--name-only", commit, git_dir=git_dir)
        found = [path for path in listing.output.decode(errors="surrogateescape").split("\0") if path]
        return self._names.keep(commit, found)

    async def missing_parts(self, git_dir: Path, commit: Sha) -> Sequence[MissingPart]:
        if (known := self._missing.get(commit)) is not None:
            return known
        return self._missing.keep(commit, await find_missing_parts(self._git, git_dir, commit))

    async def texts(self, git_dir: Path, commit: Sha, paths: Sequence[str]) -> dict[str, str | None]:
        """The texts by path; None for a file that is too large. Paths that are not in the commit are left out. The same
        few files are asked for several times: by checks of a turn's claims, of its tests, and of its proof."""
        there = set(await self.names(git_dir, commit))
        known = self._files.get(commit) or {}
        unknown = [path for path in paths if path in there and path not in known]
        found = await read_texts(self._git, git_dir, commit, unknown)
        if read := {path: text for path, text in found.items() if text is not None}:
            self._files.renew(commit, known | read)
        every = {**known, **found}
        return {path: every[path] for path in paths if path in every}

    async def build_files(self, git_dir: Path, commit: Sha) -> dict[str, str]:
        """Every path, with the text of the files that tell how to build; for others the text is empty."""
        paths = dict.fromkeys(map(_readable, await self.names(git_dir, commit)), "")
        return paths | await self._root_texts(git_dir, commit, read_paths(paths))

    async def _root_texts(self, git_dir: Path, commit: Sha, names: Sequence[str]) -> dict[str, str]:
        if (known := self._texts.get(commit)) is not None:
            return known
        found = await read_texts(self._git, git_dir, commit, names[:_MOST_READ])
        return self._texts.keep(commit, {name: text for name, text in found.items() if text is not None})

    async def tree(self, git_dir: Path, commit: Sha) -> Sha:
        if (known := self._trees.get(commit)) is not None:
            return known
        return self._trees.keep(commit, Sha((await self._git("rev-parse", f"{commit}^{{tree}}", git_dir=git_dir)).text))

    def learn(self, commit: Sha, written: Written, *, parent: Sha) -> None:
        """Puts a commit that we have just made into the cache, so that git need not be asked."""
        self._trees.keep(commit, written.tree)
        self._parents.keep(commit, parent)
        before = self._names.get(parent)
        if before is not None and written.whole:
            self._names.keep(commit, written.names(before))
        texts = self._texts.get(parent)
        if (
            texts is not None
            and written.whole
            and not any(may_change_plan(_readable(path)) for path in written.changed)
        ):
            self._texts.keep(commit, texts)

    def were_made_here(self, old: Sha, new: Sha) -> bool:
        """Whether this process has made every commit since `old`. False also where it no longer knows."""
        at: Sha | None = new
        while at is not None and at != old:
            at = self._parents.get(at)
        return at is not None


class Kept(Generic[T]):
    """A least-recently-used cache by commit, limited by the total weight of its entries."""

    def __init__(self, limit: int, *, weigh: Callable[[T], int]) -> None:
        self._limit = limit
        self._weigh = weigh
        self._kept: dict[Sha, T] = {}
        self._weight = 0

    def get(self, commit: Sha) -> T | None:
        found = self._kept.pop(commit, None)
        if found is not None:
            self._kept[commit] = found  # now the most recently used
        return found

    def renew(self, commit: Sha, found: T) -> T:
        """Like `keep`, also where something else is stored."""
        if (before := self._kept.pop(commit, None)) is not None:
            self._weight -= 1 + self._weigh(before)
        return self.keep(commit, found)

    def keep(self, commit: Sha, found: T) -> T:
        """Stores `found` and returns it, also when it is too big for the cache."""
        if commit not in self._kept:
            self._kept[commit] = found
            self._weight += 1 + self._weigh(found)
        while self._weight > self._limit:
            oldest = self._kept.pop(next(iter(self._kept)))
            self._weight -= 1 + self._weigh(oldest)
        return found


def _readable(path: str) -> str:
    return path.encode(errors="surrogateescape").decode(errors="replace")
