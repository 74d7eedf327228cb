"""The snapshot of an issue case: all that its workflow knows, small enough to save at every move."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import MessageId, SessionId, Sha
from caseworker.core.base.policy import Milestone, Policy
from caseworker.core.base.roles import Task
from caseworker.core.base.snapshot import Part, Snapshot
from caseworker.core.evidence.sensitive_paths import Touched
from caseworker.core.issue.posts import IssuePost
from caseworker.core.issue.states import WAITING, IssueState
from caseworker.core.issue.subjects import Grant, Subject, WaitingFor
from caseworker.core.outcomes.pm import IssueType, Topic


class Wait(BaseModel):
    """What the case waits for, and where it goes on."""

    model_config = ConfigDict(frozen=True)
    reason: WaitingFor
    subject: Subject | None = None
    then: IssueState | None = None
    task: Task | None = None
    """What is done there, where that is not what the state itself says."""
    new_problem: bool = False
    """With INVESTIGATING as `then`: it is another one."""
    until: datetime | None = None
    """When it stops waiting; null: never."""
    asked: IssuePost | None = None
    """The post that asked people for it. Null: nothing was asked."""
    because: str = ""
    """The reason of the move that began it: it holds until the wait is over, whatever is said meanwhile."""
    before: "Wait | None" = None
    """With a budget: what it waited for when the money ran out over what people said. With an answer about an open
    pull request: its merge. That counts again after it."""


class Investigation(BaseModel):
    """Of one problem. `iteration` is never set back: not by feedback, not by new resources, not by a restart."""

    model_config = ConfigDict(frozen=True)
    number: int = 1
    iteration: int = 0
    """Completed ones."""
    began_after: int = 0
    """The turn whose outcome asked for it; what it knows is in the turns from there on."""
    unknown: int = 0
    """Iterations that ended with a status nobody knows."""
    stands: Literal["open", "found", "incomplete", "approved", "given_up"] = "open"
    hypothesis: str = ""
    """With "approved": the one that is acted on."""


class Progress(Part):
    """Where the work stands. Counters only ever grow: keys of effects and numbers of turns are made from them."""

    since: datetime | None = None
    """When the case came into its state."""
    turns: int = 0
    transitions: int = 0
    builds: int = 0
    task: Task | None = None
    """A second turn in the same state: a red build is judged, a tech lead finds a way on."""
    go: IssueState | None = None
    """Where code takes the case from here, with no turn in between."""
    consulted: int = 0
    """Questions between roles in this state."""
    sessions: dict[str, SessionId] = {}
    """The agent session of each role's last completed turn."""


class Limits(Part):
    """What is counted against the limits of a round. A person's feedback begins a new round."""

    round: int = 1
    round_began: int = 0
    """After how many transitions."""
    attempt: int = 1
    seen: dict[str, int] = {}
    """How often the case was in a state with the same evidence. Three times is no progress."""
    senior: bool = False
    """The senior developer writes from here on."""
    guided: bool = False
    """The tech lead has found a way on in this round."""
    test_tries: int = 0
    testless: int = 0
    """Turns of the tester in this round that ended without a test."""
    flaky: int = 0


class Requirements(Part):
    """What triage, analysis and plan have said of the issue."""

    issue_type: IssueType | None = None
    topics: tuple[Topic, ...] = ()
    """Sensitive topics that the triage named: a person decides about them."""
    weighty: bool = False
    """More than a small change: it is planned, and validated before it is delivered."""
    analysed: bool = False
    """It came with an analysis: a bug's findings."""
    planned: bool = False
    test_required: bool = True


class Waiting(Part):
    wait: Wait | None = None
    """Kept while the pm makes sense of what was said meanwhile: mere thanks lead back to it."""
    resume: IssueState | None = None
    """The working state that was left for a person: where to go on."""
    resume_task: Task | None = None
    """The task that was under way there, if it is not the state's own."""
    ended_as: IssueState | None = None
    """How the case had ended before it was reopened: if nobody wants anything, it ends so again."""
    reminders: int = 0
    """Sent in this state."""


class Evidence(Part):
    """What code has seen of which commit."""

    base_built: bool = False
    """What fails on the base is known."""
    tests: Sha | None = None
    """The tester's commit: where the new test was seen to fail."""
    test_file: str = ""
    new_test: str = ""
    """The command that runs the new test alone."""
    red: bool = False
    """The new test was seen to fail without the fix."""
    built: Sha | None = None
    """The commit that was last built, whatever the result."""
    green: Sha | None = None
    """The commit whose build was green."""
    approved: Sha | None = None
    """The commit that the tech lead approved."""
    changed: tuple[str, ...] = ()
    """The files that the last built commit changes, as git says; of very many, the first."""
    unfit: bool = False
    """The last built commit holds something that must not be delivered, whatever a person has waived."""
    waivable: Subject | None = None
    """The last built commit is not green, and only this waiver lets it pass. Null: none does."""
    forbidden: tuple[str, ...] = ()
    """Forbidden paths that the last built commit changes."""
    touches: tuple[Touched, ...] = ()
    """Sensitive topics that the last built commit touches, by its paths."""
    feedback: str = ""
    """What the next developer turn has to repair."""


class People(Part):
    """What people have said, decided and granted."""

    grants: tuple[Grant, ...] = ()
    agreed: tuple[Topic, ...] = ()
    """Sensitive topics that a person has agreed to."""
    may_change: tuple[str, ...] = ()
    """Forbidden paths that a person has allowed to be changed."""
    warned_of: tuple[str, ...] = ()
    """Forbidden paths that a developer was already asked to revert."""
    taken_by: str = ""
    """The person who has taken the case over."""
    handed_back: bool = False
    """A person has handed the case back, or wants another try: what they have pushed is taken in before anybody works
    on."""
    asked: int = 0
    """How often people were asked about the requirements."""
    remarks: tuple[MessageId, ...] = ()
    """What people said of the pull request, to be addressed and answered."""
    late: tuple[MessageId, ...] = ()
    """Remarks that came while the last change was being written: the pm reads them once the pull request is updated."""
    until: Milestone | None = None
    """How far a person let the case go. Null: as far as its policy says."""
    warned_of_cap: int = 0
    """The budget, in micro-dollars, that people were last told is nearly used."""
    extra_micros: int = 0
    """Granted by people over the policy's budget."""


class Delivery(Part):
    branch: str = ""
    """As the repository's forge names it. It is known from the moment that the case is opened."""
    base: Sha | None = None
    """The commit the work starts from."""
    checkpoint: Sha | None = None
    """What the last completed turn left: where the next one begins."""
    joined: Literal["", "clean", "conflict"] = ""
    """What a person has pushed is in the checkpoint, and no build has seen the two together yet."""
    pushed: Sha | None = None
    pull_request: int | None = None


class IssueCase(Snapshot):
    """The whole snapshot: small enough to save at every move."""

    state: IssueState = IssueState.RECEIVED
    reason: str = "the issue was received"
    progress: Progress = Progress()
    limits: Limits = Limits()
    requirements: Requirements = Requirements()
    waiting: Waiting = Waiting()
    evidence: Evidence = Evidence()
    people: People = People()
    delivery: Delivery = Delivery()
    investigation: Investigation | None = None
    """The newest one."""
    outbox: tuple[IssuePost, ...] = ()
    """Said in this order, each once; saved with the move that gave rise to it, so that no crash forgets it."""

    def granted(self, subject: Subject) -> bool:
        return any(grant.subject is subject for grant in self.people.grants)

    @property
    def waits_for(self) -> WaitingFor | None:
        """What the case waits for now. Null: it does not wait."""
        wait = self.waiting.wait
        return wait.reason if wait is not None and self.state in WAITING else None

    @property
    def unmerged(self) -> Sha | None:
        if self.state is IssueState.COMPLETED or self.delivery.checkpoint == self.delivery.base:
            return None
        return self.delivery.checkpoint

    @property
    def base(self) -> Sha:
        """The commit that the work began on. Only once the workspace was prepared."""
        assert self.delivery.base is not None
        return self.delivery.base

    @property
    def head(self) -> Sha:
        """The newest commit of the work. Only once the workspace was prepared."""
        assert self.delivery.checkpoint is not None
        return self.delivery.checkpoint

    @property
    def branch(self) -> str:
        """Where the work is pushed to."""
        return self.delivery.branch


def limit_of(case: IssueCase, policy: Policy) -> Milestone:
    """How far it goes by itself."""
    return case.people.until or policy.until


def cap_of(case: IssueCase, policy: Policy) -> int:
    """What it may spend, in micro-dollars."""
    return policy.budget_micros + case.people.extra_micros
