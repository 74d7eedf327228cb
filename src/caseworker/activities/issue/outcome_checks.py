"""Checks outcomes by code: a validation covers each requirement, an approval is by a turn that read the change."""

from collections.abc import Awaitable, Callable
from typing import Final

from caseworker.activities.issue import recollection
from caseworker.agents.issue_prompt import DIFF_LIMIT
from caseworker.contract.wire import TurnRequest
from caseworker.core.base.roles import Task
from caseworker.core.base.untrusted_text import revealed
from caseworker.core.casefile.model import AnalysisSection
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.outcomes.tech_lead import ReviewOutcome
from caseworker.core.outcomes.tester import ValidationOutcome
from caseworker.core.outcomes.validation import unchecked
from caseworker.core.record.entries import ToolCalled
from caseworker.ports import Store

Check = Callable[[Outcome], Awaitable[str]]
UNREAD: Final = "you approve a change of which you were shown only the beginning: read the rest of it first"


def check_for(request: TurnRequest, analysis: AnalysisSection, diff: str, store: Store) -> Check | None:
    """`diff`: the change that the turn is to look at. The prompt shows its beginning."""
    if request.task is Task.VALIDATE:
        return _coverage_check(analysis)
    if request.task in recollection.REVIEWS and len(revealed(diff)) > DIFF_LIMIT:
        return _reading_check(request, store)
    return None


def _coverage_check(analysis: AnalysisSection) -> Check:
    async def check(outcome: Outcome) -> str:
        if not isinstance(outcome, ValidationOutcome):
            return ""
        return unchecked(outcome, analysis.must_do, analysis.must_not_do)

    return check


def _reading_check(request: TurnRequest, store: Store) -> Check:
    """An approval counts only from a turn that used a tool."""

    async def check(outcome: Outcome) -> str:
        if not isinstance(outcome, ReviewOutcome) or not outcome.approves:
            return ""
        calls = await store.record.whole(request.case.id, {"tool_called"})
        looked = any(isinstance(one.entry, ToolCalled) and one.entry.turn == request.turn for one in calls)
        return "" if looked else UNREAD

    return check
