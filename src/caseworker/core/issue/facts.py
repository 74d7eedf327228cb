"""The facts that change an issue case: ends of turns and builds, replies of the forge, acts of people."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from caseworker.core.base.failed_steps import Deferred, EffectRefused, TurnGaveUp
from caseworker.core.base.ids import CaseId, MessageId, SessionId, Sha
from caseworker.core.base.policy import Milestone
from caseworker.core.base.roles import Role
from caseworker.core.evidence.builds import Stage, VerdictKind
from caseworker.core.evidence.check_verdict import CheckResult
from caseworker.core.evidence.obstacles import Obstacle
from caseworker.core.evidence.sensitive_paths import Touched
from caseworker.core.outcomes.outcome import IssueOutcome


class _Fact(BaseModel):
    model_config = ConfigDict(frozen=True)


class TurnEnded(_Fact):
    kind: Literal["turn_ended"] = "turn_ended"
    role: Role
    outcome: IssueOutcome = Field(discriminator="kind")
    checkpoint: Sha
    session: SessionId
    heard: tuple[MessageId, ...] = ()
    """Messages given to the turn while it ran."""
    spent_micros: int = 0
    """Cost of the whole case up to the end of this turn."""


class BuiltChange(_Fact):
    """What code has read of the change that was built."""

    files: tuple[str, ...] = ()
    """Of a head: the files that differ from the base according to git; the first ones if there are very many."""
    weakened: tuple[str, ...] = ()
    """Tests removed, skipped or weakened, and changes of what decides. A sentence each."""


class BuildEnded(_Fact):
    kind: Literal["build_ended"] = "build_ended"
    stage: Stage
    commit: Sha
    verdict: VerdictKind
    reason: str
    obstacle: Obstacle | None = None
    """Of one that could not run: what stopped it."""
    feedback: str = ""
    """For a red head: the failing commands and the end of their output."""
    unfit: bool = False
    """It changes a forbidden path, or has a line of a diagnostic: no build waiver applies."""
    base_fails_too: bool = False
    """Every failed command also fails on the base, in a way that can't be compared: only a person can waive that."""
    forbidden: tuple[str, ...] = ()
    """Of a head: forbidden paths that it changes and that no person has allowed."""
    otherwise_red: bool = False
    """It would be red without the forbidden paths too, because of the change."""
    touches: tuple[Touched, ...] = ()
    """Of a head: sensitive topics that the changed paths touch."""
    change: BuiltChange = BuiltChange()
    red_tests: tuple[str, ...] = ()
    """Of a red build: the new tests that failed, as their runner names them."""
    unproved: str | None = None
    """Of a head: why its tests prove nothing. Empty: one failed on the base's code, as it has to. Null: none was run
    there."""


class PullRequestReady(_Fact):
    kind: Literal["pull_request_ready"] = "pull_request_ready"
    number: int
    commit: Sha
    answered: tuple[MessageId, ...] = ()
    """Remarks that the change answers."""
    late: tuple[MessageId, ...] = ()
    """Unanswered remarks that came after the change was written. The pm has to read them."""
    checked: bool = False
    """The forge checks the commit, and its results are waited for."""


class ChecksSeen(_Fact):
    """A look at the pull request and at the forge's checks of its commit."""

    kind: Literal["checks_seen"] = "checks_seen"
    commit: Sha
    at: datetime
    results: tuple[CheckResult, ...] = ()
    feedback: str = ""
    """Of failed ones: name, summary and the end of the log."""
    moved: bool = False
    """The pull request has another commit than ours: somebody has pushed."""
    pushed_since: Sha | None = None
    """The commit of the pull request that a session of ours has pushed since. The results are about it."""
    left_to: CaseId | None = None
    """The pull case whose session looks after the pull request now: its checks were not read."""


class Merged(_Fact):
    kind: Literal["merged"] = "merged"
    by: str
    commit: Sha | None = None
    """What was merged, if that is not what was delivered."""


class CloseAsked(_Fact):
    kind: Literal["close_asked"] = "close_asked"
    by: str
    message: MessageId | None = None
    """The command. Null: the forge told of it."""
    unmerged: bool = False
    """The pull request was closed without a merge."""


class BranchMoved(_Fact):
    """A person pushed to the case's branch. `commit` merges their work with ours; `conflict` names files that conflict.
    Nothing of theirs is overwritten."""

    kind: Literal["branch_moved"] = "branch_moved"
    theirs: Sha
    commit: Sha
    conflict: tuple[str, ...] = ()


class Spoke(_Fact):
    """A person wrote words or an answer, which an agent has to interpret."""

    kind: Literal["spoke"] = "spoke"
    by: str
    messages: tuple[MessageId, ...] = ()


class Agreed(_Fact):
    kind: Literal["agreed"] = "agreed"
    by: str
    message: MessageId | None = None
    until: Milestone | None = None
    """At a milestone: how far the case may go now. Null: all the way."""


class Declined(_Fact):
    """A person gave `reject`; `messages` say what is wrong."""

    kind: Literal["declined"] = "declined"
    by: str
    messages: tuple[MessageId, ...] = ()


class TakenOver(_Fact):
    kind: Literal["taken_over"] = "taken_over"
    by: str


class HandedBack(_Fact):
    kind: Literal["handed_back"] = "handed_back"
    by: str
    messages: tuple[MessageId, ...] = ()
    """Messages during the takeover, or with the hand-back, that ask for something."""


class BudgetRaised(_Fact):
    kind: Literal["budget_raised"] = "budget_raised"
    by: str
    micros: int


class RetryAsked(_Fact):
    """A person gave `retry`, or asked a finished case for more."""

    kind: Literal["retry_asked"] = "retry_asked"
    by: str
    messages: tuple[MessageId, ...] = ()


class RerunAsked(_Fact):
    """A person wants the triage or the plan made again."""

    kind: Literal["rerun_asked"] = "rerun_asked"
    by: str
    milestone: Milestone
    message: MessageId | None = None


class TimedOut(_Fact):
    kind: Literal["timed_out"] = "timed_out"


CommandFact = CloseAsked | Merged | Agreed | Declined | TakenOver | HandedBack | BudgetRaised | RetryAsked | RerunAsked
"""What a command becomes."""
Fact = Annotated[
    TurnEnded
    | TurnGaveUp
    | Deferred
    | BuildEnded
    | PullRequestReady
    | EffectRefused
    | BranchMoved
    | Spoke
    | CommandFact
    | TimedOut,
    Field(discriminator="kind"),
]
