"""What an issue case can wait for, and what a person can grant."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from caseworker.core.base.ids import MessageId


class WaitingFor(StrEnum):
    ANSWER = "answer"
    APPROVAL = "approval"
    BUDGET = "budget"
    MILESTONE = "milestone"
    MERGE = "merge"
    CURE = "cure"
    """Something outside of the case has to be put right: the environment of the tests, the key, the provider."""


class Subject(StrEnum):
    """What a person is asked to approve. The values are what the record and the pull request say."""

    SENSITIVE = "work on what only a person may decide"
    PLAN = "the plan"
    ARCHITECTURE = "a change of the architecture"
    ESCALATION = "what a role did not want to decide alone"
    NO_RED_TEST = "no test that fails without the fix"
    NO_COMMAND = "no command that proves the change"
    NOT_RUN = "tests that could not be run"
    RED_BASE = "checks that fail before the change as well"
    WEAKENED = "tests that check less, or a change of what decides"
    TOUCHES = "a change of what only a person may decide"
    FORBIDDEN = "a change of what was not to be changed"


@dataclass(frozen=True, kw_only=True)
class SubjectRow:
    """Texts about a subject for the people who are asked to approve it."""

    agreed: str
    """What `approve` does, as the end of a sentence."""
    declined: str = "says what to do instead"
    """What `reject` does."""
    waiver: str = ""
    """What whoever merges is told. Empty: it is no waiver, because nothing is missing."""


SUBJECTS: Final[dict[Subject, SubjectRow]] = {
    Subject.SENSITIVE: SubjectRow(agreed="agrees that it is worked on", declined="closes the case"),
    Subject.PLAN: SubjectRow(agreed="goes on with the plan", declined="has it planned anew, with your words"),
    Subject.ARCHITECTURE: SubjectRow(agreed="lets the architecture be changed"),
    Subject.ESCALATION: SubjectRow(agreed="goes on as proposed"),
    Subject.NO_RED_TEST: SubjectRow(
        agreed="goes on without; whoever merges is told so, with your name",
        waiver="that no test was seen to fail without the fix",
    ),
    Subject.NO_COMMAND: SubjectRow(
        agreed="goes on without; whoever merges is told so, with your name",
        waiver="that no command proves it; better, name one in `.caseworker.toml`",
    ),
    Subject.NOT_RUN: SubjectRow(
        agreed="goes on without running them; whoever merges is told so, with your name",
        waiver="that its tests could not be run",
    ),
    Subject.RED_BASE: SubjectRow(
        agreed="goes on all the same; whoever merges is told so, with your name",
        waiver="that these checks failed before the change as well",
    ),
    Subject.WEAKENED: SubjectRow(
        agreed="lets it be delivered; whoever merges is told so, with your name",
        declined="has it put right, with your words",
        waiver="that tests check less, or that what decides was changed",
    ),
    Subject.TOUCHES: SubjectRow(agreed="lets it be delivered; whoever merges is told so, with your name"),
    Subject.FORBIDDEN: SubjectRow(
        agreed="lets these paths be changed; whoever merges is told so, with your name",
        declined="has it taken back, with your words",
        waiver="that this was changed although it was not to be",
    ),
}
WAIVERS: Final = frozenset(subject for subject, row in SUBJECTS.items() if row.waiver)
"""Subjects that replace missing evidence or lift a ban. The pull request names them."""


class Grant(BaseModel):
    model_config = ConfigDict(frozen=True)
    subject: Subject
    by: str
    about: str = Field(default="", repr=False)
    """The part that was granted, such as paths. Not in `repr`, so that it does not count as progress."""
    message: MessageId | None = Field(default=None, repr=False)
    """The approval that says so."""

    @property
    def what(self) -> str:
        return f"{self.subject.value} ({self.about})" if self.about else self.subject.value
