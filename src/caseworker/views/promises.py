"""What was promised to the reporters of bugs, and how each promise stands."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from caseworker.core.base.case_kinds import CaseKind
from caseworker.core.base.ids import CaseId, RepositoryId
from caseworker.core.bug.case import BugState
from caseworker.core.record.entries import Recorded
from caseworker.core.sla.clock import SLA_ENTRIES, SlaFacts, SlaLine, facts_of, line_of, listing
from caseworker.ports import Store, StoredBug
from caseworker.ports.boards import BoardFilter

MOST_PROMISES: Final = 500
"""Open bugs that are listed, the oldest first."""


async def open_promises(
    store: Store, now: datetime, visible: frozenset[RepositoryId] | None = None
) -> list[tuple[SlaLine, StoredBug]]:
    """Of open bugs: the longest overdue first, then by the time they have to be resolved."""
    states = tuple((CaseKind.BUG, state.value) for state in BugState if state is not BugState.RESOLVED)
    wanted = BoardFilter(states=states, visible=visible)
    found = await store.boards.page(wanted, offset=0, limit=MOST_PROMISES, oldest_first=True)
    bugs: dict[CaseId, StoredBug] = {
        one.stored.case.id: one.stored for one in found.entries if isinstance(one.stored, StoredBug)
    }
    facts = [(facts_about(bug, await store.record.whole(case, SLA_ENTRIES)), bug.policy) for case, bug in bugs.items()]
    return [(line, bugs[line.case]) for line in listing(facts, now)]


def facts_about(stored: StoredBug, record: Sequence[Recorded]) -> SlaFacts:
    return facts_of(stored.case.id, opened_at=stored.opened_at, severity=stored.case.report.severity, record=record)


def sla_line(stored: StoredBug, record: Sequence[Recorded], now: datetime) -> SlaLine:
    return line_of(facts_about(stored, record), stored.policy, now)
