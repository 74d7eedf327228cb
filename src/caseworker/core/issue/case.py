"""The snapshot of an issue case: all that its workflow knows, small enough to save at every move."""

from datetime import datetime
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from caseworker.core.base.ids import CaseId, MessageId, SessionId, Sha
from caseworker.core.base.policy import Milestone, Policy
from caseworker.core.base.roles import Task
from caseworker.core.evidence.sensitive_paths import Touched
from caseworker.core.issue.states import IssueState
from caseworker.core.outcomes.pm import IssueType, Topic


class WaitingFor(StrEnum):
    ANSWER = "answer"
    APPROVAL = "approval"
    BUDGET = "budget"
    MILESTONE = "milestone"
    MERGE = "merge"


class Subject(StrEnum):
    """What a person is asked to approve. The values are what the record and the pull request say."""

    SENSITIVE = "work on what only a person may decide"
    PLAN = "the plan"
    ARCHITECTURE = "a change of the architecture"
    ESCALATION = "what a role did not want to decide alone"
    NO_RED_TEST = "no test that fails without the fix"
    NO_COMMAND = "no command that proves the change"
    RED_BASE = "checks that fail before the change as well"
    TOUCHES = "a change of what only a person may decide"
    FORBIDDEN = "a change of what was not to be changed"


WAIVERS: frozenset[Subject] = frozenset({Subject.NO_RED_TEST, Subject.NO_COMMAND, Subject.RED_BASE, Subject.FORBIDDEN})
"""What stands in for evidence, or sets aside what was forbidden, and is named in the pull request."""


class Grant(BaseModel):
    model_config = ConfigDict(frozen=True)
    subject: Subject
    by: str
    about: str = Field(default="", repr=False)
    """What of it, where that is less than all: the paths. Left out of what progress is measured by."""

    @property
    def what(self) -> str:
        return f"{self.subject.value} ({self.about})" if self.about else self.subject.value


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
    asks: str = ""
    """What people were told when it began to wait: the questions, or the request. Of a long one, its two ends."""
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


class IssueCase(BaseModel):
    """Counters only ever grow: keys of effects and numbers of turns are made from them."""

    model_config = ConfigDict(frozen=True)

    id: CaseId
    epoch: int = 1
    state: IssueState = IssueState.RECEIVED
    reason: str = "the issue was received"
    waiting_for: WaitingFor | None = None
    turns: int = 0
    transitions: int = 0
    builds: int = 0
    attempt: int = 1
    round: int = 1
    """A person's feedback begins a new one: attempts and transitions are counted anew."""
    round_began: int = 0
    """After how many transitions."""

    wait: Wait | None = None
    """Kept while somebody makes sense of what was said meanwhile: mere thanks lead back to it."""
    resume: IssueState | None = None
    """The working state that was left for a person: where to go on."""
    resume_task: Task | None = None
    """What was under way there, where that is not what the state itself says."""
    ended_as: IssueState | None = None
    """Before it was opened again: if nobody wants anything, it is over again."""
    go: IssueState | None = None
    """Where code takes the case from here, with no turn in between."""
    task: Task | None = None
    """A second turn in the same state: a red build is judged, a tech lead finds a way on."""
    until: Milestone | None = None
    """How far a person let it go. Null: as far as its policy says."""
    since: datetime | None = None
    """When it came into its state."""
    reminders: int = 0
    """Told in this state."""
    taken_by: str = ""
    extra_micros: int = 0
    """Granted by people over the policy's budget."""
    grants: tuple[Grant, ...] = ()
    asked: int = 0
    """How often people were asked about the requirements."""
    consulted: int = 0
    """Questions between roles in this state."""
    remarks: tuple[MessageId, ...] = ()
    """What people said of the pull request, to be addressed and answered."""
    late: tuple[MessageId, ...] = ()
    """What they said when the last change was written: the pm makes sense of it once the pull request is updated."""
    seen: dict[str, int] = {}
    """By state and evidence: how often the case was there. Three times is no progress."""
    senior: bool = False
    guided: bool = False
    """The tech lead has found a way on in this round."""
    planned: bool = False
    weighty: bool = False
    """More than a small change: it is planned, and validated before it is delivered."""
    base_built: bool = False
    """What fails on the base is known."""
    built: Sha | None = None
    """The commit that was last built, whatever came of it."""
    unfit: bool = False
    """What was last built holds something that must not ship, whatever a person has waived."""
    changed: tuple[str, ...] = ()
    """Of what was last built: the files that differ from the base, as git says; of very many, the first."""
    waivable: Subject | None = None
    """What was last built is not green, and only this waiver lets it pass. Null: none does."""
    forbidden: tuple[str, ...] = ()
    """The paths that the last built head changes although it was not to."""
    warned_of: tuple[str, ...] = ()
    """Of such paths: those that a developer was told to take back."""
    may_change: tuple[str, ...] = ()
    """Of such paths: those that a person has let it change."""
    test_tries: int = 0
    testless: int = 0
    """Turns of the tester in this round that ended without a test."""
    flaky: int = 0

    investigation: Investigation | None = None
    """The newest one."""

    base: Sha | None = None
    """The commit the work starts from."""
    checkpoint: Sha | None = None
    """What the last completed turn left: where the next one begins."""
    issue_type: IssueType | None = None
    test_required: bool = True
    tests: Sha | None = None
    """The tester's commit: where the new test was seen to fail."""
    test_file: str = ""
    new_test: str = ""
    """The command that runs the new test alone."""
    red: bool = False
    """The new test was seen to fail without the fix."""
    green: Sha | None = None
    """The commit whose build was green."""
    approved: Sha | None = None
    """The commit the tech lead approved."""
    touches: tuple[Touched, ...] = ()
    """What only a person may decide, as the paths say that the last built head changes."""
    topics: tuple[Topic, ...] = ()
    """What only a person may decide, as the triage says of the issue."""
    agreed: tuple[Topic, ...] = ()
    """Of all these: what a person has agreed to."""
    analysed: bool = False
    """It came with an analysis: a bug's findings."""
    feedback: str = ""
    """What the next developer turn has to repair."""
    joined: Literal["", "clean", "conflict"] = ""
    """What a person has pushed is in the checkpoint, and no build has seen the two together yet."""
    handed_back: bool = False
    """By a person who had taken it over: what they have pushed is taken in before anybody works on."""
    pushed: Sha | None = None
    pull_request: int | None = None
    sessions: dict[str, SessionId] = {}
    """The agent session of each role's last completed turn."""

    def granted(self, subject: Subject) -> bool:
        return any(grant.subject is subject for grant in self.grants)

    @property
    def branch(self) -> str:
        return f"agent/issue-{self.id.rpartition('#')[2]}"


def limit_of(case: IssueCase, policy: Policy) -> Milestone:
    """How far it goes by itself."""
    return case.until or policy.until


def cap_of(case: IssueCase, policy: Policy) -> int:
    """What it may spend, in micro-dollars."""
    return policy.budget_micros + case.extra_micros
