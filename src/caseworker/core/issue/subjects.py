"""What an issue case can wait for, and what a person can grant."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


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
