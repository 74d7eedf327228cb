"""The snapshot of a pull case: a session of work on one open pull request. Rules are in `decide` and its siblings."""

from datetime import datetime
from enum import StrEnum
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import CaseId, MessageId, SessionId, Sha
from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Role
from caseworker.core.base.snapshot import Part, Snapshot
from caseworker.core.base.workflow_names import PullWork
from caseworker.core.people.registry import Reading, reading_of
from caseworker.core.pull.branch_updates import Conflict
from caseworker.core.pull.pull_facts import Watch
from caseworker.core.pull.pull_posts import PullPost
from caseworker.core.pull.reasons import ReasonKind
from caseworker.core.pull.verdict import Verdict


class PullState(StrEnum):
    LOOKING = "looking"
    """Code reads the pull request and judges it."""
    READING_FAILURES = "reading_failures"
    """Code reads the failed checks: their logs, and whether they fail on the base as well."""
    REVIEWING = "reviewing"
    """The tech lead reads the whole diff."""
    RESOLVING = "resolving"
    """The developer answers threads, fixes checks and solves conflicts."""
    BUILDING = "building"
    """Code builds and tests what is to be pushed."""
    UPDATING = "updating"
    """Code brings the base into the branch."""
    PUBLISHING = "publishing"
    """Code pushes, and then posts findings or replies in threads."""
    WAITING = "waiting"
    """For checks, for GitHub, for time to pass, or for people. Costs nothing."""
    PAUSED = "paused"
    """A person has stopped it, or taken over; or money or the model's quota is used up."""
    ENDED = "ended"


WORKING: Final = frozenset(PullState) - {PullState.WAITING, PullState.PAUSED, PullState.ENDED}


class SessionEnd(StrEnum):
    READY = "ready_awaiting_human_merge"
    MERGED = "merged_externally"
    CLOSED = "pr_closed"
    DEADLINE = "deadline_exceeded"
    TAKEN_OVER = "human_took_over"
    ABORTED = "aborted_by_user"
    BLOCKED = "blocked"
    DONE = "done"
    """A review or resolve run has done what it was asked for."""
    INCOMPLETE = "incomplete"
    """A resolve run has done what it could, and something is outstanding."""


RESUMABLE: Final = frozenset(SessionEnd) - {SessionEnd.READY, SessionEnd.MERGED, SessionEnd.CLOSED, SessionEnd.DONE}
"""Ends that leave something to do: `resume` takes the session up again."""


class PauseCause(StrEnum):
    STOPPED = "stopped"
    TAKEN = "taken"
    BUDGET = "budget"
    QUOTA = "quota"
    """The model's usage limit, with a time at which it is lifted."""
    TURN_FAILED = "turn_failed"
    NOT_RUN = "not_run"
    """The repository's tests can't be run, so nothing is pushed."""


BlockCause = Literal[
    "iterations", "ci_minutes", "no_progress", "fixes", "came_back", "base_is_red", "build_stays_red", "refused"
]


class Failure(BaseModel):
    """A failed check, as far as the rules need it."""

    model_config = ConfigDict(frozen=True)

    check: str
    signature: str
    """The stable class of its log."""
    kind: Literal["ours", "flake", "red_on_base", "infrastructure"]
    commit: Sha
    url: str = ""
    run: int | None = None
    """The workflow run of GitHub Actions, which can be started again."""
    attempt: int = 1


class Progress(Part):
    """Counters never decrease: effect keys and turn numbers are made from them."""

    since: datetime | None = None
    """When it entered its state."""
    waits_on: ReasonKind | None = None
    """What its wait was entered for, as the leading reason of a verdict. Null: something else, or it does not wait."""
    turns: int = 0
    transitions: int = 0
    builds: int = 0
    sessions: dict[str, SessionId] = {}
    """The agent session of each role's last completed turn."""


class Session(Part):
    """The run in flight, or the last one."""

    workflow: PullWork = "ship"
    began_at: datetime | None = None
    deadline: datetime | None = None
    iterations: int = 0
    """How often code acted after a look: a turn, an update of the branch, a rerun of checks."""
    worked_on: str = ""
    """What the last turn was asked for: the head, and a digest of the reasons. The same twice without news is no
    progress."""
    first_turn: int = 0
    """Turns before this session."""
    pushed_before: int = 0
    """Commits of ours that were pushed before this session."""
    end: SessionEnd | None = None
    block: BlockCause | None = None
    pause: PauseCause | None = None
    paused_by: str = ""
    resume_at: datetime | None = None
    """When a paused session goes on by itself. Null: a person resumes it."""


class Sight(Part):
    """What was seen at the last look."""

    head: Sha | None = None
    head_branch: str = ""
    base_branch: str = ""
    is_fork: bool = False
    verdict: Verdict | None = None
    looked_at: datetime | None = None
    quiet_looks: int = 0
    """Looks since something changed: the pause between looks grows with it."""
    ci_minutes: int = 0
    """Minutes of CI that pushes of this session have started."""
    reported: str = ""
    """The verdict that our check run on the head shows."""


class Fixes(Part):
    """What is known about failed checks in this session."""

    failures: tuple[Failure, ...] = ()
    """Of the head."""
    tries: dict[str, int] = {}
    """Turns that tried to fix a failure, by its signature."""
    cleared: dict[str, Sha] = {}
    """Failures that were gone, with the head on which they were seen last."""
    reruns: dict[str, int] = {}
    """How often checks were started again, by check and commit."""
    flakes: dict[str, int] = {}
    """How often a check both passed and failed on one commit, by its name."""


class Work(Part):
    """The change in hand."""

    base: Sha | None = None
    """Where the branch meets its base."""
    checkpoint: Sha | None = None
    """The commit of the last completed turn or update, which may not be pushed yet."""
    started_from: Sha | None = None
    """The head that the work began from. If the head moves, the work is dropped."""
    feedback: str = ""
    """Why the last build of this work was red."""
    red_builds: int = 0
    answer_turn: int | None = None
    """The turn whose answers in threads are not posted yet."""
    reply_turn: int | None = None
    """The turn whose reply to people is not posted yet."""
    conflict: Conflict | None = None
    """What git could not join by itself, and the agent is to solve."""
    by_turn: bool = False
    """A turn has changed files for it. Otherwise git alone has brought the base in."""
    pushes: int = 0


class Unpushed(Part):
    """What turns have made and a paused or ended session has not pushed. It is put on a branch of ours for people."""

    unpushed: Sha | None = None
    unpushed_base: Sha | None = None
    """Where the pull request's branch left its base then."""
    unpushed_from: Sha | None = None
    """The head that it was made for."""
    kept_on: str = ""
    """The branch that has it now. Empty: it is not pushed yet, or that is not possible."""
    not_kept: str = ""
    """Why it could not be put on a branch."""


class People(Part):
    extra_micros: int = 0
    """What people have added to the budget."""
    warned: bool = False
    asked_update: MessageId | None = None
    """An owner asked for the branch to be brought up to date, and it is not done yet."""
    spoke: bool = False
    """An owner or a developer has asked for something that no turn has read yet."""
    told_contributor: bool = False
    """The author of a fork was asked to update the branch."""


class PullCase(Snapshot):
    state: PullState = PullState.LOOKING
    reason: str = ""
    progress: Progress = Progress()
    session: Session = Session()
    watch: Watch = Watch()
    sight: Sight = Sight()
    fixes: Fixes = Fixes()
    work: Work = Work()
    rest: Unpushed = Unpushed()
    people: People = People()
    outbox: tuple[PullPost, ...] = ()

    @property
    def is_over(self) -> bool:
        return self.state is PullState.ENDED

    @property
    def can_be_taken_up(self) -> bool:
        """Whether the session has ended before its work was done, so that `resume` begins the same workflow again."""
        return self.is_over and self.session.end in RESUMABLE

    @property
    def unmerged(self) -> Sha | None:
        return self.work.checkpoint or (None if self.rest.kept_on else self.rest.unpushed)

    @property
    def is_for_a_person(self) -> bool:
        """Whether the work in hand is to be kept if the session stops: turns made it, and nobody has pushed it."""
        is_open_conflict = self.work.conflict is not None and self.work.checkpoint == self.work.conflict.prepared
        return self.is_to_be_pushed and self.work.by_turn and not is_open_conflict

    @property
    def has_work_to_keep(self) -> bool:
        rest = self.rest
        return rest.unpushed is not None and not rest.kept_on and not rest.not_kept

    @property
    def is_to_be_pushed(self) -> bool:
        """Whether the work in hand has a commit that the branch lacks. A reading pushes nothing."""
        is_new = self.work.checkpoint not in (None, self.work.started_from)
        return is_new and self.reading is None

    @property
    def reading(self) -> Reading | None:
        """The one turn of its session, if that only reads. Null: the session acts on the pull request."""
        return reading_of(self.session.workflow)

    @property
    def role_at_work(self) -> Role | None:
        """The role that works in its state. Null: no agent does."""
        if self.state is PullState.RESOLVING:
            return Role.DEVELOPER
        return self.reading.role if self.state is PullState.REVIEWING and self.reading is not None else None

    @property
    def changes_diff(self) -> bool:
        """Whether a turn made the work in hand. Git alone only brings the base in."""
        return self.work.by_turn or self.work.conflict is not None

    @property
    def commit(self) -> Sha | None:
        """What the next turn or build starts from."""
        return self.work.checkpoint or self.sight.head


def cap_of(case: PullCase, policy: Policy) -> int:
    """What the case may spend, in millionths of a dollar."""
    return policy.budget_micros + case.people.extra_micros


def new_pull_case(case: CaseId, work: PullWork) -> PullCase:
    return PullCase(id=case).updated(workflow=work)
