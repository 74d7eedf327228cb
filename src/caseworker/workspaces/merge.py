"""Merges two commits in a worktree, such as that of a case and that of a person. Nothing of the person's is lost.

In a conflict both versions stay in the file between conflict markers, for the developer role to resolve. For a file
that can't hold both (a picture, a link, a submodule) one version is used: the person's.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from caseworker.core.base.ids import Sha
from caseworker.ports import Git, Joined
from caseworker.workspaces.blocking_work import in_thread
from caseworker.workspaces.commit_objects import NewCommit, read_commit

_FILES = (b"100644", b"100755")
_OURS, _THEIRS = b"2", b"3"


@dataclass(frozen=True)
class _Version:
    mode: bytes
    blob: bytes


@dataclass(frozen=True, kw_only=True)
class Merged:
    """A merge in the index and the worktree, which nobody has committed."""

    tree: Sha
    conflict: tuple[str, ...] = ()
    one_sided: tuple[str, ...] = ()
    """Of the conflicting files, those that can't hold both versions."""


@dataclass(frozen=True, kw_only=True)
class Sides:
    """How the two versions are called in conflict markers, and which is used where a file can't hold both."""

    ours: str = "this case"
    theirs: str = "a person"
    keeps_ours: bool = False


@dataclass(frozen=True, kw_only=True)
class Merging:
    """A merge in the case's worktree, which has `ours` checked out and which nobody else may use meanwhile."""

    git: Git
    git_dir: Path
    work_tree: Path
    sides: Sides = Sides()

    async def join(self, ours: Sha, theirs: Sha, *, since: Sha, message: str) -> Joined:
        """Merges `theirs` into `ours`; `since` is their common base. Repeated, it makes the same commit."""
        merged = await self.merge(ours, theirs, since=since)
        mine, other = [await read_commit(self.git, self.git_dir, one) for one in (ours, theirs)]
        if not merged.conflict and merged.tree == other.tree:
            return Joined(commit=theirs)  # the person's commit already contains all of the case's work
        at = max(mine.committed_at, other.committed_at)
        words = f"{message.strip()}\n".encode()
        made = NewCommit(tree=merged.tree, parents=(ours, theirs), message=words, at=at)
        return Joined(commit=await made.write(self.git, self.git_dir), conflict=merged.conflict)

    async def merge(self, ours: Sha, theirs: Sha, *, since: Sha) -> Merged:
        merged = await self.git(
            "merge-recursive", since, "--", ours, theirs, git_dir=self.git_dir, work_tree=self.work_tree, accept=(0, 1)
        )
        unmerged = _versions(await self._run("ls-files", "-z", "--unmerged")) if merged.code else {}
        one_sided = [
            path for path, versions in unmerged.items() if not await self._resolve(path, versions, ours, theirs)
        ]
        tree = (await self._run("write-tree")).strip().decode()
        return Merged(tree=Sha(tree), conflict=_readable(unmerged), one_sided=_readable(one_sided))

    async def _resolve(self, path: bytes, versions: dict[bytes, _Version], ours: Sha, theirs: Sha) -> bool:
        """Whether the file holds both versions now."""
        here = await self._with_markers(path, versions, ours, theirs)
        first, second = (_OURS, _THEIRS) if self.sides.keeps_ours else (_THEIRS, _OURS)
        chosen = here or versions.get(first) or versions.get(second)
        lines = [b"0 " + b"0" * len(ours) + b"\t" + path]
        if chosen is not None:
            lines.append(chosen.mode + b" " + chosen.blob + b"\t" + path)
        await self._run("update-index", "-z", "--index-info", stdin=b"".join(line + b"\0" for line in lines))
        return here is not None

    async def _with_markers(
        self, path: bytes, versions: dict[bytes, _Version], ours: Sha, theirs: Sha
    ) -> _Version | None:
        """The file with both versions between markers. None if git could not write it or one side has no such file."""
        mine, other = versions.get(_OURS), versions.get(_THEIRS)
        if mine is None or other is None or mine.mode not in _FILES or other.mode not in _FILES:
            return None
        file = self.work_tree / path.decode(errors="surrogateescape")
        text = await in_thread(_read, file)
        if text is None:
            return None
        named = self._with_names(text, ours, theirs)
        if named == text:
            return None
        blob = await self._run("hash-object", "-w", "--stdin", "--no-filters", stdin=named)
        return _Version(mode=other.mode, blob=blob.strip())

    def _with_names(self, text: bytes, ours: Sha, theirs: Sha) -> bytes:
        """Replaces the commit hashes in conflict markers by who wrote each version."""
        mine, other = self.sides.ours.encode(), self.sides.theirs.encode()
        named = re.sub(rb"(?m)^(<{7,}) %s\b" % ours.encode(), rb"\1 " + mine, text)
        return re.sub(rb"(?m)^(>{7,}) %s\b" % theirs.encode(), rb"\1 " + other, named)

    async def _run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        answer = await self.git(*arguments, git_dir=self.git_dir, work_tree=self.work_tree, stdin=stdin)
        return answer.output


def _versions(listing: bytes) -> dict[bytes, dict[bytes, _Version]]:
    found: dict[bytes, dict[bytes, _Version]] = {}
    for line in _lines(listing):
        facts, path = line.split(b"\t", 1)
        mode, blob, stage = facts.split()
        found.setdefault(path, {})[stage] = _Version(mode, blob)
    return found


def _lines(listing: bytes) -> Iterable[bytes]:
    return (line for line in listing.split(b"\0") if line)


def _read(file: Path) -> bytes | None:
    try:
        return None if file.is_symlink() else file.read_bytes()
    except OSError:
        return None


def _readable(paths: Iterable[bytes]) -> tuple[str, ...]:
    return tuple(sorted(path.decode(errors="replace") for path in paths))
