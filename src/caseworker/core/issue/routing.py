"""The routing table: where an issue case goes after a turn, one row per role and status. Guards may override it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from caseworker.core.base.errors import Defect
from caseworker.core.base.roles import Role, Task
from caseworker.core.issue.states import IssueState, next_states
from caseworker.core.issue.turns import TURN_OF, WRITERS
from caseworker.core.outcomes.outcome import statuses_of
from caseworker.core.outcomes.status_names import ALIASES, canonical

S = IssueState
VERSION: Final = 1


@dataclass(frozen=True)
class Route:
    """A row of the table. `to` null: the case stays or resumes, as the guard decides. `instead`: other targets for
    states that have no edge to `to`."""

    to: IssueState | None
    instead: Mapping[IssueState, IssueState] = field(default_factory=dict)

    def from_state(self, state: IssueState) -> IssueState | None:
        return self.instead.get(state, self.to)


_ALSO: Final[dict[Role, tuple[tuple[IssueState, Task], ...]]] = {
    Role.TESTER: ((S.RUNNING_TESTS, Task.JUDGE),),
    Role.PM: ((S.BLOCKED, Task.UNBLOCK),),
    Role.DEVELOPER: ((S.INVESTIGATING, Task.DIAGNOSTIC),),
    Role.SENIOR_DEVELOPER: ((S.INVESTIGATING, Task.DIAGNOSTIC),),
}
"""Turns besides a state's own. The tech lead's unblock turns and reviews of a cause have rows of their own."""
_BACK_TO_CODE_REVIEW: Final = {S.REVIEWING_ARCHITECTURE: S.REVIEWING_CODE, S.REVIEWING_INTEGRATION: S.REVIEWING_CODE}
_WRITERS: Final[dict[str, Route]] = {
    "READY_FOR_QA": Route(S.RUNNING_TESTS),
    "READY_FOR_REVIEW": Route(S.RUNNING_TESTS),
    "PARTIAL": Route(S.IMPLEMENTING, {S.IMPLEMENTING: S.FIXING_ISSUES, S.ADDRESSING_FEEDBACK: S.RUNNING_TESTS}),
    "BLOCKED": Route(S.INVESTIGATING),
    "ESCALATE_SENIOR": Route(None),
    "NEEDS_TECH_LEAD_VALIDATION": Route(S.RUNNING_TESTS),
    "SPAWN_INVESTIGATOR": Route(S.INVESTIGATING),
    "REQUIREMENT_GAP": Route(
        S.ANALYZING_REQUIREMENTS,
        {
            S.FIXING_ISSUES: S.WAITING_FOR_HUMAN_INPUT,
            S.REFACTORING: S.WAITING_FOR_HUMAN_INPUT,
            S.ADDRESSING_FEEDBACK: S.WAITING_FOR_HUMAN_INPUT,
        },
    ),
    "DIAGNOSTIC_DONE": Route(None),
}

ROUTES: Final[dict[Role, dict[str, Route]]] = {
    Role.PM: {
        "PROCEED": Route(S.ANALYZING_REQUIREMENTS, {S.BLOCKED: S.PLANNING_APPROACH}),
        "REJECT": Route(S.CLOSED),
        "NEEDS_APPROVAL": Route(S.WAITING_FOR_HUMAN_INPUT),
        "PLANNING_COMPLETE": Route(S.CREATING_TESTS),
        "CONTINUE": Route(
            None,
            {
                S.REQUIREMENTS_UNCLEAR: S.ANALYZING_REQUIREMENTS,
                S.REQUIREMENTS_CLARIFIED: S.ANALYZING_REQUIREMENTS,
                S.BLOCKED: S.INVESTIGATING,
            },
        ),
        "NEEDS_CLARIFICATION": Route(
            S.WAITING_FOR_HUMAN_INPUT,
            {
                S.REQUIREMENTS_UNCLEAR: S.WAITING_FOR_REQUIREMENTS_CLARIFICATION,
                S.REQUIREMENTS_CLARIFIED: S.REQUIREMENTS_UNCLEAR,
            },
        ),
        "REQUIREMENT_GAP": Route(S.ANALYZING_REQUIREMENTS),
        "INVESTIGATION_NEEDED": Route(S.INVESTIGATING, {S.REQUIREMENTS_CLARIFIED: S.PLANNING_APPROACH}),
        "EXTERNAL_DEPENDENCY": Route(S.BLOCKED),
        "NO_ACTION": Route(None, {S.REQUIREMENTS_CLARIFIED: S.REQUIREMENTS_UNCLEAR}),
    },
    Role.ANALYST: {
        "READY": Route(S.CREATING_TESTS),
        "UNCLEAR": Route(S.REQUIREMENTS_UNCLEAR),
        "BLOCKED": Route(S.BLOCKED),
    },
    Role.TESTER: {
        "TESTS_READY": Route(S.IMPLEMENTING),
        "TESTS_NEED_WORK": Route(S.UPDATING_TESTS, {S.UPDATING_TESTS: S.CREATING_TESTS}),
        "REQUIREMENT_GAP": Route(S.ANALYZING_REQUIREMENTS, {S.UPDATING_TESTS: S.CREATING_TESTS}),
        "PASS": Route(S.CREATING_PR),
        "FAIL": Route(S.FIXING_ISSUES),
        "FAIL_ESCALATE": Route(S.REVIEWING_CODE),
        "PARTIAL": Route(S.FIXING_ISSUES),
        "BLOCKED": Route(S.BLOCKED),
        "FLAKY": Route(None),
    },
    Role.DEVELOPER: _WRITERS,
    Role.SENIOR_DEVELOPER: {
        **_WRITERS,
        "ESCALATE_SENIOR": Route(S.REQUIRES_HUMAN_INTERVENTION),
        "ROOT_CAUSE_FOUND": Route(S.REVIEWING_CODE),
    },
    Role.TECH_LEAD: {
        "APPROVED": Route(S.CREATING_PR, _BACK_TO_CODE_REVIEW),
        "APPROVED_WITH_NOTES": Route(S.CREATING_PR, _BACK_TO_CODE_REVIEW),
        "CHANGES_REQUESTED": Route(S.FIXING_ISSUES, {S.REVIEWING_ARCHITECTURE: S.REFACTORING}),
        "REFACTOR": Route(S.REFACTORING, {S.REVIEWING_INTEGRATION: S.FIXING_ISSUES}),
        "TESTS_NEED_WORK": Route(S.UPDATING_TESTS, _BACK_TO_CODE_REVIEW),
        "REQUIREMENT_GAP": Route(S.ANALYZING_REQUIREMENTS),
        "NEEDS_INFO": Route(S.WAITING_FOR_HUMAN_INPUT),
        "SPAWN_INVESTIGATOR": Route(S.INVESTIGATING),
        "ESCALATE": Route(S.INVESTIGATING),
        "UNBLOCKING_GUIDANCE": Route(S.FIXING_ISSUES, {S.REVIEWING_ARCHITECTURE: S.REFACTORING}),
        "ARCHITECTURE_REVIEW": Route(S.REVIEWING_ARCHITECTURE, _BACK_TO_CODE_REVIEW),
        "INTEGRATION_REVIEW": Route(S.REVIEWING_INTEGRATION, _BACK_TO_CODE_REVIEW),
    },
    Role.INVESTIGATOR: {
        "ROOT_CAUSE_FOUND": Route(S.REVIEWING_CODE),
        "NEED_DEVELOPER_DIAGNOSTIC": Route(None),
        "HYPOTHESIS_ELIMINATED": Route(None),
        "NEED_MORE_ANALYSIS": Route(None),
        "BLOCKED": Route(S.BLOCKED),
        "EXHAUSTED": Route(S.BLOCKED),
        "INVESTIGATION_INCOMPLETE": Route(S.REVIEWING_CODE),
    },
}


CAUSE_ROUTES: Final[dict[str, Route]] = {
    "APPROVED": Route(S.CREATING_TESTS),
    "CHANGES_REQUESTED": Route(S.INVESTIGATING),
    "UNBLOCKING_GUIDANCE": Route(S.PLANNING_APPROACH),
    "NEEDS_INFO": Route(S.WAITING_FOR_HUMAN_INPUT),
}
"""Rows for the tech lead's review of a cause, where the same statuses lead elsewhere."""


def routed(role: Role, status: str, state: IssueState, task: Task | None = None) -> IssueState | None:
    """The state to enter; the current one if the case stays or resumes. Null: there is no such row, or no such edge."""
    rows = CAUSE_ROUTES if task is Task.VALIDATE_ROOT_CAUSE else ROUTES.get(role, {})
    route = rows.get(canonical(role, status))
    if route is None:
        return None
    to = route.from_state(state)
    if to is None or to is state:
        return state
    return to if to in next_states(state) else None


def turns_of(role: Role) -> list[tuple[IssueState, Task]]:
    """Every turn of this role that is routed by its rows, with the state it has it in."""
    own = Role.DEVELOPER if role in WRITERS else role
    return [*((state, task) for state, (who, task) in TURN_OF.items() if who is own), *_ALSO.get(role, ())]


def works_in(role: Role) -> list[IssueState]:
    """Every state in which this role may have a turn."""
    found = {state for state, _ in turns_of(role)}
    return [state for state in IssueState if state in found]


def occurs_in(role: Role, status: str) -> list[IssueState]:
    """The states in which a turn of this role can end with this status."""
    found = {state for state, task in turns_of(role) if status in statuses_of(role, task)}
    return [state for state in IssueState if state in found]


def check_routing() -> None:
    """Checks, when a worker starts, that every end of a turn has a row along an edge, and that every row can occur."""
    for role, rows in ROUTES.items():
        for state, task in turns_of(role):
            for status in statuses_of(role, task):
                if routed(role, status, state) is None:
                    raise Defect(f"the routing table has no legal row for {role} {status} in {state}")
        for status, route in rows.items():
            states = occurs_in(role, status)
            if not states or not set(route.instead) <= set(states):
                raise Defect(f"the routing table has a row for {role} {status} that can't occur")
    for status in statuses_of(Role.TECH_LEAD, Task.VALIDATE_ROOT_CAUSE):
        if routed(Role.TECH_LEAD, status, S.REVIEWING_CODE, Task.VALIDATE_ROOT_CAUSE) is None:
            raise Defect(f"the routing table has no legal row for a cause that is {status}")
    for role, names in ALIASES.items():
        if missing := [name for name in names.values() if name not in ROUTES[role]]:
            raise Defect(f"the routing table has an alias of {role} for {missing[0]}, which has no row")
