"""What the store keeps of cases: repositories, snapshots, messages, and the record."""

from collections.abc import Collection, Sequence, Set
from typing import Protocol

from caseworker.core.base.ids import CaseId, MessageId, RepositoryId, TraceId
from caseworker.core.base.policy import Policy
from caseworker.core.base.repositories import RepositoryRef
from caseworker.core.bug.case import BugCase
from caseworker.core.casefile.model import CaseFile
from caseworker.core.issue.case import IssueCase
from caseworker.core.people.messages import Attachment, Audience, Message, MessageKind, NewMessage, Standing
from caseworker.core.record.entries import Entry, Recorded
from caseworker.ports.stored import (
    Issue,
    NewBug,
    NewIssue,
    StoredBug,
    StoredCase,
    Thread,
)


class Repositories(Protocol):
    async def register(self, repository: RepositoryRef) -> RepositoryId:
        """Its id: `local/<folder>` or `<owner>/<name>`, with -2, -3... where that is taken. Again, the same."""

    async def ref(self, repository: RepositoryId) -> RepositoryRef:
        """Where it is. `Refused`: nobody has registered such a one."""

    async def new_issue(self, repository: RepositoryId, issue: NewIssue, *, taken: Set[int] = frozenset()) -> Issue:
        """The same title and body in the same repository is the same issue: it is returned, not made again.
        `taken`: numbers that a new one must not get, because their branch exists."""

    async def issue(self, repository: RepositoryId, number: int) -> Issue | None: ...

    async def issues(self, repository: RepositoryId) -> list[Issue]: ...


class Cases(Protocol):
    async def open(
        self,
        issue: Issue,
        *,
        policy: Policy,
        rehearsal: str | None,
        trace: TraceId,
        first: NewMessage,
        parent: CaseId | None = None,
        file: CaseFile | None = None,
    ) -> bool:
        """Case row, case file, first record entry and first message together. False: it was there already. Its branch
        is named here, as its repository's forge names those of issues.
        `parent`: the bug that it fixes, or the case that it follows up on; `file`: one that holds the analysis
        already."""

    async def load(self, case: CaseId) -> StoredCase | None: ...

    async def list(self) -> list[StoredCase]:
        """Newest change first."""

    async def children(self, parent: CaseId) -> Sequence[StoredCase]:
        """Those that fix this bug, or follow up on this case; newest change first."""

    async def move(
        self,
        after: IssueCase,
        entries: Sequence[Entry],
        file: CaseFile,
        *,
        trace: TraceId,
        tell: NewMessage | None = None,
    ) -> None:
        """Save snapshot, case file and record entries together; again with the same transition number: a no-op.
        `tell`: put into another case's inbox in the same transaction."""

    async def keep(self, after: IssueCase) -> None:
        """Save the snapshot without a move; one that is older than the stored one is not saved."""

    async def unfinished(self) -> Sequence[CaseId]:
        """Every case that is not over, or whose end still has something to do: each needs a workflow."""

    async def at_work(self) -> int:
        """How many cases are in a working state."""

    async def save_file(self, case: CaseId, file: CaseFile) -> None: ...


class Bugs(Protocol):
    """Bug cases. They lie beside the issue cases: `Cases.unfinished` and `at_work` count both."""

    async def open(self, bug: NewBug, first: NewMessage) -> tuple[CaseId, bool]:
        """Case row, thread, first entry and first message together, under an id that is drawn here: `first.case` is
        not looked at. False: that message opened (or belongs to) the case returned already."""

    async def load(self, case: CaseId) -> StoredBug | None: ...

    async def list(self) -> list[StoredBug]:
        """Newest change first."""

    async def save(
        self, after: BugCase, entries: Sequence[Entry] = (), *, trace: TraceId, key: str | None = None
    ) -> None:
        """The snapshot, and what happened, together. With a key that was used for this case before, the entries are
        there already; a snapshot that is older than the stored one (fewer moves or turns) is not saved."""


class Threads(Protocol):
    """Which thread belongs to which case, and whom one meets there."""

    async def add(self, case: CaseId, audience: Audience, thread: Thread) -> Thread:
        """One thread per case, audience and surface: again, the first is returned."""

    async def share(self, case: CaseId, audience: Audience, thread: Thread) -> None:
        """Bind a case to a thread that belongs to another one; again: a no-op."""

    async def find(self, thread: Thread) -> tuple[CaseId, Audience] | None:
        """The case that the thread belongs to."""

    async def guests(self, thread: Thread) -> list[CaseId]:
        """Other cases that speak there."""

    async def bound(self, case: CaseId) -> list[tuple[Audience, Thread]]:
        """All threads that the case speaks on."""


class Attachments(Protocol):
    """Files that came with messages (`Inbox.put` stores them)."""

    async def of(self, case: CaseId) -> list[Attachment]: ...

    async def fill(self, attachment: int, content: bytes, *, problem: str = "") -> None:
        """Its bytes, once they were fetched; or why they can't be had."""


class Inbox(Protocol):
    async def put(self, message: NewMessage) -> Message | None:
        """Committed (synchronous FULL) with its record entry. None: this surface id was there already."""

    async def claim(self, case: CaseId, turn: int) -> list[Message]:
        """Unclaimed rows get this turn's number in one UPDATE; then all rows with it are read back, in order."""

    async def overhear(self, case: CaseId, turn: int, standings: Set[Standing]) -> list[Message]:
        """Claim, for a turn that is at work, what people with these standings have said meanwhile (`SPOKEN` only:
        commands wait for the flow). Those claimed by this call, in order."""

    async def find(self, surface: str, reference: str) -> Message | None:
        """The message of that name on its surface."""

    async def settle(self, messages: Sequence[MessageId], outcome: str) -> None:
        """What came of them, where nothing is written yet."""

    async def unclaimed(self) -> list[tuple[CaseId, MessageId, MessageKind]]: ...

    async def of(self, case: CaseId) -> list[Message]: ...


class Record(Protocol):
    async def append(self, case: CaseId, entries: Sequence[Entry], *, trace: TraceId, key: str | None = None) -> None:
        """In order, in one transaction. With a key that was used for this case before: a no-op."""

    async def read(self, case: CaseId, *, after: int = 0, limit: int = 500) -> list[Recorded]: ...

    async def whole(self, case: CaseId, kinds: Collection[str] | None = None) -> list[Recorded]:
        """From the first entry to the newest, or only those of some kinds."""
