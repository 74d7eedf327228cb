"""What happened to a pull case, as its flow is told by activities: looks, turns, builds, updates, pushes."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import MessageId, SessionId, Sha
from caseworker.core.base.roles import Role, Task
from caseworker.core.evidence.builds import VerdictKind
from caseworker.core.pull.branch_updates import Conflict
from caseworker.core.pull.case import Failure
from caseworker.core.pull.verdict import Verdict


class _Event(BaseModel):
    model_config = ConfigDict(frozen=True)


class Seen(_Event):
    """One look at the pull request, judged."""

    kind: Literal["seen"] = "seen"
    verdict: Verdict
    head_branch: str
    base_branch: str
    is_fork: bool
    ci_minutes: int | None = None
    """Minutes of CI that pushes of this session have started. Null: they were not counted at this look."""


class FailuresRead(_Event):
    kind: Literal["failures_read"] = "failures_read"
    head: Sha
    failures: tuple[Failure, ...]


class PullPrepared(_Event):
    """The head is checked out, and where it left its base is known."""

    kind: Literal["pull_prepared"] = "pull_prepared"
    base: Sha


class PullTurnEnded(_Event):
    kind: Literal["pull_turn_ended"] = "pull_turn_ended"
    role: Role
    task: Task
    status: str
    checkpoint: Sha
    session: SessionId
    heard: tuple[MessageId, ...] = ()
    spent_micros: int = 0
    posts: bool = False
    """Whether it has findings or replies to post."""
    replies: bool = False
    """Whether it has words for people who wrote below the pull request."""


class PullTurnFailed(_Event):
    kind: Literal["pull_turn_failed"] = "pull_turn_failed"
    reason: str
    why: Literal["budget", "quota", "other"] = "other"
    resume_at: datetime | None = None


class PullBuilt(_Event):
    kind: Literal["pull_built"] = "pull_built"
    commit: Sha
    verdict: VerdictKind
    reason: str = ""
    feedback: str = ""


class BranchUpdated(_Event):
    """What became of the attempt to bring the base in."""

    kind: Literal["branch_updated"] = "branch_updated"
    how: Literal["left_alone", "rebased", "merged", "conflict", "ask_contributor"]
    commit: Sha | None = None
    base: Sha | None = None
    conflict: Conflict | None = None


class Published(_Event):
    """The work is on the forge: pushed if there was something to push, and replies or findings posted."""

    kind: Literal["published"] = "published"
    commit: Sha | None = None
    """What was pushed. Null: nothing."""
    commits: tuple[Sha, ...] = ()
    """All commits of ours that the branch has now."""
    at: datetime
    voided: tuple[str, ...] = ()
    """People whose approval the push has voided, or may have voided."""
    same_change: bool = False
    """The diff against the base is the same as before."""


class HeadMoved(_Event):
    """Somebody pushed meanwhile: what was in hand is dropped."""

    kind: Literal["head_moved"] = "head_moved"
    head: Sha


class HeadSame(_Event):
    """Nobody has pushed since the work in hand began."""

    kind: Literal["head_same"] = "head_same"


class PushWithheld(_Event):
    """A person has closed or merged it meanwhile, or has decided to merge it: nothing is pushed."""

    kind: Literal["push_withheld"] = "push_withheld"


class WorkKept(_Event):
    """Work that was set aside is on a branch of ours."""

    kind: Literal["work_kept"] = "work_kept"
    branch: str = ""
    """Empty: a push that was interrupted has brought it to the pull request."""
    commits: tuple[Sha, ...] = ()
    """All commits of ours that the pull request has then."""


class NotPossible(_Event):
    """An outside act was refused for good."""

    kind: Literal["not_possible"] = "not_possible"
    reason: str
