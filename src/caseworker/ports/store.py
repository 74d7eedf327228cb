"""The store: one Protocol per thing that is kept, and all of them together."""

from collections.abc import Collection, Sequence, Set
from pathlib import Path
from typing import Literal, Protocol

from caseworker.core.base.budget import Usage
from caseworker.core.base.ids import CaseId, MessageId, RepositoryId, SessionId, TraceId
from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Role, Task
from caseworker.core.bug.case import BugCase
from caseworker.core.casefile.learnings import Learning
from caseworker.core.casefile.model import CaseFile
from caseworker.core.evidence.builds import Build
from caseworker.core.issue.case import IssueCase
from caseworker.core.outcomes.answers import Observation
from caseworker.core.people.messages import Attachment, Audience, Message, MessageKind, NewMessage, Standing
from caseworker.core.record.entries import Entry, Recorded
from caseworker.ports.stored import (
    Attempt,
    Effect,
    FinishedTurn,
    Issue,
    NewBug,
    NewIssue,
    PullRequest,
    RunningAttempt,
    Spending,
    StoredBug,
    StoredCase,
    Thread,
)


class Repositories(Protocol):
    async def register(self, path: Path) -> RepositoryId:
        """The id of the repository at this path: `local/<folder>`, with -2, -3... where the name is taken."""

    async def path_of(self, repository: RepositoryId) -> Path: ...

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
        """Case row, case file, first record entry and first message together. False: it was there already.
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
        """One thread per case and audience: again, the first is returned."""

    async def find(self, thread: Thread) -> tuple[CaseId, Audience] | None: ...

    async def of(self, case: CaseId) -> dict[Audience, Thread]: ...


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

    async def settle(self, messages: Sequence[MessageId], outcome: str, *, refused: bool = False) -> None:
        """What came of them, where nothing is written yet. `refused`: they were not carried out."""

    async def unclaimed(self) -> list[tuple[CaseId, MessageId, MessageKind]]: ...

    async def of(self, case: CaseId) -> list[Message]: ...


class Record(Protocol):
    async def append(self, case: CaseId, entries: Sequence[Entry], *, trace: TraceId, key: str | None = None) -> None:
        """In order, in one transaction. With a key that was used for this case before: a no-op."""

    async def read(self, case: CaseId, *, after: int = 0, limit: int = 500) -> list[Recorded]: ...

    async def whole(self, case: CaseId, kinds: Collection[str] | None = None) -> list[Recorded]:
        """From the first entry to the newest, or only those of some kinds."""


class Turns(Protocol):
    async def begin(
        self, case: CaseId, turn: int, *, role: Role, task: Task, worker: str, activity: bytes, trace: TraceId
    ) -> Attempt | FinishedTurn:
        """A new attempt, which supersedes and cleans up any earlier one; or the result, if the turn was completed."""

    async def is_current(self, attempt: Attempt) -> bool: ...

    async def complete(self, attempt: Attempt, finished: FinishedTurn, file: CaseFile | None, *entries: Entry) -> bool:
        """Outcome, session, checkpoint, case file and entries in one transaction. False: superseded, nothing kept."""

    async def fail(self, attempt: Attempt, reason: str, entry: Entry) -> None:
        """The attempt ended without an outcome: its transcript is deleted."""

    async def fence(self, case: CaseId, turn: int) -> bool:
        """Whatever attempt still counts as running is superseded: it can't complete any more. True: this turn had
        completed before."""

    async def close_up(self, case: CaseId, entry: Entry, *, trace: TraceId) -> None:
        """The case is over: whatever attempt still counts as running is superseded, and nobody needs to ring again."""

    async def finished(self, case: CaseId) -> list[FinishedTurn]: ...

    async def running(self) -> list[RunningAttempt]: ...


class Effects(Protocol):
    async def intend(self, key: str, case: CaseId, kind: str, intent: dict[str, str]) -> tuple[Effect, bool]:
        """The row, and whether it is new. Not new and not done: somebody may have acted; look before you act."""

    async def beginning(self, kind: str, intent: dict[str, str]) -> bool:
        """Whether one with exactly this intent is under way, or its end is not known."""

    async def done(self, key: str, result: dict[str, str]) -> None: ...


class Builds(Protocol):
    async def save(self, case: CaseId, build: Build) -> None:
        """Again with the same number: replaced (a build has no outside effect)."""

    async def of(self, case: CaseId) -> list[Build]: ...


class Pulls(Protocol):
    """The records behind the local forge's pull requests."""

    async def create(self, pull: PullRequest) -> PullRequest:
        """The number is given here; one open pull request per repository and head: again, the first is returned."""

    async def update(self, pull: PullRequest) -> PullRequest:
        """Its title, text and commit, by its number."""

    async def find(self, repository: RepositoryId, head: str) -> PullRequest | None:
        """The newest one with this head."""

    async def of(self, case: CaseId) -> list[PullRequest]: ...

    async def open_ones(self) -> list[PullRequest]: ...

    async def set_state(
        self, repository: RepositoryId, number: int, state: Literal["open", "merged", "closed"]
    ) -> None: ...


class Ledger(Protocol):
    async def reserve(
        self, attempt: Attempt, *, model: str, micros: int, cap_micros: int, rehearsed: bool
    ) -> int | None:
        """The id of the reservation; None when spent + reserved + this would pass the case's cap."""

    async def settle(self, reservation: int, usage: Usage, micros: int) -> None: ...

    async def spent(self, case: CaseId, turn: int | None = None) -> Spending: ...


class Transcripts(Protocol):
    """Agent sessions by id. Entries are the agent's own JSON objects, given back deep-equal and in order."""

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
    """What cases have found out about their repository: one row for the same words, however often they are said."""

    async def add(self, repository: RepositoryId, case: CaseId, observations: Sequence[Observation]) -> None:
        """A case counts once for each: to add the same again changes nothing."""

    async def of(self, repository: RepositoryId | None = None) -> list[Learning]:
        """Of one repository, or of all."""

    async def forget(self, learning: int) -> bool:
        """False: there is none with this id."""


class Places(Protocol):
    """Who of the developers is at work, over all workers. Who is not heard of for a while has left."""

    async def ask(self, case: CaseId, turn: int, *, most: int, queue: bool) -> bool:
        """True: this turn has a place; asked again, it keeps it. False: none of `most` is free for it. With `queue`
        it stands in line then, and keeps its place there by asking again; without, nothing of it is left behind."""

    async def renew(self, case: CaseId, turn: int) -> None:
        """It is still at work: counted as such, even if its place had gone to another while nobody heard of it."""

    async def leave(self, case: CaseId, turn: int) -> None: ...


class Store(Protocol):
    """The records, all of them, in one database."""

    @property
    def repositories(self) -> Repositories: ...
    @property
    def cases(self) -> Cases: ...
    @property
    def bugs(self) -> Bugs: ...
    @property
    def threads(self) -> Threads: ...
    @property
    def attachments(self) -> Attachments: ...
    @property
    def inbox(self) -> Inbox: ...
    @property
    def record(self) -> Record: ...
    @property
    def turns(self) -> Turns: ...
    @property
    def effects(self) -> Effects: ...
    @property
    def builds(self) -> Builds: ...
    @property
    def pulls(self) -> Pulls: ...
    @property
    def ledger(self) -> Ledger: ...
    @property
    def transcripts(self) -> Transcripts: ...
    @property
    def learnings(self) -> Learnings: ...
    @property
    def places(self) -> Places: ...
