"""Port to the store's records of work: turns, effects, builds, pull requests, transcripts, learnings, places."""

from collections.abc import Sequence
from typing import Literal, Protocol

from caseworker.core.base.ids import CaseId, RepositoryId, SessionId, Sha, TraceId
from caseworker.core.base.pace import Pace
from caseworker.core.base.roles import Role, Task
from caseworker.core.casefile.learnings import Learning
from caseworker.core.casefile.model import CaseFile
from caseworker.core.evidence.builds import Build
from caseworker.core.outcomes.answers import Observation
from caseworker.core.people.caps import Cap, CapName
from caseworker.core.record.entries import Entry
from caseworker.ports.stored import (
    Attempt,
    Effect,
    FinishedTurn,
    PullRequest,
    RunningAttempt,
)


class Turns(Protocol):
    async def begin(
        self, case: CaseId, turn: int, *, role: Role, task: Task, worker: str, activity: bytes, trace: TraceId
    ) -> Attempt | FinishedTurn:
        """A new attempt, which supersedes and cleans up any earlier one; or the result, if the turn was completed."""

    async def is_current(self, attempt: Attempt) -> bool: ...

    async def complete(self, attempt: Attempt, finished: FinishedTurn, file: CaseFile | None, *entries: Entry) -> bool:
        """Save outcome, session, checkpoint, case file and entries in one transaction. False: superseded, nothing is
        saved."""

    async def fail(self, attempt: Attempt, reason: str, entry: Entry) -> None:
        """The attempt ended without an outcome: its transcript is deleted."""

    async def fence(self, case: CaseId, turn: int) -> bool:
        """Supersede any attempt that still counts as running, so that it can't complete. True: this turn had completed
        before."""

    async def close_up(self, case: CaseId, entry: Entry, *, trace: TraceId) -> None:
        """The case is over: supersede any attempt that still counts as running, and need no further rings."""

    async def finished(self, case: CaseId) -> list[FinishedTurn]: ...

    async def running(self) -> list[RunningAttempt]: ...


class Effects(Protocol):
    async def intend(self, key: str, case: CaseId, kind: str, intent: dict[str, str]) -> tuple[Effect, bool]:
        """The row, and whether it is new. Not new and not done: somebody may have acted; look before you act."""

    async def beginning(self, kind: str, intent: dict[str, str]) -> bool:
        """Whether an effect with exactly this intent is under way, or its end is unknown."""

    async def done(self, key: str, result: dict[str, str]) -> None: ...

    async def withdraw(self, key: str) -> None:
        """Remove an intent that is known not to have been carried out: no look is needed before the next try."""


class Builds(Protocol):
    async def save(self, case: CaseId, build: Build) -> None:
        """A repeated save with the same number replaces it (a build has no outside effect)."""

    async def of(self, case: CaseId) -> list[Build]: ...


class WriteBudget(Protocol):
    """How much we may write to an outside service, counted over all workers."""

    async def take(self, account: str, kind: str, *, pace: Pace) -> float:
        """Count one write and return 0. Too early: count nothing, and return how many seconds to wait."""

    async def hold(self, account: str, seconds: float) -> None:
        """The service asks for a pause: `take` says so until it has passed."""


class PullRecords(Protocol):
    """Pull requests as we know them: those of our cases, and others. For a repository on this disk there is nothing
    else."""

    async def create(self, pull: PullRequest) -> PullRequest:
        """Gives it a number. One open pull request per repository and head: a repeated call returns the first."""

    async def keep(self, pull: PullRequest) -> PullRequest:
        """Save one that has its number from the forge, as it is now. Whose case it is stays as it was first saved."""

    async def update(self, pull: PullRequest) -> PullRequest:
        """Change its title, text and commit, by its number."""

    async def find(self, repository: RepositoryId, head: str) -> PullRequest | None:
        """The newest one with this head."""

    async def numbered(self, repository: RepositoryId, number: int) -> PullRequest | None: ...

    async def of(self, case: CaseId) -> list[PullRequest]: ...

    async def open_ones(self) -> list[PullRequest]: ...

    async def with_commit(self, commit: Sha) -> list[PullRequest]:
        """Open ones whose head is this commit."""

    async def set_state(
        self, repository: RepositoryId, number: int, state: Literal["open", "merged", "closed"]
    ) -> None: ...


class Transcripts(Protocol):
    """Agent sessions by id. Entries are the agent's own JSON objects, returned deep-equal and in order."""

    async def append(
        self, session: SessionId, subpath: str, project: str, entries: Sequence[dict[str, object]]
    ) -> None:
        """An entry whose `uuid` is there already is not added again."""

    async def load(self, session: SessionId, subpath: str) -> list[dict[str, object]] | None: ...

    async def sessions(self, project: str) -> list[tuple[SessionId, int]]:
        """Session ids of a project with the time of their last change, in epoch milliseconds."""

    async def subpaths(self, session: SessionId) -> list[str]: ...

    async def delete(self, session: SessionId, subpath: str | None = None) -> None: ...


class Learnings(Protocol):
    """What cases have found out about their repository: one row per text, however often it is said."""

    async def add(self, repository: RepositoryId, case: CaseId, observations: Sequence[Observation]) -> None:
        """A case counts once for each: adding the same again changes nothing."""

    async def of(self, repository: RepositoryId | None = None) -> list[Learning]:
        """Those of one repository, or of all."""

    async def approve(self, learning: int, *, by: str) -> bool:
        """An owner says that it is true. False: there is none with this id."""

    async def edit(self, learning: int, content: str, *, by: str) -> bool:
        """An owner says it in other words, which are true. False: there is none with this id, or another says this."""

    async def forget(self, learning: int) -> bool:
        """False: there is none with this id. The case that noted it does not bring it back."""


class Caps(Protocol):
    """Caps of the deployment that an owner has changed while it runs. All processes read them before each decision."""

    async def set(self, name: CapName, value: int | None, *, by: str) -> None:
        """Null: the setting counts again."""

    async def all(self) -> list[Cap]: ...

    async def value(self, name: CapName, setting: int) -> int:
        """What an owner has set, or else the setting."""


class Places(Protocol):
    """The places of working developers, over all workers. A place that is not renewed expires."""

    async def ask(self, case: CaseId, turn: int, *, most: int, queue: bool) -> bool:
        """True: this turn has a place; asking again keeps it. False: none of `most` is free. With `queue` it then waits
        in line, and keeps its position by asking again; without, it leaves no trace."""

    async def renew(self, case: CaseId, turn: int) -> None:
        """It is still at work and is counted as such, even if its place went to another meanwhile."""

    async def leave(self, case: CaseId, turn: int) -> None: ...
