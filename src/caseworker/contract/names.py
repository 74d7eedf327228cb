"""Names that two processes must agree on."""

from typing import Final

from caseworker.core.base.ids import CaseId
from caseworker.core.kinds import KINDS, CaseKind

FLOWS_QUEUE: Final = "caseworker"
"""Workflows and short activities."""
TURNS_QUEUE: Final = "caseworker-turns"
"""Agents and builds: few slots, long work."""

ISSUE_WORKFLOW: Final = KINDS[CaseKind.ISSUE].workflow
BUG_WORKFLOW: Final = KINDS[CaseKind.BUG].workflow
SLA_WORKFLOW: Final = "SLATrackingWorkflow"
LOOK_AGAIN: Final = "look_again"
INCOMING_MESSAGE: Final = "incoming_message"
CLOSE_REQUESTED: Final = "close_requested"

_PREFIX: Final = "case:"

REFUSED: Final = "Refused"
"""The type of the error that a refusal becomes on its way through Temporal."""

WORKER_DIED: Final = "WorkerDied"
"""Told by a starting worker about attempts of one that is gone."""


def workflow_id(case: CaseId) -> str:
    return f"{_PREFIX}{case}"


def sla_workflow_id(case: CaseId) -> str:
    return f"sla:{case}"


def case_of(workflow: str) -> CaseId:
    return CaseId(workflow.removeprefix(_PREFIX))
