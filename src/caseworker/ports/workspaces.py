"""Port to workspaces: a case's files, git, the sandbox, and what runs in it."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from caseworker.core.base.ids import CaseId, Sha
from caseworker.core.base.repositories import RepositoryRef
from caseworker.core.ecosystems.plan_parts import Plan
from caseworker.core.evidence.builds import Command, CommandRun
from caseworker.core.evidence.missing_parts import MissingPart
from caseworker.core.investigation.bisection import Bisection, BisectRequest
from caseworker.core.investigation.measurements import InstrumentRequest, Measurement


@dataclass(frozen=True, kw_only=True)
class Equipment:
    """What a repository's environment adds to every process in its worktree. Its files are among the overlays."""

    search_path: tuple[str, ...] = ()
    """Folders that come first on PATH."""
    variables: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Workspace:
    case: CaseId
    path: Path
    """The worktree: the same path outside and inside the sandbox."""
    base: Sha
    base_branch: str
    git_dir: Path | None = None
    """Where its commits are, outside the sandbox: a forge pushes from here, never from the agent's folder."""
    read_only: tuple[Path, ...] = ()
    overlays: tuple[tuple[Path, Path], ...] = ()
    equipment: Equipment = field(default_factory=Equipment)


@dataclass(frozen=True, kw_only=True)
class Enclosure:
    """What a process inside the sandbox may see and touch. Whatever is not named here is absent or read-only."""

    workspace: Path
    writable: bool
    environment: Mapping[str, str]
    """The whole environment of the process."""
    read_only: tuple[Path, ...] = ()
    read_write: tuple[Path, ...] = ()
    """The agent's config folder."""
    overlays: tuple[tuple[Path, Path], ...] = ()
    """(outside, inside), read-only."""
    sockets: tuple[Path, ...] = ()
    """Unix sockets (or their private folder) that may be reached."""
    search_path: tuple[str, ...] = ()
    """Folders that come first on PATH."""
    laid: tuple[tuple[Path, Path], ...] = ()
    """(outside, inside), writable: where a set-up makes an environment."""


class Guard(Protocol):
    """Ends what uses too much memory, disk or processes in one sandbox."""

    @property
    def ended(self) -> str:
        """Why all of it was ended, in a sentence. Empty: it was not."""

    @property
    def no_room(self) -> bool:
        """Whether the disk had no room left, whoever filled it."""

    def news(self) -> Sequence[str]:
        """Sentences since the last call: why it, or some of its tools, were ended."""


class Sandbox(Protocol):
    def command(self, enclosure: Enclosure, argv: Sequence[str]) -> list[str]:
        """The argv that runs `argv` inside."""

    def guard(
        self, enclosure: Enclosure, root: Callable[[], int | None], *, spare: bool = False
    ) -> AbstractAsyncContextManager[Guard]:
        """Keeps what runs inside within its limits. `root`: the process that was started with `command`, once it is.
        `spare`: the program inside goes on, and only what it has started is ended, if that is enough."""

    async def probe(self) -> str | None:
        """None when it works, else what is wrong and what to type."""


@dataclass(frozen=True, kw_only=True)
class Joined:
    """The result of merging two commits."""

    commit: Sha
    conflict: tuple[str, ...] = ()
    """Files in which they conflict."""


class Workspaces(Protocol):
    async def prepare(
        self, case: CaseId, repository: RepositoryRef, base: Sha | None, *, base_branch: str | None = None
    ) -> Workspace:
        """The case's worktree, made if it is missing or lost. Without a base: at the repository's default branch as it
        is now. `base_branch`: its name, where it is not the default branch."""

    async def reset(self, workspace: Workspace, commit: Sha, *, scrub: bool) -> None:
        """Set the files to exactly this commit. `scrub` also removes ignored files: after an attempt that died."""

    async def take_back(self, workspace: Workspace, commit: Sha, paths: Sequence[str]) -> None:
        """Set these files, after a reset, to what they are at another commit; remove those that are not there."""

    def untouched(self, workspace: Workspace) -> None:
        """Promise that nothing has written to it since the reset: the next reset may rely on it, once. Without a
        sandbox nobody can promise that."""

    async def commit(self, workspace: Workspace, message: str, *, parent: Sha, name: str) -> Sha:
        """Commit the whole worktree on `parent`, kept under a ref of that name. Nothing changed: returns the parent."""

    async def diff(self, workspace: Workspace, old: Sha, new: Sha) -> str: ...

    async def changed(self, workspace: Workspace, old: Sha, new: Sha) -> list[str]: ...

    async def changed_by_people(self, workspace: Workspace, old: Sha, new: Sha) -> list[str]:
        """Those changed paths that commits of others have changed."""

    async def contains(self, workspace: Workspace, commit: Sha, other: Sha) -> bool:
        """Whether `commit` has `other` in its history, or is it."""

    async def message(self, workspace: Workspace, commit: Sha) -> str:
        """The message of a commit."""

    async def texts(self, workspace: Workspace, commit: Sha, paths: Sequence[str]) -> dict[str, str | None]:
        """The text of each file at a commit. Left out: it is not there. None: too large to be read."""

    async def conflicts(self, workspace: Workspace, commit: Sha, other: Sha) -> list[str]:
        """The files in which a merge of both would conflict. Nothing is merged."""

    async def merge(self, workspace: Workspace, ours: Sha, theirs: Sha, *, since: Sha | None, message: str) -> Joined:
        """One commit with all of a person's work (`theirs`) and the case's: theirs itself, if it has ours; else a merge
        of both, with the same hash at every call. `since`: the common start, where git can't know it (theirs is ours,
        rewritten). The caller holds the case; the worktree is left in the middle of the merge."""

    async def build_files(self, workspace: Workspace, commit: Sha) -> dict[str, str]:
        """Root files that tell how to build, by name, from a commit; plus every tracked path with empty contents."""

    async def plan(self, workspace: Workspace) -> Plan:
        """How its repository is set up and tested, found from `build_files` of its base."""

    async def missing_parts(self, workspace: Workspace) -> list[MissingPart]:
        """Submodules, files in Git LFS and links that lead out, at its base: what they stand for is not there."""

    def keep_recipe(self, workspace: Workspace, text: str) -> None:
        """Keep how its repository is set up and tested, outside of it: `build_files` has it from now on."""

    async def branch_off(self, workspace: Workspace, name: str, commit: Sha) -> Workspace:
        """A second worktree of the case beside its first, at this commit. One that exists under that name is destroyed
        first. Its commits are kept under refs of its own. `name`: letters, digits, _ and -."""

    async def drop(self, workspace: Workspace) -> None:
        """Destroy a side tree, if it is still there. Its commits stay, and can be compared."""

    async def remove(self, case: CaseId, *, keep: Sha | None = None) -> None:
        """Remove everything of the case: worktree, side trees, commits. `keep`: except this commit and its history."""

    def hold(self, case: CaseId) -> AbstractAsyncContextManager[None]:
        """The lock of the case's worktree: two attempts on one machine never edit at once."""


@dataclass(frozen=True, kw_only=True)
class GitAnswer:
    code: int
    output: bytes
    cut: bool = False
    """Whether there was more output than wanted: nothing of it is here then."""

    @property
    def text(self) -> str:
        return self.output.decode(errors="replace").strip()


@dataclass(frozen=True, kw_only=True)
class GitLogin:
    """Lets one git process speak with one server over HTTP. Nothing but that process's environment has the header."""

    url: str
    """Where the header is sent to, and nowhere else."""
    header: str = field(repr=False)


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
        login: GitLogin | None = None,
        most: int | None = None,
    ) -> GitAnswer:
        """`inside`: a person's own folder, where git looks for the repository itself; never one an agent writes to.
        `login`: without one, git reaches nothing but this disk. `most`: bytes of output after which git is stopped and
        the answer is `cut`; without it, too long an answer raises `Refused`. An exit code that is not accepted raises
        `Refused` or `Transient`."""


class Builder(Protocol):
    async def run(self, workspace: Workspace, commands: Sequence[Command], *, seconds: float) -> list[CommandRun]:
        """Run each command in the sandbox, in order; a failed set-up ends the list."""


class Bisector(Protocol):
    async def find(self, workspace: Workspace, request: BisectRequest, *, seconds: float) -> Bisection:
        """The first commit on which the script fails, found in a side tree that is removed afterwards. `seconds`: for
        all of it. The caller holds the case."""


class Instruments(Protocol):
    async def measure(
        self, workspace: Workspace, commit: Sha, request: InstrumentRequest, *, seconds: float
    ) -> Measurement:
        """Measure a command on this commit, in side trees that are removed afterwards. `seconds`: for all of it. The
        caller holds the case."""
