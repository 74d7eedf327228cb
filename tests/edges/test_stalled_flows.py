"""A message ends the pause of a case whose model's provider can't be reached, in every kind of case."""

from datetime import UTC, datetime

import pytest

from caseworker.contract.wire import CaseInput
from caseworker.core.base.ids import CaseId
from caseworker.core.base.policy import Policy
from caseworker.core.base.snapshot import Stalled
from caseworker.core.bug.case import BugCase
from caseworker.core.issue.case import IssueCase
from caseworker.core.pull.case import PullCase
from caseworker.flows.bug import BugInvestigationWorkflow
from caseworker.flows.issue import IssueWorkflow
from caseworker.flows.pull import PullWorkflow

CASE = CaseId("shop#1")
AT = datetime(2024, 1, 14, tzinfo=UTC)
STALLED = Stalled(reason="the provider can't be reached", since=AT, next_try=AT)
Flow = IssueWorkflow | BugInvestigationWorkflow | PullWorkflow
KINDS = [(IssueWorkflow, IssueCase), (BugInvestigationWorkflow, BugCase), (PullWorkflow, PullCase)]


@pytest.mark.parametrize(("kind", "case"), KINDS)
def test_a_bell_calls_a_held_up_case_and_no_other(kind: type[Flow], case: type[IssueCase | BugCase | PullCase]) -> None:
    flow = kind(CaseInput(case=CASE, policy=Policy()))
    plain = case(id=CASE)

    def is_called(*, stalled: Stalled | None, bells: int) -> bool:
        flow._case, flow._heard, flow._bells = plain.updated(stalled=stalled), 0, bells
        return flow._is_called()

    assert is_called(stalled=STALLED, bells=1)
    assert not is_called(stalled=STALLED, bells=0)
    assert not is_called(stalled=None, bells=1)
