"""What a case can learn: how a turn or a build ended, what the forge said, what a person did. Values only."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from caseworker.core.base.ids import MessageId, SessionId, Sha
from caseworker.core.base.policy import Milestone
from caseworker.core.base.roles import Role
from caseworker.core.evidence.builds import Stage
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
    """What was said to it while it worked."""
    spent_micros: int = 0
    """By the whole case, up to the end of this turn."""


class TurnGaveUp(_Fact):
    kind: Literal["turn_gave_up"] = "turn_gave_up"
    role: Role
    reason: str
    invalid: bool = False
    """It handed in nothing that could be taken, also after its one repair."""
    limit: Literal["budget", "time"] | None = None
    """It met a limit that a person may raise: the case's money, or the turn's time or calls."""


class Deferred(_Fact):
    """No developer was free for a diagnostic."""

    kind: Literal["deferred"] = "deferred"
    reason: str


class BuildEnded(_Fact):
    kind: Literal["build_ended"] = "build_ended"
    stage: Stage
    commit: Sha
    verdict: Literal["green", "red", "nothing_to_run"]
    reason: str
    feedback: str = ""
    """For a red head: the failing command and the end of its output."""
    unfit: bool = False
    """It changes what it was not to change, or holds a line of a diagnostic: no waiver helps."""
    base_fails_too: bool = False
    """Every command that failed fails on the base as well, in a way that can't be compared: only a person can say
    that it doesn't matter."""
    forbidden: tuple[str, ...] = ()
    """Of a head: the paths that it changes although it was not to, and that no person has let it change."""
    otherwise_red: bool = False
    """Were it not for those, it would be red all the same, and that is the change's own fault."""
    touches: tuple[Touched, ...] = ()
    """Of a head: what only a person may decide, as the changed paths say."""
    changed: tuple[str, ...] = ()
    """Of a head: the files that differ from the base, as git says; of very many, the first."""


class PullRequestReady(_Fact):
    kind: Literal["pull_request_ready"] = "pull_request_ready"
    number: int
    commit: Sha
    answered: tuple[MessageId, ...] = ()
    """Remarks that the change answers."""
    late: tuple[MessageId, ...] = ()
    """Remarks that came when the change was written, and that nobody has answered: the pm has to read them."""


class EffectRefused(_Fact):
    """The forge said no, for a reason that only a person can change."""

    kind: Literal["effect_refused"] = "effect_refused"
    reason: str


class Merged(_Fact):
    kind: Literal["merged"] = "merged"
    by: str


class CloseAsked(_Fact):
    kind: Literal["close_asked"] = "close_asked"
    by: str
    unmerged: bool = False
    """It was the pull request that was closed."""


class BranchMoved(_Fact):
    """A person has pushed to the case's branch. Their work and ours are one commit now, or `conflict` names the files
    in which they contradict each other; nothing of theirs is overwritten."""

    kind: Literal["branch_moved"] = "branch_moved"
    theirs: Sha
    commit: Sha
    conflict: tuple[str, ...] = ()


class Spoke(_Fact):
    """Words, an answer: somebody has to make sense of them."""

    kind: Literal["spoke"] = "spoke"
    by: str
    messages: tuple[MessageId, ...] = ()


class Agreed(_Fact):
    kind: Literal["agreed"] = "agreed"
    by: str
    until: Milestone | None = None
    """At a milestone: how far it may go now. Null: all the way."""


class Declined(_Fact):
    """A `reject`; `messages` say what is wrong."""

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
    """What was said meanwhile, or with it, and wants something."""


class BudgetRaised(_Fact):
    kind: Literal["budget_raised"] = "budget_raised"
    by: str
    micros: int


class RetryAsked(_Fact):
    """`retry`, or words to a case that is over which ask for more."""

    kind: Literal["retry_asked"] = "retry_asked"
    by: str
    messages: tuple[MessageId, ...] = ()


class TimedOut(_Fact):
    kind: Literal["timed_out"] = "timed_out"


Fact = Annotated[
    TurnEnded
    | TurnGaveUp
    | Deferred
    | BuildEnded
    | PullRequestReady
    | EffectRefused
    | BranchMoved
    | Merged
    | CloseAsked
    | Spoke
    | Agreed
    | Declined
    | TakenOver
    | HandedBack
    | BudgetRaised
    | RetryAsked
    | TimedOut,
    Field(discriminator="kind"),
]
