"""The values that travel between flows and activities. Ids and facts only: people's text never enters a history."""

from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from caseworker.core.base.failed_steps import Deferred, EffectRefused, Outside, TurnGaveUp
from caseworker.core.base.ids import CaseId, MessageId, Sha
from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Role, Task
from caseworker.core.bug.case import BugCase, BugPost
from caseworker.core.bug.turns import InvestigatorTurn
from caseworker.core.evidence.builds import Stage
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.facts import BranchMoved, BuildEnded, ChecksSeen, PullRequestReady, TurnEnded
from caseworker.core.issue.posts import IssuePost
from caseworker.core.people.messages import Claimed
from caseworker.core.pull.case import PullCase
from caseworker.core.pull.pull_events import (
    BranchUpdated,
    FailuresRead,
    HeadMoved,
    HeadSame,
    NotPossible,
    Published,
    PullBuilt,
    PullPrepared,
    PullTurnEnded,
    PushWithheld,
    Seen,
    WorkKept,
)
from caseworker.core.pull.pull_posts import PullPost
from caseworker.core.record.entries import BugMoved, Noted, PullMoved, Transitioned


class _Wire(BaseModel):
    model_config = ConfigDict(frozen=True)


class CaseInput(_Wire):
    """All that a case's workflow starts from; the rest is in its record."""

    case: CaseId
    policy: Policy


NO_INPUT: Final = CaseInput(case=CaseId(""), policy=Policy())
"""What a workflow has that was started without input, which we never do."""


class ClaimRequest(_Wire):
    case: CaseId
    turn: int


class SettleRequest(_Wire):
    messages: list[MessageId]
    outcome: str
    refused: bool = False
    """They were commands that were not carried out; the outcome says why."""


class MoveRequest(_Wire):
    after: IssueCase
    entry: Transitioned | Noted = Field(discriminator="kind")


class TurnRequest(_Wire):
    case: IssueCase
    turn: int
    role: Role
    task: Task
    policy: Policy


class StallRequest(_Wire):
    case: CaseId
    reason: str
    next_try: datetime


class TurnDied(_Wire):
    """The attempt ended without an outcome, but another attempt may succeed."""

    kind: Literal["turn_died"] = "turn_died"
    reason: str
    passing: bool = False
    """The cause was outside (the worker, the network, a service, a full disk): it is retried without limit."""
    outside: Outside | None = None
    """The model's provider can't be reached, or the machine has no room: after a while a person is told."""
    until: datetime | None = None
    """The model's usage limit is reached until then. Null: another attempt may succeed soon."""


TurnReply = Annotated[TurnEnded | TurnGaveUp | TurnDied | Deferred, Field(discriminator="kind")]


class BuildRequest(_Wire):
    case: IssueCase
    number: int
    stage: Stage
    commit: Sha
    policy: Policy


class PushRequest(_Wire):
    case: IssueCase
    commit: Sha


class Pushed(_Wire):
    kind: Literal["pushed"] = "pushed"
    commit: Sha


class Postponed(_Wire):
    """A service asks us to wait until that time. The flow waits by a timer, and goes on hearing people."""

    kind: Literal["postponed"] = "postponed"
    channel: str
    """Where: a channel of a chat, or an account of a forge."""
    until: datetime


PushReply = Annotated[Pushed | BranchMoved | EffectRefused | Postponed, Field(discriminator="kind")]
PullReply = Annotated[PullRequestReady | EffectRefused | Postponed, Field(discriminator="kind")]
DeliveryReply = Annotated[PullRequestReady | BranchMoved | EffectRefused | Postponed, Field(discriminator="kind")]
ChecksReply = Annotated[ChecksSeen | EffectRefused | Postponed, Field(discriminator="kind")]
BuildReply = BuildEnded


class SaveBug(_Wire):
    after: BugCase
    move: BugMoved | None = None


class SinceRequest(_Wire):
    case: CaseId
    after: MessageId


AnyPost = Annotated[BugPost | IssuePost | PullPost, Field(discriminator="kind")]


class SayRequest(_Wire):
    """The posts in a case's outbox, in order."""

    case: CaseId
    posts: list[AnyPost]


class PostRequest(_Wire):
    case: CaseId
    post: AnyPost


class BugTurnRequest(_Wire):
    bug: BugCase
    turn: int
    policy: Policy


class BugTurnEnded(InvestigatorTurn):
    kind: Literal["bug_turn_ended"] = "bug_turn_ended"


BugTurnReply = Annotated[BugTurnEnded | TurnGaveUp | TurnDied, Field(discriminator="kind")]


class SavePull(_Wire):
    after: PullCase
    move: PullMoved | None = None


class PullRequestWork(_Wire):
    """A step of a pull case that its activities carry out."""

    case: PullCase
    policy: Policy


class PullTurnRequest(_Wire):
    case: PullCase
    turn: int
    role: Role
    task: Task
    policy: Policy


class PullBuildRequest(_Wire):
    case: PullCase
    number: int
    commit: Sha
    policy: Policy


class PushOutlook(_Wire):
    """What a push would void. Asked for before it is made."""

    kind: Literal["push_outlook"] = "push_outlook"
    voids: tuple[str, ...] = ()
    """People whose approval it voids, or may void."""
    is_certain: bool = False
    """It voids them. False: GitHub may keep them."""


PullTurnReply = Annotated[PullTurnEnded | TurnGaveUp | TurnDied, Field(discriminator="kind")]
PullBuildReply = Annotated[PullBuilt | TurnDied, Field(discriminator="kind")]
HeadReply = Annotated[HeadMoved | HeadSame | NotPossible | Postponed, Field(discriminator="kind")]
SeenReply = Annotated[Seen | NotPossible | Postponed, Field(discriminator="kind")]
FailuresReply = Annotated[FailuresRead | NotPossible | Postponed, Field(discriminator="kind")]
PreparedReply = Annotated[PullPrepared | HeadMoved | NotPossible | Postponed, Field(discriminator="kind")]
UpdateReply = Annotated[BranchUpdated | HeadMoved | NotPossible | Postponed, Field(discriminator="kind")]
OutlookReply = Annotated[PushOutlook | NotPossible | Postponed, Field(discriminator="kind")]
KeepReply = Annotated[WorkKept | NotPossible | Postponed, Field(discriminator="kind")]
PublishReply = Annotated[Published | HeadMoved | PushWithheld | NotPossible | Postponed, Field(discriminator="kind")]


class FilesFetched(_Wire):
    """What came of fetching the files that people attached."""

    lost: list[Claimed]
    """The messages with files that could not be had."""
    waiting: list[Claimed]
    """The messages with files whose server asks us to wait."""
    again_at: datetime | None = None
    """When it lets us try again."""


class FixOpened(_Wire):
    kind: Literal["fix_opened"] = "fix_opened"
    case: CaseId


FixReply = Annotated[FixOpened | EffectRefused, Field(discriminator="kind")]


class FollowUpRequest(_Wire):
    """Words, or `retry`, sent to a completed case."""

    case: CaseId
    messages: list[MessageId]


class FollowUpOpened(_Wire):
    kind: Literal["follow_up_opened"] = "follow_up_opened"
    case: CaseId
    new: bool
    """False: it was open already, and the messages were sent to it."""


FollowUpReply = Annotated[FollowUpOpened | EffectRefused, Field(discriminator="kind")]


class CheckSla(_Wire):
    case: CaseId
    now: datetime
    """The flow's time: the decision to act and the act see the same clock."""
