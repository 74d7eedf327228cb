"""The closed union of record entries: everything that happened to a case. CLI and dashboard read only this."""

from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from caseworker.core.base.ids import MessageId, RepositoryId, Sha, TraceId
from caseworker.core.base.policy import Severity
from caseworker.core.base.roles import Role, Task
from caseworker.core.bug.case import BugState
from caseworker.core.casefile.model import BuildSection, CommitSection, ReviewSection, WriterSection
from caseworker.core.evidence.builds import CommandRun, Stage, VerdictKind
from caseworker.core.issue.states import IssueState
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.messages import Audience, Standing
from caseworker.core.pull.case import PullState
from caseworker.core.record.claim_entries import ClaimsChecked
from caseworker.core.record.entry import RecordEntry
from caseworker.core.record.investigation import Bisected, CauseProven, InstrumentRan, MatrixRevised
from caseworker.core.record.pull_entries import PullRecorded
from caseworker.core.record.turn_stall import TurnStalled

BODY_LIMIT: Final = 64_000
"""Bytes of one entry's body."""
VERSION: Final = 1


class CaseOpened(RecordEntry):
    kind: Literal["case_opened"] = "case_opened"
    repository: RepositoryId
    number: int
    title: str
    rehearsed: bool
    is_pull_request: bool = False
    """Whether the number is a pull request's, so that the case is `owner/repo!57`."""


class BugReported(RecordEntry):
    kind: Literal["bug_reported"] = "bug_reported"
    repository: RepositoryId
    title: str
    reporter: str
    surface: str
    rehearsed: bool


class BugRead(RecordEntry):
    """What patterns found in the report, before any turn."""

    kind: Literal["bug_read"] = "bug_read"
    severity: Severity
    services: list[str]
    owners: list[str]
    vague: bool


class BugMoved(RecordEntry):
    kind: Literal["bug_moved"] = "bug_moved"
    number: int
    from_state: BugState
    to_state: BugState
    reason: str


class PullMoved(RecordEntry):
    kind: Literal["pull_moved"] = "pull_moved"
    number: int
    from_state: PullState
    to_state: PullState
    reason: str


class Posted(RecordEntry):
    kind: Literal["posted"] = "posted"
    audience: Audience
    about: str
    number: int = 0
    """Identifies the post together with `about`."""
    text: str
    text_with_buttons: str = ""
    """As the dashboard phrases it; `text` is as a terminal does. Empty: both are the same."""
    place: str = ""
    """The surface's name for the post. Empty: people read it in this record."""
    undelivered: bool = False
    """The surface refused it for good. A `Noted` entry says why."""


class SlaChecked(RecordEntry):
    """A target of the service level was met or missed, or people were told about it."""

    kind: Literal["sla_checked"] = "sla_checked"
    target: Literal["acknowledge", "resolve", "follow_up"]
    result: Literal["met", "missed", "reminded", "escalated"]
    severity: Severity
    due: datetime
    level: int = 0
    text: str = ""


class MessageRecorded(RecordEntry):
    kind: Literal["message_recorded"] = "message_recorded"
    message: MessageId
    surface: str
    author: str
    standing: Standing
    message_kind: MessageKind
    text: str


class MessagesClaimed(RecordEntry):
    kind: Literal["messages_claimed"] = "messages_claimed"
    turn: int
    messages: list[MessageId]


class Transitioned(RecordEntry):
    kind: Literal["transitioned"] = "transitioned"
    number: int
    from_state: IssueState
    to_state: IssueState
    reason: str
    iteration: int = 0
    """Its number within the round. 0: it began the round."""


class TurnStarted(RecordEntry):
    kind: Literal["turn_started"] = "turn_started"
    turn: int
    attempt: int
    role: Role
    task: Task
    model: str


class AgentSaid(RecordEntry):
    kind: Literal["agent_said"] = "agent_said"
    turn: int
    text: str


class ToolCalled(RecordEntry):
    kind: Literal["tool_called"] = "tool_called"
    turn: int
    call: str
    """The call's id, to find its result."""
    tool: str
    summary: str
    """One line: the command, the path, the pattern."""


class ToolReturned(RecordEntry):
    kind: Literal["tool_returned"] = "tool_returned"
    turn: int
    call: str
    ok: bool
    output: str


class TurnCompleted(RecordEntry):
    kind: Literal["turn_completed"] = "turn_completed"
    turn: int
    attempt: int
    role: Role
    task: Task
    status: str
    summary: str
    checkpoint: Sha
    calls: int
    cost_micros: int


class TurnFailed(RecordEntry):
    kind: Literal["turn_failed"] = "turn_failed"
    turn: int
    attempt: int
    role: Role
    task: Task
    reason: str
    invalid: bool = False
    """It handed in no valid outcome, also after its one repair."""


class ModelAsked(RecordEntry):
    """A single call to a model outside of any turn."""

    kind: Literal["model_asked"] = "model_asked"
    purpose: str
    model: str
    failed: str
    """Why there is no answer. Empty: there is one."""
    cost_micros: int


class BuildRan(RecordEntry):
    kind: Literal["build_ran"] = "build_ran"
    number: int
    stage: Stage
    commit: Sha
    verdict: VerdictKind
    reason: str
    runs: list[CommandRun]
    on_base: list[CommandRun] = []
    """Of a head: its tests, run on the base's code."""
    proves: Literal["red", "nothing"] | None = None
    """Of a head: whether one of them failed there, as it has to. Null: none has to."""


class AttemptEnded(RecordEntry):
    """The sections of the case file that began anew, as they were at the end of an attempt."""

    kind: Literal["attempt_ended"] = "attempt_ended"
    round: int
    attempt: int
    writer: WriterSection
    build: BuildSection
    review: ReviewSection
    commit: CommitSection


class BranchPushed(RecordEntry):
    kind: Literal["branch_pushed"] = "branch_pushed"
    branch: str
    commit: Sha


class PullRequestOpened(RecordEntry):
    kind: Literal["pull_request_opened"] = "pull_request_opened"
    number: int
    title: str
    branch: str
    base: str
    url: str


class WorkspaceRemoved(RecordEntry):
    kind: Literal["workspace_removed"] = "workspace_removed"


class Noted(RecordEntry):
    """A note for readers of the record that fits no other entry."""

    kind: Literal["noted"] = "noted"
    text: str


Entry = Annotated[
    CaseOpened
    | BugReported
    | BugRead
    | BugMoved
    | PullMoved
    | PullRecorded
    | Posted
    | SlaChecked
    | MessageRecorded
    | MessagesClaimed
    | Transitioned
    | TurnStarted
    | AgentSaid
    | ToolCalled
    | ToolReturned
    | TurnCompleted
    | TurnFailed
    | TurnStalled
    | ModelAsked
    | ClaimsChecked
    | BuildRan
    | AttemptEnded
    | MatrixRevised
    | CauseProven
    | Bisected
    | InstrumentRan
    | BranchPushed
    | PullRequestOpened
    | WorkspaceRemoved
    | Noted,
    Field(discriminator="kind"),
]

AgentEvent = AgentSaid | ToolCalled | ToolReturned

_ENTRY: Final[TypeAdapter[Entry]] = TypeAdapter(Entry)


class Recorded(BaseModel):
    """An entry with its position in the record. Sorted by sequence, never by time."""

    model_config = ConfigDict(frozen=True)

    sequence: int
    at: datetime
    trace: TraceId
    version: int
    entry: Entry


def parse_entry(body: object) -> Entry:
    return _ENTRY.validate_python(body)
