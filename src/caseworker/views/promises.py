"""What was promised to the reporter of a bug, and how each promise stands."""

from collections.abc import Sequence
from datetime import datetime

from caseworker.core.record.entries import Recorded
from caseworker.core.sla.clock import SlaFacts, SlaLine, facts_of, line_of
from caseworker.ports import StoredBug


def facts_about(stored: StoredBug, record: Sequence[Recorded]) -> SlaFacts:
    return facts_of(stored.case.id, opened_at=stored.opened_at, severity=stored.case.report.severity, record=record)


def sla_line(stored: StoredBug, record: Sequence[Recorded], now: datetime) -> SlaLine:
    return line_of(facts_about(stored, record), stored.policy, now)
