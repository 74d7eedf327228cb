"""Results of a forge's checks (continuous integration) on one commit, and what they say together."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.text import code

Stand = Literal["pending", "green", "red", "red_on_base", "missing", "none", "moved"]
"""`missing`: a rule demands a check that nobody has reported. `none`: no check has reported at all. `moved`: somebody
has pushed another commit, so the results are not about ours."""

MOST_RESULTS: Final = 100
_LATE: Final = 5
"""A check that has not begun after so many settle times is not expected any more."""
_MOST_FEEDBACK: Final = 12_000


class CheckResult(BaseModel):
    """The newest result of one check."""

    model_config = ConfigDict(frozen=True)

    name: str
    state: Literal["pending", "passed", "failed", "missing"]
    required: bool = False
    """A rule of the repository demands it before a merge."""
    red_on_base: bool = False
    """It fails on the base as well, so the change is not to blame."""
    signature: str = ""
    """Of a failed one: names the kind of failure. The same failure on another commit has the same."""


class CheckVerdict(BaseModel):
    model_config = ConfigDict(frozen=True)

    stands: Stand
    names: tuple[str, ...] = ()
    """The checks that it is about."""


def judge_checks(results: Sequence[CheckResult], *, waited: timedelta, settle: timedelta) -> CheckVerdict:
    """What all results say together. Where a rule demands some checks, only those count; otherwise all do.

    `waited`: since the first look. Checks may begin late, so before the set has settled an empty one says nothing, and
    one without a rule is not green. A red check counts once all have ended, so that one fix repairs them together, or
    once the set has settled.
    """
    counted = [one for one in results if one.required] or list(results)
    is_settled, is_late = waited >= settle, waited >= settle * _LATE
    pending = _names(counted, "pending")
    absent = _names(counted, "missing")
    red = tuple(one.name for one in counted if one.state == "failed" and not one.red_on_base)
    if red and (is_settled or not pending):
        return CheckVerdict(stands="red", names=red)
    if pending:
        return CheckVerdict(stands="pending", names=pending)
    if (absent or not counted) and not is_late:
        return CheckVerdict(stands="pending", names=absent)
    if absent:
        return CheckVerdict(stands="missing", names=absent)
    if not counted:
        return CheckVerdict(stands="none")
    if on_base := _names(counted, "failed"):
        return CheckVerdict(stands="red_on_base", names=on_base)
    is_ruled = any(one.required for one in counted)
    return CheckVerdict(stands="green" if is_ruled or is_settled else "pending")


def _names(results: Sequence[CheckResult], state: str) -> tuple[str, ...]:
    return tuple(one.name for one in results if one.state == state)


class CheckFailure(BaseModel):
    """A failed check with what it wrote: text of other programs, which prompts must fence."""

    model_config = ConfigDict(frozen=True)

    name: str
    url: str = ""
    output: str = ""


def check_feedback(failures: Sequence[CheckFailure]) -> str:
    """What a developer is told of failed checks: each with its name, its address and the end of its output."""
    room = _MOST_FEEDBACK // max(len(failures), 1)
    return "\n\n".join(_told(one, room) for one in failures)


def _told(failure: CheckFailure, room: int) -> str:
    head = f"The check {code(failure.name)} failed on the pull request" + (f" ({failure.url})." if failure.url else ".")
    end = failure.output.strip()[-room:]
    cut = "[...]" if len(failure.output.strip()) > room else ""
    return f"{head} The end of its output:\n{cut}{end}" if end else f"{head} It has no output."
