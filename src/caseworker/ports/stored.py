"""Models of what the store returns: issues, cases, threads, turns, effects, pull requests, spending."""

from datetime import datetime
from typing import Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.budget import Usage
from caseworker.core.base.case_kinds import CaseKind
from caseworker.core.base.ids import CaseId, RepositoryId, SessionId, Sha, TraceId
from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Role, Task
from caseworker.core.bug.case import BugCase
from caseworker.core.casefile.model import CaseFile
from caseworker.core.issue.case import IssueCase
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.pull.case import PullCase


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True)


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


class Stored(_Value):
    """Fields of the rows of all kinds of cases."""

    title: str
    repository: RepositoryId
    policy: Policy
    rehearsal: str | None
    """The text of the rehearsal script, if the model is rehearsed."""
    trace: TraceId
    opened_at: datetime
    changed_at: datetime


class StoredCase(Stored):
    kind: Literal[CaseKind.ISSUE] = CaseKind.ISSUE
    case: IssueCase
    number: int
    file: CaseFile
    parent: CaseId | None = None
    """The bug that it fixes, or the completed case that it follows up on."""


class StoredBug(Stored):
    kind: Literal[CaseKind.BUG] = CaseKind.BUG
    case: BugCase
    report: str
    """The first message, in full."""
    reporter: str
    """The reporter's name on the surface it came from."""
    surface: str


class StoredPull(Stored):
    kind: Literal[CaseKind.PULL] = CaseKind.PULL
    case: PullCase
    number: int
    url: str
    author: str
    """Who opened the pull request."""
    parent: CaseId | None = None
    """The issue case that opened it. Null: a person did."""


StoredAny: TypeAlias = StoredCase | StoredBug | StoredPull
"""A case of any kind."""


class Thread(_Value):
    """A conversation on a chat surface: `anchor` is the id of its first message there. Empty: the channel itself."""

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


class NewPullCase(_Value):
    """A pull case before it is stored."""

    repository: RepositoryId
    number: int
    title: str
    url: str
    author: str
    policy: Policy
    rehearsal: str | None
    trace: TraceId
    parent: CaseId | None = None
    thread: Thread | None = None


class Attempt(_Value):
    """One try at a turn. `token` is the fence: only the newest attempt of a turn can complete it."""

    case: CaseId
    turn: int
    number: int
    token: str
    session: SessionId


class CaseAccount(_Value):
    """Account of a single question that counts against a case's budget, and is in its record."""

    case: CaseId
    trace: TraceId


class RepositoryAccount(_Value):
    """Account of a single question that no case pays for. A repository's spending is counted over the last 24 hours."""

    repository: RepositoryId


class SingleQuestion(_Value):
    """Payer of the model calls of a single question: there is no turn, and no attempt."""

    purpose: str
    account: CaseAccount | RepositoryAccount


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


class Effect(_Value):
    key: str
    done: bool
    intent: dict[str, str]
    result: dict[str, str]


POST: Final = "post"


def begins_thread(channel: str) -> dict[str, str]:
    """The intent of a post that begins a thread in a channel. Intake looks for it before it calls a thread unknown."""
    return {"channel": channel, "begins": "a thread"}


class PullRequest(_Value):
    repository: RepositoryId
    number: int
    case: CaseId | None
    """None: somebody else's pull request, or of a case that is not ours."""
    title: str
    body: str
    base: str
    head: str
    head_sha: Sha
    state: Literal["open", "merged", "closed"]
    url: str


class Spending(_Value):
    calls: int = 0
    usage: Usage = Usage()
    micros: int = 0
    """Settled, plus what calls under way have reserved."""
    reserved_micros: int = 0
    """The part of it that is only reserved."""

    @property
    def spent_micros(self) -> int:
        """What people are told."""
        return self.micros - self.reserved_micros
