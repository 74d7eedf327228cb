"""What the prompts are filled with, typed per kind of case. Whatever is empty leaves no trace in the prompt."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from caseworker.agents.quotes import NO_FILES
from caseworker.core.base.policy import Severity
from caseworker.core.investigation.matrix import Investigation
from caseworker.core.people.digest import Digest, Verbatim
from caseworker.core.people.messages import Message
from caseworker.core.pull.failures import FailedCheck
from caseworker.core.pull.findings import EarlierFinding
from caseworker.core.pull.review_threads import ReviewThread
from caseworker.core.record.investigation import Bisected, InstrumentRan
from caseworker.ports import SentFiles


class OpenQuestion(NamedTuple):
    """A question of another role, to be answered in this turn."""

    asker: str
    question: str


class RoleAnswer(NamedTuple):
    """What one role asked another. `you` stands for the role that reads it."""

    asker: str
    asked: str
    question: str
    answer: str


@dataclass(frozen=True, kw_only=True)
class AnalysisInputs:
    """What is to be done, as the analyst and the pm wrote it down."""

    brief: str = ""
    """The analyst's, in Markdown."""
    triage: str = ""
    """Why the pm lets it be worked on, and what it has seen."""
    files: tuple[tuple[str, str, str], ...] = ()
    """(path, what is to be done with it, what for)."""
    patterns: tuple[str, ...] = ()
    test: str = ""
    """Where the test belongs, and what it shows."""
    must_do: tuple[str, ...] = ()
    must_not_do: tuple[str, ...] = ()
    plan: str = ""
    """The pm's, in Markdown."""


@dataclass(frozen=True, kw_only=True)
class ProgressInputs:
    """What was done so far, and why this turn is run."""

    evidence: str = ""
    diff: str = ""
    feedback: str = ""
    weakened: tuple[str, ...] = ()
    """Tests that check less, and changes of what decides, found by code. The review names each by its number."""
    reason: str = ""
    """Why the case came to this turn."""
    learnings: tuple[str, ...] = ()
    """What earlier cases found out about this repository, the most telling first."""
    rules: tuple[str, ...] = ()
    """What owners told to be remembered for reviews of such a change, by number."""


@dataclass(frozen=True, kw_only=True)
class TalkInputs:
    """What people and the other roles said, asked and answered."""

    said: tuple[Message, ...] = ()
    """The messages claimed for this turn, in order: edits, deletions and commands are told as such."""
    earlier: tuple[Message, ...] = ()
    """What people said in this case before this turn, oldest first."""
    remarks: tuple[Message, ...] = ()
    """Of people on the pull request, in the order in which they are to be answered."""
    asked_before: tuple[str, ...] = ()
    """What people were asked so far, newest last."""
    state_left: str = ""
    """What the case waited for, and where it goes on."""
    questions: tuple[OpenQuestion, ...] = ()
    """What this turn is to answer."""
    answers: tuple[RoleAnswer, ...] = ()
    """What roles have asked each other."""
    files: SentFiles = NO_FILES


@dataclass(frozen=True, kw_only=True)
class InvestigationInputs:
    """The investigation that the case is about now, or was last. All empty: there is none."""

    investigation: Investigation | None = None
    file: Path | None = None
    iterations: int = 0
    """Completed ones."""
    no_iteration_left: bool = False
    """Or it ended as incomplete: three moves are left."""
    bisects: tuple[Bisected, ...] = ()
    instruments: tuple[InstrumentRan, ...] = ()
    """Profiles, stresses and traces."""
    accepted: str = ""
    """The hypothesis that the tech lead accepted as the cause."""


@dataclass(frozen=True, kw_only=True)
class IssueInputs:
    title: str
    body: str
    author: str
    labels: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    """Those that build and test the repository."""
    discussion: Digest | Verbatim | None = None
    """What was said below the issue on the forge. What owners directed there overrules the body."""
    case_file: Path | None = None
    plain: bool = False
    """The change under review is small, plain and proved (`core.issue.plain_change`)."""
    analysis: AnalysisInputs = field(default_factory=AnalysisInputs)
    progress: ProgressInputs = field(default_factory=ProgressInputs)
    talk: TalkInputs = field(default_factory=TalkInputs)
    investigation: InvestigationInputs = field(default_factory=InvestigationInputs)


@dataclass(frozen=True, kw_only=True)
class BugInputs:
    bug_id: str
    title: str
    report: str
    reporter: str
    said: tuple[Message, ...] = ()
    """The messages claimed for this turn, in order."""
    commands: tuple[str, ...] = ()
    """Those that build and test the repository."""
    severity: Severity | None = None
    services: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """(name, owners)."""
    vague: bool = False
    """The report names nothing to start from. Only a first turn asks about it with no tool in hand."""
    continues_from: str = ""
    """The `BugState` in which the case waited. Empty: this is the first turn."""
    timed_out: bool = False
    files: SentFiles = NO_FILES


@dataclass(frozen=True, kw_only=True)
class DiffInputs:
    """The change of a pull request against its base."""

    text: str = ""
    """Whole. Empty: it is too long for a prompt, and `file` holds it."""
    files: tuple[tuple[str, int, int], ...] = ()
    """(path, lines added, lines removed) of each changed file, where the text is not shown."""
    file: Path | None = None


@dataclass(frozen=True, kw_only=True)
class ReviewInputs:
    earlier: tuple[EarlierFinding, ...] = ()
    """What reviews of ours said on this pull request."""
    rules: tuple[str, ...] = ()
    """What owners told to be remembered for reviews of such a change, by number."""


@dataclass(frozen=True, kw_only=True)
class ResolveInputs:
    threads: tuple[tuple[str, ReviewThread], ...] = ()
    """The open ones, each with its number: `T3`."""
    failures: tuple[FailedCheck, ...] = ()
    """Failed checks that this change has to fix."""
    not_ours: tuple[tuple[str, str], ...] = ()
    """(check, why) of other failed checks."""
    conflicts: tuple[str, ...] = ()
    one_sided: tuple[str, ...] = ()
    """Files in conflict that can't hold both versions, and have no markers."""
    feedback: str = ""
    is_read_only: bool = False
    """The branch is in a fork: threads are answered, and nothing is changed."""


@dataclass(frozen=True, kw_only=True)
class PullInputs:
    title: str
    body: str
    author: str
    base_branch: str = ""
    commands: tuple[str, ...] = ()
    discussion: Digest | Verbatim | None = None
    """What was said below the pull request. What owners directed there overrules its text."""
    diff: DiffInputs = field(default_factory=DiffInputs)
    said: tuple[Message, ...] = ()
    """The messages claimed for this turn, in order."""
    review: ReviewInputs = field(default_factory=ReviewInputs)
    resolve: ResolveInputs = field(default_factory=ResolveInputs)


Inputs = IssueInputs | BugInputs | PullInputs
