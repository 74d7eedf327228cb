"""Record entries of pull cases: verdicts, what was published, checks that were started again."""

from typing import Literal

from caseworker.core.base.ids import Sha
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


class ChecksRerun(RecordEntry):
    kind: Literal["checks_rerun"] = "checks_rerun"
    checks: list[str]
    commit: Sha
    flakes: list[str] = []
    """Those that both passed and failed on this commit."""
