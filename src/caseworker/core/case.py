"""The snapshot of an issue case: all that its workflow knows, small enough to save at every move."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from caseworker.core.ids import CaseId, SessionId, Sha
from caseworker.core.outcomes import IssueType
from caseworker.core.states import IssueState


class WaitingFor(StrEnum):
    ANSWER = "answer"
    APPROVAL = "approval"
    BUDGET = "budget"
    MILESTONE = "milestone"
    MERGE = "merge"


class Case(BaseModel):
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
    analysed: bool = False
    """It came with an analysis: a bug's findings."""
    feedback: str = ""
    """What the next developer turn has to repair."""
    pushed: Sha | None = None
    pull_request: int | None = None
    sessions: dict[str, SessionId] = {}
    """The agent session of each role's last completed turn."""

    @property
    def branch(self) -> str:
        return f"agent/issue-{self.id.rpartition('#')[2]}"
