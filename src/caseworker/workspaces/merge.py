"""Merges the commit of a case and the commit that a person pushed. Nothing of the person's is lost.

In a conflict both versions stay in the file between conflict markers, for the developer role to resolve. For a file
that can't hold both (a picture, a link, a submodule) the person's version is used.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from caseworker.core.base.ids import Sha
from caseworker.ports import Git, Joined
from caseworker.workspaces.blocking_work import in_thread

_FILES = (b"100644", b"100755")
_OURS, _THEIRS = b"2", b"3"


@dataclass(frozen=True)
class _Version:
    mode: bytes
    blob: bytes


@dataclass(frozen=True, kw_only=True)
class Merging:
    """A merge in the case's worktree, which has `ours` checked out and which nobody else may use meanwhile."""

    git: Git
    git_dir: Path
    work_tree: Path

    async def join(self, ours: Sha, theirs: Sha, *, since: Sha, message: str) -> Joined:
        """Merges `theirs` into `ours`; `since` is their common base. Repeated, it makes the same commit."""
        conflict = await self._merge(ours, theirs, since)
        tree = (await self._run("write-tree")).strip().decode()
        if not conflict and tree == await self._run_text("rev-parse", f"{theirs}^{{tree}}"):
            return Joined(commit=theirs)  # the person's commit already contains all of the case's work
        return Joined(commit=await self._commit(tree, ours, theirs, message), conflict=conflict)

    async def _merge(self, ours: Sha, theirs: Sha, since: Sha) -> tuple[str, ...]:
        merged = await self.git(
            "merge-recursive", since, "--", ours, theirs, git_dir=self.git_dir, work_tree=self.work_tree, accept=(0, 1)
        )
        if merged.code == 0:
            return ()
        unmerged = _versions(await self._run("ls-files", "-z", "--unmerged"))
        for path, versions in unmerged.items():
            await self._resolve(path, versions, ours, theirs)
        return tuple(sorted(path.decode(errors="replace") for path in unmerged))

    async def _resolve(self, path: bytes, versions: dict[bytes, _Version], ours: Sha, theirs: Sha) -> None:
        here = await self._with_markers(path, versions, ours, theirs)
        chosen = here or versions.get(_THEIRS) or versions.get(_OURS)
        lines = [b"0 " + b"0" * len(ours) + b"\t" + path]
        if chosen is not None:
            lines.append(chosen.mode + b" " + chosen.blob + b"\t" + path)
        await self._run("update-index", "-z", "--index-info", stdin=b"".join(line + b"\0" for line in lines))

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
        named = _with_names(text, ours, theirs)
        if named == text:
            return None
        blob = await self._run("hash-object", "-w", "--stdin", "--no-filters", stdin=named)
        return _Version(mode=other.mode, blob=blob.strip())

    async def _commit(self, tree: str, ours: Sha, theirs: Sha, message: str) -> Sha:
        """Writes the commit object itself: `commit-tree` uses the clock, so that each try would be another commit."""
        times = await self._run_text("log", "--no-walk", "--no-show-signature", "--format=%ct", ours, theirs)
        latest = max(int(time) for time in times.split())
        who = re.sub(r"\d+ [+-]\d{4}$", f"{latest} +0000", await self._run_text("var", "GIT_COMMITTER_IDENT"))
        head = f"tree {tree}\nparent {ours}\nparent {theirs}\nauthor {who}\ncommitter {who}\n"
        text = f"{head}\n{message.strip()}\n".encode()
        return Sha((await self._run("hash-object", "-t", "commit", "-w", "--stdin", stdin=text)).strip().decode())

    async def _run_text(self, *arguments: str) -> str:
        return (await self._run(*arguments)).decode(errors="replace").strip()

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


def _with_names(text: bytes, ours: Sha, theirs: Sha) -> bytes:
    """Replaces the commit hashes in conflict markers by who wrote each version."""
    named = re.sub(rb"(?m)^(<{7,}) %s\b" % ours.encode(), rb"\1 this case", text)
    return re.sub(rb"(?m)^(>{7,}) %s\b" % theirs.encode(), rb"\1 a person", named)
