"""What a session remembers of checks: which failed and passed on which head, what was fixed and run again. Pure.

It decides when to stop: a failure that was cleared and comes back, too many fixes of one failure, too many reruns.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from caseworker.core.base.ids import Sha
from caseworker.core.pull.failure_signature import Signature, signature_of
from caseworker.core.pull.failures import FailedCheck, kind_of
from caseworker.core.pull.pull_facts import CheckFact, Fact, PullFacts

MOST_FIXES: Final = 3
"""Per signature."""
MOST_FLAKE_RERUNS: Final = 3
"""Per workflow run."""
MOST_BROKEN_RERUNS: Final = 1
_MOST_KEPT: Final = 500


class Sighting(Fact):
    """A check on a head, as it was seen for the first time in this state."""

    check: str
    app: str = ""
    head: Sha
    signature: Signature | None = None
    """Null: it was green."""
    at: datetime
    url: str = ""


class Fix(Fact):
    """A turn that worked on a failure. It counts whether or not it pushed."""

    signature: Signature
    head: Sha


class Rerun(Fact):
    """A workflow run that we had run again."""

    run: int
    attempt: int
    """The attempt that had failed."""
    check: str
    kind: str


class ComeBack(Fact):
    """One failure, cleared and there again: the end of the loop. All three are shown."""

    before: Sighting
    cleared: Sighting
    again: Sighting


class FailureHistory(Fact):
    """Oldest first."""

    sightings: tuple[Sighting, ...] = ()
    fixes: tuple[Fix, ...] = ()
    reruns: tuple[Rerun, ...] = ()


def look(history: FailureHistory, facts: PullFacts, failed: Iterable[FailedCheck], *, at: datetime) -> FailureHistory:
    """The history with what is red and green on the head now. Seen again without a change, nothing is added."""
    head = facts.subject.head
    seen = [
        Sighting(check=one.name, app=one.app, head=one.head, signature=signature_of(one), at=at, url=one.url)
        for one in failed
        if kind_of(one) == "ours"
    ]
    seen += [
        Sighting(check=one.name, app=one.app, head=head, at=at, url=one.url) for one in facts.checks if _is_green(one)
    ]
    latest = {(one.check, one.app): (one.head, one.signature) for one in history.sightings}
    new = [one for one in seen if latest.get((one.check, one.app)) != (one.head, one.signature)]
    return history.model_copy(update={"sightings": (*history.sightings, *new)[-_MOST_KEPT:]})


def came_back(history: FailureHistory, signature: Signature) -> ComeBack | None:
    """The newest failure with this signature, if its check was green on another head since it failed with it before."""
    for index, again in reversed(list(enumerate(history.sightings))):
        if again.signature != signature:
            continue
        earlier = [one for one in history.sightings[:index] if (one.check, one.app) == (again.check, again.app)]
        for place, cleared in reversed(list(enumerate(earlier))):
            if cleared.signature is not None or cleared.head == again.head:
                continue
            before = [one for one in earlier[:place] if one.signature == signature and one.head != cleared.head]
            if before:
                return ComeBack(before=before[-1], cleared=cleared, again=again)
        return None
    return None


def after_fix(history: FailureHistory, signatures: Iterable[Signature], head: Sha) -> FailureHistory:
    """A turn has worked on these failures, seen on this head."""
    new = tuple(Fix(signature=one, head=head) for one in dict.fromkeys(signatures))
    return history.model_copy(update={"fixes": (*history.fixes, *new)[-_MOST_KEPT:]})


def after_rerun(history: FailureHistory, check: FailedCheck) -> FailureHistory:
    """Its workflow run was asked to run again. `check` is as it failed."""
    if check.rerun is None:
        return history
    new = Rerun(run=check.rerun.run, attempt=check.rerun.attempt, check=check.name, kind=kind_of(check))
    kept = [one for one in history.reruns if one != new]
    return history.model_copy(update={"reruns": (*kept, new)[-_MOST_KEPT:]})


def fixes_of(history: FailureHistory, signature: Signature) -> int:
    return sum(one.signature == signature for one in history.fixes)


def may_fix(history: FailureHistory, signature: Signature) -> bool:
    return fixes_of(history, signature) < MOST_FIXES


def may_rerun(history: FailureHistory, check: FailedCheck) -> bool:
    """Whether it can be run again and was not run again often enough. For flakes and infrastructure."""
    if check.rerun is None:
        return False
    most = {"flake": MOST_FLAKE_RERUNS, "infrastructure": MOST_BROKEN_RERUNS}.get(kind_of(check), 0)
    attempts = {one.attempt for one in history.reruns if one.run == check.rerun.run}
    return len(attempts) < most


def flakes(history: FailureHistory) -> dict[str, int]:
    """How often each check was run again as a flake, by its name, for the list that people see."""
    counts: dict[str, int] = {}
    for one in history.reruns:
        if one.kind == "flake":
            counts[one.check] = counts.get(one.check, 0) + 1
    return counts


def _is_green(check: CheckFact) -> bool:
    return check.state == "passed" and check.result == "success" and not check.is_superseded
