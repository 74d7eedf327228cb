"""What was seen of one pull request in one look: the input of the verdict. Nothing here is in a forge's own words."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import Sha
from caseworker.core.base.snapshot import Part

MergeState = Literal["behind", "blocked", "clean", "dirty", "draft", "has_hooks", "unknown", "unstable"]
"""GitHub's own summary. `unstable`: it may be merged, and a check that no rule demands is red or runs."""


class Fact(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Subject(Fact):
    """Which pull request, and whether it is open."""

    number: int
    url: str = ""
    title: str = ""
    state: Literal["open", "closed", "merged"] = "open"
    author: str = ""
    """Empty: the account was deleted."""
    is_draft: bool = False
    is_fork: bool = False
    head: Sha
    branch: str = ""
    """The head branch: in the fork, where it comes from one."""
    base: str
    """The base branch."""
    head_since: datetime
    """The earliest time at which the head can have been pushed, as far as the forge shows it. Tells whether checks may
    still begin."""
    updated_at: datetime
    committer: str = ""
    """The address of the head's committer. Anybody can write any."""


class Mergeability(Fact):
    """What GitHub says of the merge itself."""

    answer: Literal["mergeable", "conflicting", "unknown"]
    state: MergeState | None = None
    """Null: this server does not have the field, as some Enterprise Servers."""
    is_stale: bool = False
    """The trial merge is of another head or of an older base."""


class Decided(Fact):
    """A person has decided already: the pull request will be merged as soon as GitHub allows it."""

    how: Literal["merge_queue", "auto_merge"]
    by: str = ""
    since: datetime | None = None
    position: int | None = None


class CheckFact(Fact):
    """One result of a check on the head commit."""

    name: str
    state: Literal["passed", "failed", "pending", "expected"]
    """`expected`: a rule demands it and nobody has reported."""
    result: str = ""
    """The forge's own word, such as `timed_out`."""
    is_required: bool = False
    is_superseded: bool = False
    """A newer run of the same check is on the same commit. It stays as evidence: some rules want every run to pass."""
    app: str = ""
    url: str = ""
    id: str = ""
    since: datetime | None = None
    """When it ended, or began."""


class HeldRun(Fact):
    """A run of CI that does not begin before a maintainer allows it."""

    app: str
    workflow: str = ""
    since: datetime | None = None


class DemandedCheck(Fact):
    name: str
    app: int | None = None
    """Only this App's report counts. Null: anybody's."""


class Unread(Fact):
    """A part that could not be read, and what would help."""

    what: str
    permission: str = ""


class Demands(Fact):
    """What the base branch demands, from all sources together."""

    checks: tuple[DemandedCheck, ...] = ()
    approvals: int = 0
    threads_resolved: bool = False
    up_to_date: bool = False
    approval_after_last_push: bool = False
    voids_stale_approvals: bool = False
    uses_queue: bool = False
    others: tuple[str, ...] = ()
    """Rules in force that can't be checked from outside, such as `required_signatures`."""
    unread: tuple[Unread, ...] = ()


class ThreadFact(Fact):
    """A review thread that is not resolved."""

    id: str
    path: str = ""
    line: int | None = None
    is_outdated: bool = False
    """The code under it has changed, which does not mean that it was answered."""
    opened_by: str = ""
    last_by: str = ""
    """Of those who are heard."""
    last_at: datetime | None = None
    url: str = ""
    by_stranger: bool = False
    """Opened by a person without write access."""


class ReviewFact(Fact):
    """The newest review of one person or program that approves or requests changes, or else its newest one."""

    by: str
    verdict: Literal["approved", "changes_requested", "commented", "dismissed", "pending"]
    commit: Sha | None = None
    at: datetime | None = None
    is_person: bool = True
    counts: bool = False
    """It approves or requests changes, and its author may write to the repository: the forge counts it."""
    may_write: bool = False
    """Its author may write to the repository."""


class Reviews(Fact):
    decision: Literal["approved", "changes_requested", "review_required"] | None = None
    """GitHub's own summary. Null: no rule demands a review."""
    latest: tuple[ReviewFact, ...] = ()
    requested: tuple[str, ...] = ()
    """People and teams that were asked and have not answered."""


class PullFacts(Fact):
    subject: Subject
    mergeability: Mergeability
    decided: Decided | None = None
    checks: tuple[CheckFact, ...] = ()
    held_runs: tuple[HeldRun, ...] = ()
    demands: Demands = Demands()
    threads: tuple[ThreadFact, ...] = ()
    reviews: Reviews = Reviews()


class Watch(Part):
    """What we know from our own record. Empty where there is no case: then nothing is said of our pushes."""

    us: str = ""
    """Our login on the forge."""
    baseline: Sha | None = None
    """The head when the case began, or that a person had us adopt."""
    pushed: tuple[Sha, ...] = ()
    pushed_at: datetime | None = None
    """Of the newest of them."""
    head_seen_at: datetime | None = None
    """When we saw this head first."""
