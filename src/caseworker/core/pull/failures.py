"""A check that failed on the head of a pull request, and what kind of failure it is. Pure."""

from datetime import datetime
from typing import Final, Literal

from caseworker.core.base.ids import Sha
from caseworker.core.pull.pull_facts import Fact

FailureKind = Literal["infrastructure", "flake", "red_on_base", "ours"]
"""`infrastructure`: it was not carried to its end: run again once, then told. `flake`: it passed and failed on the same
commit: run again and counted, never fixed. `red_on_base`: it fails without this change as well: named, not fixed.
`ours`: to be fixed."""
ResultState = Literal["passed", "failed", "broken", "pending", "other"]
"""`broken`: it did not come to a result. `other`: skipped or neutral, which proves nothing."""
ACTIONS: Final = "github-actions"

_BROKEN: Final = frozenset({"cancelled", "timed_out", "startup_failure", "stale", "action_required", "error"})
_RUNNER_TROUBLE: Final = (
    "lost communication with the server",
    "runner has received a shutdown signal",
    "was not acquired by runner",
    "has exceeded the maximum execution time",
    "account payments have failed",
)
"""Sentences that GitHub itself writes, in lower case, where a runner and not the job has failed."""


class WorkflowAttempt(Fact):
    """The attempt of a workflow run to which a result belongs."""

    run: int
    attempt: int = 1
    workflow: str = ""
    """Its file, such as `.github/workflows/ci.yml`."""
    event: str = ""
    """`pull_request`: it tested the trial merge; `push`: the commit itself."""


class CheckResult(Fact):
    """One result of a check on one commit."""

    state: ResultState
    result: str = ""
    """The forge's own word."""
    id: str = ""
    """Of its check run."""
    of: WorkflowAttempt | None = None
    at: datetime | None = None
    """When it ended, or began."""
    url: str = ""


class Annotation(Fact):
    """A remark of a check on a line of code."""

    path: str
    line: int
    level: Literal["notice", "warning", "failure"]
    message: str
    title: str = ""


class WithoutChange(Fact):
    """The newest results of the same check without this change. Null: nobody ran it there, or it has not ended."""

    base: Sha | None = None
    """The head of the base branch when it was read."""
    on_base: CheckResult | None = None
    merge_base: Sha | None = None
    on_merge_base: CheckResult | None = None

    @property
    def is_red(self) -> bool:
        return any(one is not None and one.state == "failed" for one in (self.on_base, self.on_merge_base))


class FailedCheck(Fact):
    """The newest result of a check on the head, which failed, and what is known around it."""

    name: str
    app: str = ""
    """The slug of the App that reported it. Empty: a commit status."""
    head: Sha
    newest: CheckResult
    results: tuple[CheckResult, ...] = ()
    """All results of the same check on this commit with the newest among them, oldest first."""
    without_change: WithoutChange = WithoutChange()
    annotations: tuple[Annotation, ...] = ()
    summary: str = ""
    """What the check itself says: title, summary and text, or the description of a status."""
    log_tail: str = ""
    """The end of the log of its job. Empty: there is none, or it could not be read."""
    is_required: bool = False
    unread: tuple[str, ...] = ()
    """Parts that could not be read, such as `log`."""

    @property
    def url(self) -> str:
        return self.newest.url

    @property
    def since(self) -> datetime | None:
        return self.newest.at

    @property
    def rerun(self) -> WorkflowAttempt | None:
        """What can be run again. Null: only the maker of the check can do that."""
        return self.newest.of if self.app == ACTIONS else None


def state_of(result: str) -> ResultState:
    """From the conclusion of a check run that has ended, or the state of a commit status, in lower case."""
    if result in _BROKEN:
        return "broken"
    if result in ("success", "failure"):
        return "passed" if result == "success" else "failed"
    return "pending" if result in ("pending", "expected", "") else "other"


def kind_of(check: FailedCheck) -> FailureKind:
    if check.newest.state == "broken" or _is_runner_trouble(check):
        return "infrastructure"
    if is_flaky(check):
        return "flake"
    return "red_on_base" if check.without_change.is_red else "ours"


def is_flaky(check: FailedCheck) -> bool:
    """Whether it passed and failed on this commit.

    Another run of the same workflow for a pull request may have tested another trial merge. Its pass counts only until
    this run was tried again: two failures of one run outweigh it.
    """
    passed = [one for one in check.results if one.state == "passed"]
    run = check.newest.of
    if run is None or run.event != "pull_request":
        return bool(passed)
    here = [one for one in check.results if one.of is not None and one.of.run == run.run]
    if any(one.state == "passed" for one in here):
        return True
    return bool(passed) and sum(one.state == "failed" for one in here) < 2


def _is_runner_trouble(check: FailedCheck) -> bool:
    said = [one.message.lower() for one in check.annotations if one.level == "failure"]
    return check.app == ACTIONS and any(words in one for one in said for words in _RUNNER_TROUBLE)
