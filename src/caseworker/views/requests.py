"""Finds what a resting case wants from people, in its own words."""

from collections.abc import Sequence

from caseworker.core.base.policy import Milestone, how_far
from caseworker.core.issue.case import limit_of
from caseworker.core.issue.states import PARKED, WAITING
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.outcomes.pm import PlanOutcome, TriageOutcome
from caseworker.core.record.bug_conversation import text_of
from caseworker.ports import Store, StoredCase


async def what_is_asked(store: Store, stored: StoredCase, outcomes: Sequence[Outcome], *, buttons: bool = False) -> str:
    """The question or request that people are to answer; at a milestone, the plan or triage. Empty: nothing.
    `buttons`: for the dashboard."""
    wait = stored.case.waiting.wait
    if stored.case.state not in WAITING | PARKED or wait is None or wait.reason is WaitingFor.MERGE:
        return ""
    if stored.case.people.taken_by:
        return ""
    if wait.reason is WaitingFor.MILESTONE:
        return _milestone_text(outcomes)
    if wait.asked is None:
        return ""
    return text_of(wait.asked, await store.record.whole(stored.case.id, {"posted"}), buttons=buttons)


def may_go_on_until(stored: StoredCase, until: Milestone) -> bool:
    """Whether the case waits at a milestone before this one."""
    wait, reached = stored.case.waiting.wait, limit_of(stored.case, stored.policy)
    waits = stored.case.state in WAITING and wait is not None and wait.reason is WaitingFor.MILESTONE
    return waits and how_far(until) > how_far(reached)


def _milestone_text(outcomes: Sequence[Outcome]) -> str:
    for outcome in reversed(outcomes):
        match outcome:
            case PlanOutcome(plan=plan):
                return plan
            case TriageOutcome(reason=reason, scope=scope, complexity=complexity, type=kind):
                what = kind.value.replace("_", " ").lower()
                return f"{reason} A {what}; its scope is {scope.lower()}, and it is {complexity}."
    return ""
