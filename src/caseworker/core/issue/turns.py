"""Which role has which task in which state of an issue case."""

from datetime import timedelta
from typing import Final

from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Role, Task
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.states import PARKED, ROWS, WORKING, IssueState
from caseworker.core.issue.subjects import WaitingFor

S = IssueState


TURN_OF: Final = {state: row.turn for state, row in ROWS.items() if row.turn is not None}
"""Role and task of each working state that has a turn."""


WRITERS: Final = frozenset({Role.DEVELOPER, Role.SENIOR_DEVELOPER})
_MARGIN: Final = timedelta(minutes=5)
"""Time for the activity's own work before and after the agent."""
_LONGEST_QUEUE: Final = timedelta(days=1)
_SECOND: Final[dict[Task, Role]] = {
    Task.JUDGE: Role.TESTER,
    Task.UNBLOCK: Role.TECH_LEAD,
    Task.DIAGNOSTIC: Role.DEVELOPER,
    Task.VALIDATE_ROOT_CAUSE: Role.TECH_LEAD,
}
"""Who has a turn besides the state's own. In BLOCKED the pm unblocks; elsewhere the tech lead."""


MAY_BE_AT_WORK: Final = WORKING | {S.BLOCKED}
"""States in which somebody may work. For BLOCKED only the snapshot tells."""


def at_work(case: IssueCase) -> bool:
    """Whether an agent or code works. In BLOCKED the pm does while it unblocks an investigation."""
    return case.state in WORKING or (case.state is S.BLOCKED and case.progress.task is Task.UNBLOCK)


def is_for_a_person(case: IssueCase) -> bool:
    """Whether the case stopped (parked, taken over, out of money) with work to put on its branch for people.
    Unproven work is never put on the branch of an open pull request: people may merge it at any moment."""
    stands = case.state in PARKED or case.waits_for is WaitingFor.BUDGET
    return (
        stands
        and not at_work(case)
        and case.delivery.pull_request is None
        and case.delivery.checkpoint not in (None, case.delivery.base)
    )


def turn_of(case: IssueCase) -> tuple[Role, Task]:
    if case.state is S.BLOCKED and case.progress.task is Task.UNBLOCK:
        return Role.PM, Task.UNBLOCK
    role, task = (
        (_SECOND[case.progress.task], case.progress.task) if case.progress.task is not None else TURN_OF[case.state]
    )
    return (Role.SENIOR_DEVELOPER if role is Role.DEVELOPER and case.limits.senior else role), task


def role_at_work(case: IssueCase) -> Role | None:
    """The role that has the turn now. Null: code works, or nobody does."""
    has_turn = case.progress.task is not None or case.state in TURN_OF
    return turn_of(case)[0] if at_work(case) and has_turn and case.progress.go is None else None


def longest_turn(role: Role, policy: Policy) -> timedelta:
    """The time-out of the turn's activity. Developers may wait in line first; their own time begins after that."""
    return timedelta(seconds=policy.turn_seconds) + _MARGIN + (_LONGEST_QUEUE if role in WRITERS else timedelta())
