"""Port to the store's records of cases: repositories, threads, attachments, messages, and the record."""

from collections.abc import Collection, Sequence, Set
from typing import Protocol

from caseworker.core.base.ids import CaseId, MessageId, RepositoryId, TraceId
from caseworker.core.base.repositories import RepositoryRef
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.messages import Attachment, Audience, Message, NewMessage, Standing
from caseworker.core.record.entries import Entry, Recorded
from caseworker.ports.stored import (
    Issue,
    NewIssue,
    Thread,
)


class Repositories(Protocol):
    async def register(self, repository: RepositoryRef) -> RepositoryId:
        """Returns its id: `local/<folder>` or `<owner>/<name>`, with -2, -3... where that is taken. Repeated calls
        return the same id."""

    async def ref(self, repository: RepositoryId) -> RepositoryRef:
        """Where the repository is. `Refused`: it is not registered."""

    async def new_issue(self, repository: RepositoryId, issue: NewIssue, *, taken: Set[int] = frozenset()) -> Issue:
        """The same title and body in the same repository is the same issue: it is returned, not made again. `taken`:
        numbers that a new one must not get, because their branch exists."""

    async def issue(self, repository: RepositoryId, number: int) -> Issue | None: ...

    async def issues(self, repository: RepositoryId) -> list[Issue]: ...


class Threads(Protocol):
    """Which thread belongs to which case, and the audience there."""

    async def add(self, case: CaseId, audience: Audience, thread: Thread) -> Thread:
        """One thread per case, audience and surface: a repeated call returns the first."""

    async def begin(self, case: CaseId, audience: Audience, thread: Thread, *, effect: str) -> None:
        """As `add`, for a thread that our own post began: ends the effect of that post in the same transaction, with
        the thread's anchor as its place."""

    async def share(self, case: CaseId, audience: Audience, thread: Thread) -> None:
        """Bind a case to a thread that belongs to another one. Repeated: a no-op."""

    async def find(self, thread: Thread) -> tuple[CaseId, Audience] | None:
        """The case that the thread belongs to."""

    async def guests(self, thread: Thread) -> list[CaseId]:
        """Other cases that post there."""

    async def bound(self, case: CaseId) -> list[tuple[Audience, Thread]]:
        """All threads that the case posts on."""


class Attachments(Protocol):
    """Files that came with messages (`Inbox.put` stores them)."""

    async def of(self, case: CaseId) -> list[Attachment]: ...

    async def fill(self, attachment: int, content: bytes, *, problem: str = "") -> None:
        """Store its bytes once they were fetched, or why they can't be had."""


class Inbox(Protocol):
    async def put(self, message: NewMessage) -> Message | None:
        """Commit (synchronous FULL) with its record entry. None: this surface id was there already."""

    async def claim(self, case: CaseId, turn: int) -> list[Message]:
        """Unclaimed rows get this turn's number in one UPDATE; then all rows with it are read back, in order."""

    async def overhear(self, case: CaseId, turn: int, standings: Set[Standing]) -> list[Message]:
        """Claim for a working turn what people with these standings have written meanwhile (`SPOKEN` only: commands
        wait for the flow). Returns the messages claimed by this call, in order."""

    async def find(self, surface: str, reference: str) -> Message | None:
        """The message with that reference on its surface."""

    async def settle(self, messages: Sequence[MessageId], outcome: str, *, refused: bool = False) -> None:
        """Write the outcome of messages that have none yet. `refused`: they were not carried out."""

    async def unclaimed(self) -> list[tuple[CaseId, MessageId, MessageKind]]: ...

    async def of(self, case: CaseId) -> list[Message]: ...


class Record(Protocol):
    async def append(self, case: CaseId, entries: Sequence[Entry], *, trace: TraceId, key: str | None = None) -> bool:
        """Append in order, in one transaction. False: the key was used for this case before, and nothing is written."""

    async def read(self, case: CaseId, *, after: int = 0, limit: int = 500) -> list[Recorded]: ...

    async def whole(
        self, case: CaseId, kinds: Collection[str] | None = None, *, without: Collection[str] = ()
    ) -> list[Recorded]:
        """All entries from first to newest, or only those of some kinds. `without`: kinds that are left out."""

    async def newest(self, case: CaseId, *, without: Collection[str], limit: int) -> tuple[list[Recorded], int]:
        """The newest entries that are of no such kind, oldest first, and how many there are before them."""
