"""What a case at rest wants from people, in its own words."""

from collections.abc import Sequence

from caseworker.core.base.policy import Milestone, how_far
from caseworker.core.base.text import clip
from caseworker.core.issue.case import WaitingFor, limit_of
from caseworker.core.issue.states import PARKED, WAITING
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.outcomes.pm import PlanOutcome, TriageOutcome
from caseworker.core.record.entries import Posted, Recorded, Transitioned
from caseworker.ports import Store, StoredCase

_BY = "pm"


async def what_is_asked(store: Store, stored: StoredCase, outcomes: Sequence[Outcome]) -> str:
    """The question or request that people are to answer; at a milestone, what was to be had. Empty: nothing."""
    wait = stored.case.waiting.wait
    if stored.case.state not in WAITING | PARKED or wait is None or wait.reason is WaitingFor.MERGE:
        return ""
    if stored.case.people.taken_by:
        return ""
    if wait.reason is WaitingFor.MILESTONE:
        return _reached(outcomes)
    record = await store.record.whole(stored.case.id)
    return _in_full(record, wait.asks) if wait.asks else newest_request(record)


def may_go_on_until(stored: StoredCase, until: Milestone) -> bool:
    """It waits at a milestone, and this one is further on."""
    wait, reached = stored.case.waiting.wait, limit_of(stored.case, stored.policy)
    waits = stored.case.state in WAITING and wait is not None and wait.reason is WaitingFor.MILESTONE
    return waits and how_far(until) > how_far(reached)


def _in_full(record: Sequence[Recorded], request: str) -> str:
    """A case keeps a long request, a plan, in short."""
    said = (one.entry.text for one in reversed(record) if isinstance(one.entry, Posted))
    return next((text for text in said if clip(text) == request), request)


def newest_request(record: Sequence[Recorded]) -> str:
    """What the pm said when the case last moved and spoke, for a case that began to wait when it did not yet keep that
    itself. Reminders and warnings come without a move."""
    moved, said = False, ""
    for recorded in record:
        match recorded.entry:
            case Transitioned():
                moved = True
            case Posted(about=about, text=text) if about == _BY and moved:
                moved, said = False, text
            case Posted():
                pass
            case _:
                moved = False
    return said


def _reached(outcomes: Sequence[Outcome]) -> str:
    for outcome in reversed(outcomes):
        match outcome:
            case PlanOutcome(plan=plan):
                return plan
            case TriageOutcome(reason=reason, scope=scope, complexity=complexity, type=kind):
                what = kind.value.replace("_", " ").lower()
                return f"{reason} A {what}; its scope is {scope.lower()}, and it is {complexity}."
    return ""
