"""What the inside asks of the world: one Protocol per thing that could be another thing tomorrow.

Nothing here knows a vendor. Values are core's; a port returns expected results and raises `Transient` or `Refused`.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence, Set
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final, Literal, Protocol

from pydantic import BaseModel, ConfigDict

from caseworker.core.answers import Observation
from caseworker.core.bisection import Bisection, BisectRequest
from caseworker.core.budget import Usage
from caseworker.core.bugs import Bug
from caseworker.core.case import Case
from caseworker.core.casefile import CaseFile
from caseworker.core.conversation import Line
from caseworker.core.errors import Refused
from caseworker.core.evidence import Build, Command, CommandRun
from caseworker.core.ids import CaseId, MessageId, RepositoryId, SessionId, Sha, TraceId
from caseworker.core.learnings import Learning
from caseworker.core.messages import Attachment, Audience, Message, MessageKind, NewMessage, Standing
from caseworker.core.outcomes import Outcome, Task
from caseworker.core.policy import Policy
from caseworker.core.record import AgentEvent, Entry, Recorded
from caseworker.core.states import Role


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True)


# --- the store -------------------------------------------------------------------------------------------------------


class NewIssue(_Value):
    """An issue of a local repository, before it has a number."""

    title: str
    body: str
    labels: list[str] = []
    url: str = ""
    number: int | None = None
    """Given by the source (the JSON of `gh issue view`); otherwise the next free one."""


class Issue(_Value):
    repository: RepositoryId
    number: int
    title: str
    body: str
    labels: list[str]
    url: str
    created_at: datetime


class StoredCase(_Value):
    case: Case
    title: str
    repository: RepositoryId
    number: int
    policy: Policy
    file: CaseFile
    parent: CaseId | None = None
    """The bug that it fixes, or the completed case that it follows up on."""
    rehearsal: str | None
    """The text of the rehearsal script, if the model is rehearsed."""
    trace: TraceId
    opened_at: datetime
    changed_at: datetime


class StoredBug(_Value):
    case: Bug
    title: str
    report: str
    """The first words, in full."""
    reporter: str
    """The reporter's name on the surface it came from."""
    surface: str
    repository: RepositoryId
    policy: Policy
    rehearsal: str | None
    trace: TraceId
    opened_at: datetime
    changed_at: datetime


class Thread(_Value):
    """A conversation on a chat surface: `anchor` is its first message's own name there. Empty: the channel itself."""

    surface: str
    channel: str
    anchor: str = ""


class NewBug(_Value):
    title: str
    reporter: str
    repository: RepositoryId
    policy: Policy
    rehearsal: str | None
    trace: TraceId
    thread: Thread | None = None
    """Where it was reported, on a surface that has threads."""


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
        self, after: Case, entries: Sequence[Entry], file: CaseFile, *, trace: TraceId, tell: NewMessage | None = None
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

    async def save(self, after: Bug, entries: Sequence[Entry] = (), *, trace: TraceId, key: str | None = None) -> None:
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


class Attempt(_Value):
    """One try at a turn. `token` is the fence: only the newest attempt of a turn can complete it."""

    case: CaseId
    turn: int
    number: int
    token: str
    session: SessionId


class FinishedTurn(_Value):
    turn: int
    attempt: int
    role: Role
    task: Task
    outcome: Outcome
    checkpoint: Sha
    session: SessionId
    calls: int
    cost_micros: int


class RunningAttempt(_Value):
    case: CaseId
    turn: int
    number: int
    worker: str
    activity: bytes
    """Temporal's token of the activity, so that a new host can end what a dead one left."""


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


class Effect(_Value):
    key: str
    done: bool
    intent: dict[str, str]
    result: dict[str, str]


POST: Final = "post"


def begins_thread(channel: str) -> dict[str, str]:
    """The intent of a post that begins a thread there: intake asks for it before it calls a thread unknown."""
    return {"channel": channel, "begins": "a thread"}


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


class PullRequest(_Value):
    repository: RepositoryId
    number: int
    case: CaseId
    title: str
    body: str
    base: str
    head: str
    head_sha: Sha
    state: Literal["open", "merged", "closed"]
    url: str


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


class Spending(_Value):
    calls: int = 0
    usage: Usage = Usage()
    micros: int = 0
    """Settled, plus what calls under way have reserved."""


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


# --- agents ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Brief:
    """All that an agent needs for one attempt at a turn."""

    attempt: Attempt
    role: Role
    task: Task
    model: str
    system_prompt: str
    prompt: str
    tools: tuple[str, ...]
    workspace: Path
    writable: bool
    resume: SessionId | None
    """The session of this role's last completed turn; it is forked into `attempt.session`, never written to."""
    rehearsal: str | None
    nth: int
    """How many turns of this role and task the case has completed, plus one: which entry of a rehearsal applies."""
    cap_micros: int
    calls: int
    seconds: float
    read_only: tuple[Path, ...] = ()
    """Further paths of the host that the agent may read: the repository's git objects."""
    overlays: tuple[tuple[Path, Path], ...] = ()
    """(outside, inside): files and folders laid read-only over a path of the sandbox."""
    conversation: bool = False
    """Whether the agent has the tool that reads the case's conversation (`Ear.conversation`)."""
    bisect: Callable[[BisectRequest], Awaitable[str]] | None = field(default=None, compare=False)
    """With it, the agent has a tool that finds the commit which broke something. It is told what came out, in words."""
    check: Callable[[Outcome], Awaitable[str]] | None = field(default=None, compare=False)
    """What is wrong with an outcome that has the right shape; empty: nothing. The agent may repair it once. All that
    it did until then is on the record."""


@dataclass(frozen=True, kw_only=True)
class AgentFinished:
    outcome: Outcome
    calls: int


@dataclass(frozen=True, kw_only=True)
class AgentFailed:
    """An expected end without an outcome: a limit, an invalid answer twice, a refusing model."""

    reason: str
    why: Literal["invalid_outcome", "calls", "seconds", "budget", "model", "crashed", "script"]
    retry: bool = False
    """Whether the same turn could go well on another try (an overloaded model, a crashed process)."""
    log: str = field(default="", repr=False)


class Ear(Protocol):
    """How a working agent hears people."""

    async def news(self) -> Sequence[Message]:
        """What was said since the turn began and not given out yet. Who is given it has seen it: the turn claims it."""

    async def conversation(self) -> Sequence[Line]:
        """All that was said in this case so far, by people and by the bot, oldest first."""


class AgentRuntime(Protocol):
    async def run(
        self, brief: Brief, saw: Callable[[Sequence[AgentEvent]], Awaitable[None]], ear: Ear
    ) -> AgentFinished | AgentFailed:
        """Cancelling the task stops the agent and its whole process tree within 2 s."""


# --- workspaces ------------------------------------------------------------------------------------------------------


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
    async def prepare(self, case: CaseId, repository: Path, base: Sha | None) -> Workspace:
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

    async def remove(self, case: CaseId) -> None:
        """Everything of the case: worktree, side trees, commits."""

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


# --- forges ----------------------------------------------------------------------------------------------------------


class BranchIsTheirs(Refused):
    """The branch holds, or has just got, what somebody else has pushed."""


class Forge(Protocol):
    async def branch_head(self, repository: RepositoryId, branch: str) -> Sha | None: ...

    async def fetch(self, repository: RepositoryId, workspace: Workspace, *, branch: str) -> Sha | None:
        """Where the branch is now; its commits are then among the workspace's. Null: there is no such branch."""

    async def push(
        self, repository: RepositoryId, workspace: Workspace, commit: Sha, *, branch: str, expected: Sha | None
    ) -> None:
        """Create or move `branch` to `commit`, only if it is still where we saw it (`expected`) and nobody else's
        commit would be dropped: `BranchIsTheirs`. Never to the default branch: `Refused`."""

    async def open_pull_request(self, pull: PullRequest) -> PullRequest: ...

    async def update_pull_request(self, pull: PullRequest) -> PullRequest:
        """Title, text and commit of an open one, by its number."""

    async def find_pull_request(self, repository: RepositoryId, head: str) -> PullRequest | None: ...

    async def settled_pull_requests(self) -> list[PullRequest]:
        """Open ones that a person has meanwhile merged or closed, with their new state, which is not saved yet."""

    async def taken_numbers(self, path: Path) -> set[int]:
        """The N of every branch `agent/issue-N` there: a new issue must not get the number of one."""


# --- chats -----------------------------------------------------------------------------------------------------------


class Chat(Protocol):
    """A surface where people talk in threads."""

    async def post(self, thread: Thread, text: str, *, key: str) -> str:
        """The post's own name there; `key` goes with it, so that `find` can tell whether it arrived."""

    async def find(self, thread: Thread, key: str) -> str | None:
        """The post with this key, if it is in that thread (or channel): the look before a repeat."""

    async def fetch(self, source: str, *, limit: int) -> bytes:
        """An attachment's bytes. Raises `Refused` for one that is gone, forbidden or larger than `limit`."""


class Doorbell(Protocol):
    async def ring(self, case: CaseId, message: MessageId, kind: MessageKind) -> None:
        """Signal-with-start. Losing it costs time only: the reconciler rings again."""


class Switchboard(Doorbell, Protocol):
    """A doorbell that also knows who is at home."""

    async def listening(self) -> set[CaseId]:
        """The cases whose workflow runs."""

    async def keep_time(self, case: CaseId) -> None:
        """Start the SLA clock of a bug case, or make it look again."""
