"""The snapshot of an issue case: everything its workflow knows, small enough to save at every move."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import MessageId, SessionId, Sha
from caseworker.core.base.policy import Milestone, Policy
from caseworker.core.base.roles import Task
from caseworker.core.base.snapshot import Part, Snapshot
from caseworker.core.evidence.obstacles import Obstacle
from caseworker.core.evidence.sensitive_paths import Touched
from caseworker.core.issue.check_watch import CheckWatch
from caseworker.core.issue.posts import IssuePost
from caseworker.core.issue.states import TERMINAL, WAITING, IssueState
from caseworker.core.issue.subjects import Grant, Subject, WaitingFor
from caseworker.core.outcomes.pm import IssueType, Topic


class Wait(BaseModel):
    """What the case waits for, and where it continues."""

    model_config = ConfigDict(frozen=True)
    reason: WaitingFor
    subject: Subject | None = None
    then: IssueState | None = None
    task: Task | None = None
    """The task there, if it is not the state's own."""
    new_problem: bool = False
    """With INVESTIGATING as `then`: it is a new problem."""
    until: datetime | None = None
    """When the wait ends. Null: never."""
    asked: IssuePost | None = None
    """The post that asked people. Null: nothing was asked."""
    because: str = ""
    """The reason of the move that began the wait. Kept until the wait is over."""
    before: "Wait | None" = None
    """The wait to return to after this one. For a budget: the wait during which an interpret turn ran out of money.
    For an answer about an open pull request: its merge."""


class InvestigationProgress(BaseModel):
    """The investigation of one problem. Nothing resets `iteration`: not feedback, new resources or a restart."""

    model_config = ConfigDict(frozen=True)
    began: tuple[int, ...] = (0,)
    """For each investigation of the case, the turn after which it began. The last one is this. Log and matrix are
    computed from the turns since then."""
    iteration: int = 0
    """Completed iterations, including those without a valid outcome."""
    unknown: int = 0
    """Iterations that ended with an unknown status."""
    stands: Literal["open", "found", "incomplete", "approved", "given_up"] = "open"
    hypothesis: str = ""
    """With "approved": the hypothesis that is acted on."""

    @property
    def number(self) -> int:
        return len(self.began)

    @property
    def began_after(self) -> int:
        return self.began[-1]


class Progress(Part):
    """Progress of the work. Counters never decrease: effect keys and turn numbers are made from them."""

    since: datetime | None = None
    """When the case entered its state."""
    turns: int = 0
    transitions: int = 0
    builds: int = 0
    task: Task | None = None
    """A second turn in the same state, e.g. the tester judges a red build, or the tech lead unblocks the developer."""
    go: IssueState | None = None
    """The state that code enters next, without a turn."""
    consulted: int = 0
    """Number of questions between roles in this state."""
    sessions: dict[str, SessionId] = {}
    """The agent session of each role's last completed turn."""


class Limits(Part):
    """Counters for the limits of a round. A person's feedback begins a new round."""

    round: int = 1
    round_began: int = 0
    """The number of transitions when the round began."""
    attempt: int = 1
    seen: dict[str, int] = {}
    """How often the case entered a state with the same evidence. Three times counts as no progress."""
    senior: bool = False
    """The senior developer writes from here on."""
    guided: bool = False
    """The tech lead has given guidance in this round."""
    test_tries: int = 0
    testless: int = 0
    """Turns of the tester in this round that ended without a test."""
    flaky: int = 0
    check_fixes: dict[str, int] = {}
    """How often each kind of failure of a forge's check went back to the developer."""


class Requirements(Part):
    """What triage, analysis and plan say about the issue."""

    issue_type: IssueType | None = None
    topics: tuple[Topic, ...] = ()
    """Sensitive topics that the triage named. A person has to agree to them."""
    weighty: bool = False
    """More than a small change: it is planned first, and validated before delivery."""
    analysed: bool = False
    """It came with an analysis: the findings of a bug case."""
    planned: bool = False
    test_required: bool = True


class Waiting(Part):
    wait: Wait | None = None
    """Kept while the pm interprets messages: after mere thanks the case returns to it."""
    resume: IssueState | None = None
    """The working state that the case left for a person, and where it continues."""
    resume_task: Task | None = None
    """The task in that state, if it is not the state's own."""
    ended_as: IssueState | None = None
    """The end state before the case was reopened. It returns there if nobody wants anything."""
    reminders: int = 0
    """Reminders sent in this state."""


class Evidence(Part):
    """What code has seen, and of which commit."""

    base_built: bool = False
    """The base was built, so it is known what fails there."""
    obstacle: Obstacle | None = None
    """What stopped the last build of the base or of the change. Null: it ran."""
    tests: Sha | None = None
    """The tester's commit, on which the new test was seen to fail."""
    test_file: str = ""
    new_test: str = ""
    """The command that runs the new test alone."""
    red: bool = False
    """The new test was seen to fail without the fix."""
    built: Sha | None = None
    """The commit that was last built, with any result."""
    green: Sha | None = None
    """The commit whose build was green."""
    approved: Sha | None = None
    """The commit that the tech lead approved."""
    changed: tuple[str, ...] = ()
    """The files that the last built commit changes according to git; the first ones if there are very many."""
    unfit: bool = False
    """The last built commit has something that must not be delivered, even with a waiver."""
    waivable: Subject | None = None
    """The last built commit is not green, and this waiver would let it pass. Null: none would."""
    forbidden: tuple[str, ...] = ()
    """Forbidden paths that the last built commit changes."""
    touches: tuple[Touched, ...] = ()
    """Sensitive topics that the paths of the last built commit touch."""
    feedback: str = ""
    """What the next turn of a developer has to repair."""


class Proof(Part):
    """What code has seen of the change's tests, and what the change takes from tests that were there."""

    red_tests: tuple[str, ...] = ()
    """The tests that were seen to fail before the change was written, as their runner names them."""
    proved: Sha | None = None
    """The commit whose tests were seen to fail on the base's code."""
    unproved: str = ""
    """Why the tests of the last built commit prove nothing."""
    weakened: tuple[str, ...] = ()
    """Of the last built commit: tests removed, skipped or weakened, and changes of what decides. A sentence each."""
    explained: tuple[str, ...] = ()
    """Those that the approving review has named, with its reason."""


class People(Part):
    """What people said, decided and granted."""

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
    """A person handed the case back, or wants another try: their pushed commits are merged before any work."""
    asked: int = 0
    """How often people were asked about the requirements."""
    remarks: tuple[MessageId, ...] = ()
    """People's remarks on the pull request, which have to be addressed and answered."""
    late: tuple[MessageId, ...] = ()
    """Remarks that came while the last change was written. The pm reads them once the pull request is updated."""
    until: Milestone | None = None
    """How far a person lets the case go. Null: as far as its policy says."""
    limited_by: MessageId | None = None
    """The message that says so."""
    closed_by: MessageId | None = None
    """The command that closed the case. Null: it was not closed by one."""
    warned_of_cap: int = 0
    """The budget, in micro-dollars, that people were last warned about."""
    extra_micros: int = 0
    """What people added to the policy's budget."""


class Delivery(Part):
    branch: str = ""
    """The branch as its forge names it. Set when the case is opened."""
    base: Sha | None = None
    """The commit that the work starts from."""
    checkpoint: Sha | None = None
    """The commit of the last completed turn, where the next one starts."""
    joined: Literal["", "clean", "conflict"] = ""
    """A person's pushed commits were merged into the checkpoint, and the result was not built yet."""
    pushed: Sha | None = None
    pull_request: int | None = None
    checks: CheckWatch | None = None
    """The checks of the pushed commit. Null: the forge has none."""


class IssueCase(Snapshot):
    """The whole snapshot of an issue case."""

    state: IssueState = IssueState.RECEIVED
    reason: str = "the issue was received"
    progress: Progress = Progress()
    limits: Limits = Limits()
    requirements: Requirements = Requirements()
    waiting: Waiting = Waiting()
    evidence: Evidence = Evidence()
    proof: Proof = Proof()
    people: People = People()
    delivery: Delivery = Delivery()
    investigation: InvestigationProgress | None = None
    """The newest investigation."""
    outbox: tuple[IssuePost, ...] = ()
    """Posts to send, in this order, each once. Saved with the move that caused them, so that no crash loses one."""

    @property
    def is_over(self) -> bool:
        return self.state in TERMINAL

    def granted(self, subject: Subject) -> bool:
        return any(grant.subject is subject for grant in self.people.grants)

    @property
    def waits_for(self) -> WaitingFor | None:
        """What the case waits for now. Null: it does not wait."""
        wait = self.waiting.wait
        return wait.reason if wait is not None and self.state in WAITING else None

    @property
    def awaits_checks(self) -> bool:
        """Whether its pull request is open, and the forge's checks have not ended. Nobody has to do anything."""
        checks = self.delivery.checks
        return self.waits_for is WaitingFor.MERGE and checks is not None and checks.stands == "pending"

    @property
    def unmerged(self) -> Sha | None:
        if self.state is IssueState.COMPLETED or self.delivery.checkpoint == self.delivery.base:
            return None
        return self.delivery.checkpoint

    @property
    def base(self) -> Sha:
        """The commit that the work starts from. Only valid once the workspace is prepared."""
        assert self.delivery.base is not None
        return self.delivery.base

    @property
    def head(self) -> Sha:
        """The newest commit of the work. Only valid once the workspace is prepared."""
        assert self.delivery.checkpoint is not None
        return self.delivery.checkpoint

    @property
    def branch(self) -> str:
        """The branch that the work is pushed to."""
        return self.delivery.branch


def limit_of(case: IssueCase, policy: Policy) -> Milestone:
    """How far the case goes by itself."""
    return case.people.until or policy.until


def cap_of(case: IssueCase, policy: Policy) -> int:
    """What the case may spend, in micro-dollars."""
    return policy.budget_micros + case.people.extra_micros
