"""The names of workflows. Kept small, because the command line imports it for `--help`."""

from enum import StrEnum


class WorkflowName(StrEnum):
    TRIAGE = "triage"
    PLAN = "plan"
    IMPLEMENT = "implement"
    REVIEW = "review"
    RESOLVE = "resolve"
    SHIP = "ship"
    REMEMBER = "remember"
    INVESTIGATE = "investigate"
