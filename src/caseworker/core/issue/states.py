"""The states of an issue case, the edges between them, and who works in each. Data only."""

from enum import StrEnum
from typing import Final

from caseworker.core.base.roles import Role


class IssueState(StrEnum):
    RECEIVED = "received"
    ANALYZING_REQUIREMENTS = "analyzing_requirements"
    REQUIREMENTS_UNCLEAR = "requirements_unclear"
    WAITING_FOR_REQUIREMENTS_CLARIFICATION = "waiting_for_requirements_clarification"
    REQUIREMENTS_CLARIFIED = "requirements_clarified"
    PLANNING_APPROACH = "planning_approach"
    CREATING_TESTS = "creating_tests"
    UPDATING_TESTS = "updating_tests"
    RUNNING_TESTS = "running_tests"
    IMPLEMENTING = "implementing"
    FIXING_ISSUES = "fixing_issues"
    REFACTORING = "refactoring"
    REVIEWING_CODE = "reviewing_code"
    REVIEWING_ARCHITECTURE = "reviewing_architecture"
    REVIEWING_INTEGRATION = "reviewing_integration"
    INVESTIGATING = "investigating"
    VALIDATING_SOLUTION = "validating_solution"
    ADDRESSING_FEEDBACK = "addressing_feedback"
    CREATING_PR = "creating_pr"
    WAITING_FOR_HUMAN_INPUT = "waiting_for_human_input"
    HUMAN_INPUT_RECEIVED = "human_input_received"
    BLOCKED = "blocked"
    REQUIRES_HUMAN_INTERVENTION = "requires_human_intervention"
    COMPLETED = "completed"
    FAILED = "failed"
    CLOSED = "closed"


S = IssueState

TERMINAL: Final = frozenset({S.COMPLETED, S.FAILED, S.CLOSED})
PARKED: Final = frozenset({S.BLOCKED, S.REQUIRES_HUMAN_INTERVENTION})
WAITING: Final = frozenset({S.WAITING_FOR_REQUIREMENTS_CLARIFICATION, S.WAITING_FOR_HUMAN_INPUT})
WORKING: Final = frozenset(IssueState) - TERMINAL - PARKED - WAITING

WORKER: Final[dict[IssueState, Role | None]] = {
    S.RECEIVED: Role.PM,
    S.ANALYZING_REQUIREMENTS: Role.ANALYST,
    S.REQUIREMENTS_UNCLEAR: Role.PM,
    S.REQUIREMENTS_CLARIFIED: Role.PM,
    S.PLANNING_APPROACH: Role.PM,
    S.CREATING_TESTS: Role.TESTER,
    S.UPDATING_TESTS: Role.TESTER,
    S.RUNNING_TESTS: None,  # code runs them; the tester judges a red build
    S.IMPLEMENTING: Role.DEVELOPER,
    S.FIXING_ISSUES: Role.DEVELOPER,
    S.REFACTORING: Role.DEVELOPER,
    S.ADDRESSING_FEEDBACK: Role.DEVELOPER,
    S.REVIEWING_CODE: Role.TECH_LEAD,
    S.REVIEWING_ARCHITECTURE: Role.TECH_LEAD,
    S.REVIEWING_INTEGRATION: Role.TECH_LEAD,
    S.INVESTIGATING: Role.INVESTIGATOR,
    S.VALIDATING_SOLUTION: Role.TESTER,
    S.CREATING_PR: None,  # code, from the case file
    S.HUMAN_INPUT_RECEIVED: Role.PM,
}

_OWN_EDGES: Final[dict[IssueState, frozenset[IssueState]]] = {
    S.RECEIVED: frozenset({S.ANALYZING_REQUIREMENTS, S.CREATING_TESTS}),
    S.ANALYZING_REQUIREMENTS: frozenset(
        {S.REQUIREMENTS_UNCLEAR, S.PLANNING_APPROACH, S.CREATING_TESTS, S.IMPLEMENTING}
    ),
    S.REQUIREMENTS_UNCLEAR: frozenset({S.WAITING_FOR_REQUIREMENTS_CLARIFICATION, S.ANALYZING_REQUIREMENTS}),
    S.WAITING_FOR_REQUIREMENTS_CLARIFICATION: frozenset({S.REQUIREMENTS_CLARIFIED, S.BLOCKED}),
    S.REQUIREMENTS_CLARIFIED: frozenset(
        {
            S.CREATING_TESTS,
            S.ANALYZING_REQUIREMENTS,
            S.PLANNING_APPROACH,
            S.IMPLEMENTING,
            S.REQUIREMENTS_UNCLEAR,
        }
    ),
    S.PLANNING_APPROACH: frozenset({S.CREATING_TESTS, S.IMPLEMENTING, S.ANALYZING_REQUIREMENTS, S.INVESTIGATING}),
    S.CREATING_TESTS: frozenset({S.IMPLEMENTING, S.UPDATING_TESTS, S.ANALYZING_REQUIREMENTS}),
    S.UPDATING_TESTS: frozenset({S.IMPLEMENTING, S.CREATING_TESTS, S.RUNNING_TESTS}),
    S.RUNNING_TESTS: frozenset(
        {
            S.IMPLEMENTING,
            S.FIXING_ISSUES,
            S.UPDATING_TESTS,
            S.REVIEWING_CODE,
            S.VALIDATING_SOLUTION,
            S.CREATING_PR,
        }
    ),
    S.IMPLEMENTING: frozenset(
        {S.RUNNING_TESTS, S.CREATING_PR, S.FIXING_ISSUES, S.ANALYZING_REQUIREMENTS, S.INVESTIGATING}
    ),
    S.FIXING_ISSUES: frozenset({S.RUNNING_TESTS, S.CREATING_PR, S.IMPLEMENTING, S.REFACTORING, S.INVESTIGATING}),
    S.REFACTORING: frozenset({S.RUNNING_TESTS, S.CREATING_PR, S.IMPLEMENTING, S.INVESTIGATING}),
    S.REVIEWING_CODE: frozenset(
        {
            S.CREATING_PR,
            S.VALIDATING_SOLUTION,
            S.FIXING_ISSUES,
            S.REFACTORING,
            S.UPDATING_TESTS,
            S.CREATING_TESTS,
            S.IMPLEMENTING,
            S.PLANNING_APPROACH,
            S.ANALYZING_REQUIREMENTS,
            S.REVIEWING_ARCHITECTURE,
            S.REVIEWING_INTEGRATION,
            S.INVESTIGATING,
        }
    ),
    S.REVIEWING_ARCHITECTURE: frozenset(
        {S.CREATING_PR, S.REFACTORING, S.ANALYZING_REQUIREMENTS, S.REVIEWING_CODE, S.INVESTIGATING}
    ),
    S.REVIEWING_INTEGRATION: frozenset(
        {S.CREATING_PR, S.FIXING_ISSUES, S.ANALYZING_REQUIREMENTS, S.REVIEWING_CODE, S.INVESTIGATING}
    ),
    S.INVESTIGATING: frozenset({S.REVIEWING_CODE, S.BLOCKED}),
    S.VALIDATING_SOLUTION: frozenset({S.CREATING_PR, S.FIXING_ISSUES, S.UPDATING_TESTS, S.REVIEWING_CODE}),
    S.ADDRESSING_FEEDBACK: frozenset({S.RUNNING_TESTS, S.CREATING_PR, S.UPDATING_TESTS, S.INVESTIGATING}),
    S.CREATING_PR: frozenset({S.WAITING_FOR_HUMAN_INPUT, S.RUNNING_TESTS, S.FIXING_ISSUES}),
    S.WAITING_FOR_HUMAN_INPUT: frozenset({S.HUMAN_INPUT_RECEIVED, S.BLOCKED}),
    S.HUMAN_INPUT_RECEIVED: WORKING - {S.HUMAN_INPUT_RECEIVED},
    S.BLOCKED: frozenset(
        {
            S.HUMAN_INPUT_RECEIVED,
            S.REQUIREMENTS_CLARIFIED,
            S.ANALYZING_REQUIREMENTS,
            S.PLANNING_APPROACH,
            S.CREATING_TESTS,
            S.IMPLEMENTING,
            S.INVESTIGATING,
            S.WAITING_FOR_HUMAN_INPUT,
            S.REQUIRES_HUMAN_INTERVENTION,
        }
    ),
    S.REQUIRES_HUMAN_INTERVENTION: frozenset({S.HUMAN_INPUT_RECEIVED}),
}

_FROM_EVERY_WORKING_STATE: Final = frozenset(
    {S.WAITING_FOR_HUMAN_INPUT, S.HUMAN_INPUT_RECEIVED, S.BLOCKED, S.REQUIRES_HUMAN_INTERVENTION}
)


def own_edges(state: IssueState) -> frozenset[IssueState]:
    """Without those that all working, or all open, states have in common."""
    return _OWN_EDGES.get(state, frozenset())


def next_states(state: IssueState) -> frozenset[IssueState]:
    """Every state that the table allows after this one. Reopening is not an edge: it is a new epoch."""
    if state in TERMINAL:
        return frozenset()
    edges = _OWN_EDGES[state] | TERMINAL
    if state in WORKING:
        edges |= _FROM_EVERY_WORKING_STATE
    return edges - {state}
