"""Reads and writes commit objects as text.

`git commit-tree` uses the clock, so that each try would make another commit. Here all times come from other commits.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from caseworker.core.base.ids import Sha
from caseworker.ports import Git

_TIME = re.compile(rb"(?<!\d)(\d{1,20}) [+-]\d{4}$")


@dataclass(frozen=True, kw_only=True)
class CommitObject:
    tree: Sha
    parents: tuple[Sha, ...]
    author: bytes
    """Name, address and time, as git writes them."""
    committed_at: int
    encoding: bytes | None
    message: bytes


async def read_commit(git: Git, git_dir: Path, commit: Sha) -> CommitObject:
    head, _, message = (await git("cat-file", "commit", commit, git_dir=git_dir)).output.partition(b"\n\n")
    fields: dict[bytes, list[bytes]] = {}
    for line in head.split(b"\n"):
        name, _, value = line.partition(b" ")
        fields.setdefault(name, []).append(value)  # the lines of a signature begin with a space: under an empty name
    time = _TIME.search(fields[b"committer"][0])
    return CommitObject(
        tree=Sha(fields[b"tree"][0].decode()),
        parents=tuple(Sha(one.decode()) for one in fields.get(b"parent", ())),
        author=fields[b"author"][0],
        committed_at=int(time[1]) if time else 0,
        encoding=fields[b"encoding"][0] if b"encoding" in fields else None,
        message=message,
    )


@dataclass(frozen=True, kw_only=True)
class NewCommit:
    """A commit of ours. The same fields always make the same commit."""

    tree: Sha
    parents: Sequence[Sha]
    message: bytes
    at: int
    author: bytes | None = None
    """None: ourselves."""
    encoding: bytes | None = None

    async def write(self, git: Git, git_dir: Path) -> Sha:
        ident = (await git("var", "GIT_COMMITTER_IDENT", git_dir=git_dir)).output.strip()
        us = _TIME.sub(b"%d +0000" % self.at, ident)
        lines = [
            b"tree " + self.tree.encode(),
            *(b"parent " + one.encode() for one in self.parents),
            b"author " + (us if self.author is None else self.author),
            b"committer " + us,
            *([b"encoding " + self.encoding] if self.encoding is not None else []),
        ]
        text = b"\n".join(lines) + b"\n\n" + self.message
        made = await git("hash-object", "-t", "commit", "-w", "--stdin", stdin=text, git_dir=git_dir)
        return Sha(made.text)
