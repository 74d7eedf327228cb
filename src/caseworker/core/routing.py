"""Where a case goes after a turn: one row for every role and status, as data. Guards may hold it back; nothing else
routes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from caseworker.core.states import IssueState, Role, next_states

S = IssueState
VERSION: Final = 1


@dataclass(frozen=True)
class Route:
    """`to` is null where the case stays, or goes on where it was left: the guard knows which. `instead`: other rows for
    states from which the table does not allow `to`."""

    to: IssueState | None
    instead: Mapping[IssueState, IssueState] = field(default_factory=dict)

    def from_state(self, state: IssueState) -> IssueState | None:
        return self.instead.get(state, self.to)


_REVIEWS: Final = {S.REVIEWING_ARCHITECTURE: S.REVIEWING_CODE, S.REVIEWING_INTEGRATION: S.REVIEWING_CODE}
_WRITERS: Final[dict[str, Route]] = {
    "READY_FOR_QA": Route(S.RUNNING_TESTS),
    "READY_FOR_REVIEW": Route(S.RUNNING_TESTS),
    "PARTIAL": Route(S.IMPLEMENTING, {S.IMPLEMENTING: S.FIXING_ISSUES, S.ADDRESSING_FEEDBACK: S.RUNNING_TESTS}),
    "BLOCKED": Route(S.BLOCKED),
    "ESCALATE_SENIOR": Route(None),
    "NEEDS_TECH_LEAD_VALIDATION": Route(S.RUNNING_TESTS),
    "SPAWN_INVESTIGATOR": Route(S.INVESTIGATING),
}

ROUTES: Final[dict[Role, dict[str, Route]]] = {
    Role.PM: {
        "PROCEED": Route(S.ANALYZING_REQUIREMENTS),
        "REJECT": Route(S.CLOSED),
        "NEEDS_APPROVAL": Route(S.WAITING_FOR_HUMAN_INPUT),
        "PLANNING_COMPLETE": Route(S.CREATING_TESTS, {S.REQUIREMENTS_UNCLEAR: S.ANALYZING_REQUIREMENTS}),
        "CONTINUE": Route(None),
        "NEEDS_CLARIFICATION": Route(
            S.WAITING_FOR_HUMAN_INPUT,
            {
                S.REQUIREMENTS_UNCLEAR: S.WAITING_FOR_REQUIREMENTS_CLARIFICATION,
                S.REQUIREMENTS_CLARIFIED: S.REQUIREMENTS_UNCLEAR,
            },
        ),
        "INVESTIGATION_NEEDED": Route(
            S.INVESTIGATING,
            {
                S.RECEIVED: S.ANALYZING_REQUIREMENTS,
                S.REQUIREMENTS_UNCLEAR: S.ANALYZING_REQUIREMENTS,
                S.REQUIREMENTS_CLARIFIED: S.PLANNING_APPROACH,
            },
        ),
        "EXTERNAL_DEPENDENCY": Route(S.BLOCKED),
        "NO_ACTION": Route(None),
        "READY": Route(None),
        "BLOCKED": Route(S.BLOCKED),
    },
    Role.ANALYST: {
        "READY": Route(S.CREATING_TESTS),
        "UNCLEAR": Route(S.REQUIREMENTS_UNCLEAR),
        "BLOCKED": Route(S.BLOCKED),
    },
    Role.TESTER: {
        "TESTS_READY": Route(S.IMPLEMENTING, {S.VALIDATING_SOLUTION: S.REVIEWING_CODE}),
        "TESTS_NEED_WORK": Route(S.UPDATING_TESTS, {S.UPDATING_TESTS: S.CREATING_TESTS}),
        "REQUIREMENT_GAP": Route(
            S.ANALYZING_REQUIREMENTS,
            {
                S.UPDATING_TESTS: S.CREATING_TESTS,
                S.RUNNING_TESTS: S.REVIEWING_CODE,
                S.VALIDATING_SOLUTION: S.REVIEWING_CODE,
            },
        ),
        "PASS": Route(S.CREATING_PR, {S.CREATING_TESTS: S.IMPLEMENTING, S.UPDATING_TESTS: S.RUNNING_TESTS}),
        "FAIL": Route(S.FIXING_ISSUES, {S.CREATING_TESTS: S.UPDATING_TESTS, S.UPDATING_TESTS: S.CREATING_TESTS}),
        "FAIL_ESCALATE": Route(
            S.REVIEWING_CODE, {S.CREATING_TESTS: S.ANALYZING_REQUIREMENTS, S.UPDATING_TESTS: S.RUNNING_TESTS}
        ),
        "PARTIAL": Route(S.FIXING_ISSUES, {S.CREATING_TESTS: S.UPDATING_TESTS, S.UPDATING_TESTS: S.CREATING_TESTS}),
        "BLOCKED": Route(S.BLOCKED),
        "FLAKY": Route(None),
    },
    Role.DEVELOPER: _WRITERS,
    Role.SENIOR_DEVELOPER: _WRITERS,
    Role.TECH_LEAD: {
        "APPROVED": Route(S.CREATING_PR),
        "APPROVED_WITH_NOTES": Route(S.CREATING_PR),
        "CHANGES_REQUESTED": Route(S.FIXING_ISSUES, {S.REVIEWING_ARCHITECTURE: S.REFACTORING}),
        "NEEDS_INFO": Route(S.WAITING_FOR_HUMAN_INPUT),
        "SPAWN_INVESTIGATOR": Route(S.INVESTIGATING),
        "ESCALATE": Route(S.INVESTIGATING),
        "UNBLOCKING_GUIDANCE": Route(S.FIXING_ISSUES, {S.REVIEWING_ARCHITECTURE: S.REFACTORING}),
        "ARCHITECTURE_REVIEW": Route(S.REVIEWING_ARCHITECTURE, _REVIEWS),
        "INTEGRATION_REVIEW": Route(S.REVIEWING_INTEGRATION, _REVIEWS),
    },
}


def routed(role: Role, status: str, state: IssueState) -> IssueState | None:
    """The state that the row names, from here; the state itself where the case stays or resumes. Null: there is no
    such row, or the table does not allow it."""
    route = ROUTES.get(role, {}).get(status)
    if route is None:
        return None
    to = route.from_state(state)
    if to is None:
        return state
    return to if to in next_states(state) else None
