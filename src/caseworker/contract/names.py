"""Names that two processes must agree on: queues, workflows, signals, error types."""

from typing import Final

from caseworker.core.base.case_kinds import CaseKind
from caseworker.core.base.ids import CaseId
from caseworker.core.kinds import KINDS

FLOWS_QUEUE: Final = "caseworker"
"""Runs workflows and short activities."""
TURNS_QUEUE: Final = "caseworker-turns"
"""Runs agents and builds: few slots, long work."""

ISSUE_WORKFLOW: Final = KINDS[CaseKind.ISSUE].workflow
BUG_WORKFLOW: Final = KINDS[CaseKind.BUG].workflow
PULL_WORKFLOW: Final = KINDS[CaseKind.PULL].workflow
SLA_WORKFLOW: Final = "SLATrackingWorkflow"
LOOK_AGAIN: Final = "look_again"
INCOMING_MESSAGE: Final = "incoming_message"
CLOSE_REQUESTED: Final = "close_requested"

_PREFIX: Final = "case:"
_CLOCK_PREFIX: Final = "sla:"

REFUSED: Final = "Refused"
"""The type of the error that a refusal becomes on its way through Temporal."""

PASSING: Final = "Passing"
"""The type of the error that trouble outside of an attempt becomes, which passes by itself or when a person helps."""

WORKER_DIED: Final = "WorkerDied"
"""The error type with which a starting worker ends the attempts of a dead one."""


def workflow_id(case: CaseId) -> str:
    return f"{_PREFIX}{case}"


def sla_workflow_id(case: CaseId) -> str:
    return f"{_CLOCK_PREFIX}{case}"


def case_of(workflow: str) -> CaseId:
    return CaseId(workflow.removeprefix(_PREFIX).removeprefix(_CLOCK_PREFIX))


def is_clock(workflow: str) -> bool:
    return workflow.startswith(_CLOCK_PREFIX)
