"""What people get to merge, by its name: a pull request of a forge, or a branch in a folder of this machine."""

from caseworker.core.base.ids import CaseId, is_local
from caseworker.core.issue.case import IssueCase


def name_of(case: IssueCase) -> str:
    """Only valid once it is there."""
    return f"branch `{case.branch}`" if is_local(case.id) else f"pull request {case.delivery.pull_request}"


def goal_of(case: CaseId) -> str:
    """What the work goes on to."""
    return "a branch that is ready to merge" if is_local(case) else "a pull request"
