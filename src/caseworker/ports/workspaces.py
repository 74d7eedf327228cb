"""Workspaces: a case's files, git, the sandbox, and what is run in it."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from caseworker.core.base.ids import CaseId, Sha
from caseworker.core.base.repositories import RepositoryRef
from caseworker.core.evidence.builds import Command, CommandRun
from caseworker.core.investigation.bisection import Bisection, BisectRequest


@dataclass(frozen=True, kw_only=True)
class Workspace:
    case: CaseId
    path: Path
    """The worktree: the same path outside and inside the sandbox."""
    base: Sha
    base_branch: str
    git_dir: Path | None = None
    """Where its commits are, outside the sandbox: a forge pushes from here, never by way of the agent's folder."""
    read_only: tuple[Path, ...] = ()
    overlays: tuple[tuple[Path, Path], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Enclosure:
    """What a process inside the sandbox may see and touch. Whatever is not named here is absent or read-only."""

    workspace: Path
    writable: bool
    environment: Mapping[str, str]
    """All that the process inside sees."""
    read_only: tuple[Path, ...] = ()
    read_write: tuple[Path, ...] = ()
    """The agent's config folder."""
    overlays: tuple[tuple[Path, Path], ...] = ()
    """(outside, inside), read-only."""
    sockets: tuple[Path, ...] = ()
    """Unix sockets (or their private folder) that may be reached."""


class Sandbox(Protocol):
    def command(self, enclosure: Enclosure, argv: Sequence[str]) -> list[str]:
        """The argv that runs `argv` inside."""

    async def probe(self) -> str | None:
        """None when it works, else what is wrong and what to type."""


@dataclass(frozen=True, kw_only=True)
class Joined:
    """Two commits made one."""

    commit: Sha
    conflict: tuple[str, ...] = ()
    """Files in which they contradict each other."""


class Workspaces(Protocol):
    async def prepare(self, case: CaseId, repository: RepositoryRef, base: Sha | None) -> Workspace:
        """The case's worktree, made if it is missing (a lost one is rebuilt). Without a base: the repository's current
        default branch as it is now."""

    async def reset(self, workspace: Workspace, commit: Sha, *, scrub: bool) -> None:
        """Exactly this commit. `scrub` also removes ignored files: after an attempt that died."""

    def untouched(self, workspace: Workspace) -> None:
        """Nothing can have written to it since it was reset: the next reset may believe that, once. Without walls
        nobody can say so."""

    async def commit(self, workspace: Workspace, message: str, *, parent: Sha, name: str) -> Sha:
        """All of the worktree as one commit on `parent`, kept under a ref of that name; the parent if equal."""

    async def diff(self, workspace: Workspace, old: Sha, new: Sha) -> str: ...

    async def changed(self, workspace: Workspace, old: Sha, new: Sha) -> list[str]: ...

    async def changed_by_people(self, workspace: Workspace, old: Sha, new: Sha) -> list[str]:
        """Of the same paths, those that commits of others than us have changed."""

    async def contains(self, workspace: Workspace, commit: Sha, other: Sha) -> bool:
        """Whether `commit` has `other` in its history, or is it."""

    async def texts(self, workspace: Workspace, commit: Sha, paths: Sequence[str]) -> dict[str, str | None]:
        """What each of these files says at a commit. Left out: not there. Null: too large to be read."""

    async def conflicts(self, workspace: Workspace, commit: Sha, other: Sha) -> list[str]:
        """The files in which a merge of both would meet a conflict. Nothing is merged."""

    async def merge(self, workspace: Workspace, ours: Sha, theirs: Sha, *, since: Sha | None, message: str) -> Joined:
        """One commit with all of a person's work (`theirs`) and the case's: theirs itself, if it has ours; else one
        with both as parents, the same whenever it is asked for. `since`: what both have started from, where git can't
        know (theirs is ours, rewritten). The caller holds the case; the worktree is left in the middle of it."""

    async def build_files(self, workspace: Workspace, commit: Sha) -> dict[str, str]:
        """Root files that tell how to build, by name, from a commit; plus every tracked path with empty contents."""

    async def branch_off(self, workspace: Workspace, name: str, commit: Sha) -> Workspace:
        """A second worktree of the case beside its first, at this commit, made from scratch: whatever stood there under
        that name is destroyed. Its commits are kept under refs of its own. `name`: letters, digits, _ and -."""

    async def drop(self, workspace: Workspace) -> None:
        """Destroy a side tree, if it is still there. Its commits stay, and can be compared."""

    async def remove(self, case: CaseId, *, keep: Sha | None = None) -> None:
        """Everything of the case: worktree, side trees, commits. `keep`: but for this one, and what it is built on."""

    def hold(self, case: CaseId) -> AbstractAsyncContextManager[None]:
        """The lock of the case's worktree: two attempts on one machine never edit at once."""


@dataclass(frozen=True, kw_only=True)
class GitAnswer:
    code: int
    output: bytes

    @property
    def text(self) -> str:
        return self.output.decode(errors="replace").strip()


class Git(Protocol):
    """Runs git so that nothing of a repository's own (hooks, filters, helpers) is executed."""

    async def __call__(
        self,
        *arguments: str,
        git_dir: Path | None = None,
        work_tree: Path | None = None,
        inside: Path | None = None,
        stdin: bytes = b"",
        accept: Sequence[int] = (0,),
    ) -> GitAnswer:
        """`inside`: a person's own folder, where git looks for the repository itself; never one an agent writes to.
        An exit code that is not accepted raises `Refused` or `Transient`."""


class Builder(Protocol):
    async def run(self, workspace: Workspace, commands: Sequence[Command], *, seconds: float) -> list[CommandRun]:
        """Each in the sandbox, in order; a failed set-up ends the list."""


class Bisector(Protocol):
    async def find(self, workspace: Workspace, request: BisectRequest, *, seconds: float) -> Bisection:
        """The first commit on which the script fails, found in a side tree of its own, which is gone afterwards.
        `seconds`: for all of it. The caller holds the case."""
