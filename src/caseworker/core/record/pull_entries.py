"""Record entries of pull cases: verdicts, what was published, checks that were started again."""

from typing import Literal

from caseworker.core.base.ids import Sha
from caseworker.core.outcomes.pull_work import PullFinding, ThreadClass
from caseworker.core.pull.findings import Reproduction
from caseworker.core.pull.thread_answers import GivenThread
from caseworker.core.pull.verdict import Verdict
from caseworker.core.record.entry import RecordEntry


class PullJudged(RecordEntry):
    """A look at the pull request whose verdict differs from the one before."""

    kind: Literal["pull_judged"] = "pull_judged"
    verdict: Verdict


class PullPublished(RecordEntry):
    """What a turn brought to the forge."""

    kind: Literal["pull_published"] = "pull_published"
    turn: int
    commit: Sha | None = None
    """What was pushed. Null: nothing."""
    voided: list[str] = []
    threads: list[str] = []
    """Threads that were answered, or that findings began, as `path:line`."""
    resolved: int = 0


class UnpushedKept(RecordEntry):
    """Work that a stopped session has not pushed is on a branch of ours."""

    kind: Literal["unpushed_kept"] = "unpushed_kept"
    commit: Sha
    branch: str


class ChecksRerun(RecordEntry):
    kind: Literal["checks_rerun"] = "checks_rerun"
    checks: list[str]
    commit: Sha
    flakes: list[str] = []
    """Those that both passed and failed on this commit."""


class TurnGiven(RecordEntry):
    """What a completed turn was given, as far as later steps need it."""

    kind: Literal["turn_given"] = "turn_given"
    turn: int
    threads: list[GivenThread] = []
    """Its answers name them by these numbers."""
    parent: Sha | None = None
    """What its commit is on. A further turn on the same work puts its commit there as well."""
    reproductions: dict[str, Reproduction] = {}
    """What came of the commands of findings, by the findings' ids."""


class FindingPublished(RecordEntry):
    """What became of one finding of a review."""

    kind: Literal["finding_published"] = "finding_published"
    turn: int
    finding: PullFinding
    how: Literal["thread", "artifact", "said_before", "rejected"]
    """`artifact`: its line can't carry a comment. `rejected`: an owner does not want it, and it is not raised."""
    reproduction: Reproduction | None = None
    url: str = ""
    note: str = ""
    """Why there is no thread."""


class ThreadAnswered(RecordEntry):
    """What became of the answer to one review thread."""

    kind: Literal["thread_answered"] = "thread_answered"
    turn: int
    number: str
    place: str
    verdict: ThreadClass
    resolved: bool = False
    commit: Sha | None = None
    """The pushed change that it names."""
    url: str = ""
    note: str = ""
    """Why nothing was said there."""


PullRecorded = PullJudged | PullPublished | UnpushedKept | ChecksRerun | TurnGiven | FindingPublished | ThreadAnswered
"""What only pull cases record, but for their moves."""
