"""Who is given which task in which state."""

from datetime import timedelta
from typing import Final

from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Role, Task
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.states import PARKED, ROWS, WORKING, IssueState
from caseworker.core.issue.subjects import WaitingFor

S = IssueState


TURN_OF: Final = {state: row.turn for state, row in ROWS.items() if row.turn is not None}
"""Who is given which task in a working state. Where code works there is none."""


WRITERS: Final = frozenset({Role.DEVELOPER, Role.SENIOR_DEVELOPER})
_MARGIN: Final = timedelta(minutes=5)
"""For what the activity does before and after the agent."""
_LONGEST_LINE: Final = timedelta(days=1)
_SECOND: Final[dict[Task, Role]] = {
    Task.JUDGE: Role.TESTER,
    Task.UNBLOCK: Role.TECH_LEAD,
    Task.DIAGNOSE: Role.DEVELOPER,
    Task.VALIDATE_CAUSE: Role.TECH_LEAD,
    Task.UNBLOCK_INVESTIGATION: Role.PM,
}


MAY_BE_AT_WORK: Final = WORKING | {S.BLOCKED}
"""As far as the state alone tells: in BLOCKED only the snapshot knows."""


def at_work(case: IssueCase) -> bool:
    """Also in BLOCKED, until the pm has seen to an investigation that is stuck."""
    return case.state in WORKING or (case.state is S.BLOCKED and case.progress.task is Task.UNBLOCK_INVESTIGATION)


def is_for_a_person(case: IssueCase) -> bool:
    """It stands, with work that nobody has delivered: parked, taken over, or out of money. What is unproven is not put
    on the branch of an open pull request: people may merge that at any moment."""
    stands = case.state in PARKED or case.waits_for is WaitingFor.BUDGET
    return (
        stands
        and not at_work(case)
        and case.delivery.pull_request is None
        and case.delivery.checkpoint not in (None, case.delivery.base)
    )


def turn_of(case: IssueCase) -> tuple[Role, Task]:
    role, task = (
        (_SECOND[case.progress.task], case.progress.task) if case.progress.task is not None else TURN_OF[case.state]
    )
    return (Role.SENIOR_DEVELOPER if role is Role.DEVELOPER and case.limits.senior else role), task


def longest_turn(role: Role, policy: Policy) -> timedelta:
    """The time-out of the turn's activity. A developer's own time begins when it has a place in the line."""
    return timedelta(seconds=policy.turn_seconds) + _MARGIN + (_LONGEST_LINE if role in WRITERS else timedelta())
