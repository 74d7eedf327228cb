"""Port to forges, where people see branches, pull requests and discussions.

A forge is a bundle of four small ports, so that each caller asks for no more than it needs. Credentials belong to the
implementation: nobody outside sees them, and no value here carries one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import RepositoryId, Sha
from caseworker.core.base.repositories import RepositoryRef
from caseworker.ports.github_state import StateOf
from caseworker.ports.stored import PullRequest
from caseworker.ports.workspaces import Workspace


class BranchIsTheirs(Refused):
    """The branch has commits that somebody else has pushed."""


@dataclass(frozen=True, kw_only=True)
class Head:
    """Where a repository is now."""

    branch: str
    """Its default branch; `HEAD` where the commit is on no branch."""
    commit: Sha
    object_format: str
    """`sha1` or `sha256`: a copy of it must use the same."""


@dataclass(frozen=True, kw_only=True)
class PullUpdate:
    """What a push to the branch of a pull request that we look after may do. The branch may be a person's."""

    base: str
    """The base branch, which is never pushed to."""
    ours: frozenset[Sha] = frozenset()
    """Commits that we made and pushed, by the store's record; beside those that are kept in the mirror."""
    may_copy: bool = False
    """An owner asked for a rebase: a person's commit may be replaced by one with its author, message and change."""


class Source(Protocol):
    """Reads and writes the git side of repositories. It runs git itself, so that a remote one can give git its
    credentials for just that command."""

    async def head(self, repository: RepositoryRef) -> Head:
        """`Refused`, with what to do, where there is no such repository, or nothing in it."""

    async def fetch(self, repository: RepositoryRef, into: Path, refspecs: Sequence[str]) -> None:
        """Bring commits into the git directory `into`, under the refs that git's refspecs name; refs whose source is
        gone are deleted."""

    async def fetch_branch(self, repository: RepositoryRef, workspace: Workspace, *, branch: str) -> Sha | None:
        """The branch's commit; its commits are then in the workspace. None: there is no such branch."""

    async def branch_head(self, repository: RepositoryRef, branch: str) -> Sha | None: ...

    async def push(
        self,
        repository: RepositoryRef,
        workspace: Workspace,
        commit: Sha,
        *,
        branch: str,
        expected: Sha | None,
        update: PullUpdate | None = None,
    ) -> None:
        """Create or move `branch` to `commit`, only if it is still where we saw it (`expected`) and no commit of others
        would be dropped; else `BranchIsTheirs`. Pushing to the default branch is `Refused`, and without an `update` to
        any branch that is not under our prefix. With one, no branch is created."""

    async def taken_numbers(self, repository: RepositoryRef) -> set[int]:
        """The numbers of issues whose branch exists: a new issue must not get one of them."""

    async def file(self, repository: RepositoryRef, name: str) -> bytes | None:
        """A file in the newest commit of the default branch. None: there is no such file."""


class Pulls(Protocol):
    """Pull requests. Nothing here merges, approves or closes one.

    Repositories are named by id, as in the records that are given and returned.
    """

    async def find(self, repository: RepositoryId, head: str) -> PullRequest | None:
        """The newest one from this branch."""

    async def open(self, pull: PullRequest) -> PullRequest:
        """Returns it with the forge's number and address. One open pull request per branch: a repeated call returns the
        first."""

    async def update(self, pull: PullRequest) -> PullRequest:
        """Change title, text and commit of an open one, by its number."""

    async def settled(self) -> list[PullRequest]:
        """Open ones that a person has meanwhile merged or closed, with their new state, which is not saved yet, and
        the commit that was merged, where that can be seen."""


Reaction: TypeAlias = Literal["eyes", "rocket", "+1", "confused"]
"""Seen, started, done, failed."""


@dataclass(frozen=True, kw_only=True)
class Comment:
    id: str
    """As the forge names it."""
    author: str
    text: str
    written_at: datetime


class Comments(Protocol):
    """The discussion below an issue or a pull request; both share one series of numbers."""

    async def of(self, repository: RepositoryRef, number: int) -> list[Comment]:
        """Oldest first."""

    async def find(self, repository: RepositoryRef, number: int, *, key: str) -> Comment | None:
        """Our comment with this key. A comment of others that has our marker is not ours."""

    async def write(self, repository: RepositoryRef, number: int, text: str, *, key: str, look: bool = True) -> Comment:
        """Write a comment once under this key: a repeated call finds it and returns it. `look`: False where the caller
        knows that it is not there."""

    async def whoami(self) -> str:
        """The login under which we write."""

    async def change(self, repository: RepositoryRef, comment: str, text: str) -> None:
        """Change one of our comments. `Refused`: it is gone, or somebody else's."""

    async def remove(self, repository: RepositoryRef, comment: str) -> None:
        """Delete one of our comments, if it is still there. `Refused`: it is somebody else's."""

    async def react(self, repository: RepositoryRef, comment: str, reaction: Reaction) -> None:
        """To a comment of anybody. Nothing happens if we have reacted so already, or it is gone."""


@dataclass(frozen=True, kw_only=True)
class OpenedIssue:
    number: int
    url: str


class Issues(Protocol):
    """Issues that the forge itself keeps. Nothing here closes one: a merge or a person does."""

    async def is_closed(self, repository: RepositoryRef, number: int) -> bool:
        """One that is gone is not closed."""

    async def open(
        self, repository: RepositoryRef, *, title: str, body: str, labels: Sequence[str], key: str, look: bool = True
    ) -> OpenedIssue:
        """Open an issue once under this key: a repeated call finds it and returns it. `look`: False where the caller
        knows that it is not there."""


class Labels(Protocol):
    """The labels of an issue or a pull request."""

    async def of(self, repository: RepositoryRef, number: int) -> list[str]: ...

    async def add(self, repository: RepositoryRef, number: int, label: str) -> None: ...

    async def remove(self, repository: RepositoryRef, number: int, label: str) -> None:
        """Nothing happens if it has no such label."""


@dataclass(frozen=True, kw_only=True)
class Check:
    name: str
    state: Literal["pending", "passed", "failed", "missing"]
    """`missing`: a rule demands it, and nobody has reported it."""
    required: bool
    """Whether a rule of the repository demands it before a merge."""
    url: str
    id: str = ""
    """As the forge names its result. Empty: there is nothing more to read about it."""


class Checks(Protocol):
    """Results of other programs on a commit: continuous integration."""

    async def of(self, repository: RepositoryRef, commit: Sha, *, base: str) -> list[Check]:
        """The newest result of each. An empty list says nothing: perhaps none has begun yet. `base`: the branch whose
        rules say what is required."""

    async def output(self, repository: RepositoryRef, check: Check) -> str:
        """What a check that has ended wrote: its summary and the end of its log, as far as they can be read."""


class Forge(Protocol):
    """One kind of place for repositories, with all that a case needs of it."""

    @property
    def source(self) -> Source: ...
    @property
    def pulls(self) -> Pulls: ...
    @property
    def comments(self) -> Comments | None:
        """None: there is no discussion here; people talk with a case on its other surfaces."""

    @property
    def issues(self) -> Issues | None:
        """None: issues are kept in our records alone."""

    @property
    def labels(self) -> Labels | None:
        """None: there are none here."""

    @property
    def checks(self) -> Checks | None:
        """None: nobody else checks commits here; only our own builds count."""

    @property
    def state(self) -> StateOf | None:
        """The tools by which models read the state of a pull request. None: there are none here, or they are off."""
