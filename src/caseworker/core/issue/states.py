"""The states of an issue case: one row per state with its kind, edges, turn and texts. Data only."""

from enum import StrEnum
from typing import Final

from caseworker.core.base.roles import Role, Task
from caseworker.core.issue.state_row import Drawn, StateKind, StateRow


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
_WORKING: Final = frozenset(IssueState) - {
    S.WAITING_FOR_REQUIREMENTS_CLARIFICATION,
    S.WAITING_FOR_HUMAN_INPUT,
    S.BLOCKED,
    S.REQUIRES_HUMAN_INTERVENTION,
    S.COMPLETED,
    S.FAILED,
    S.CLOSED,
}


def _to(*states: IssueState) -> frozenset[IssueState]:
    return frozenset(states)


ROWS: Final[dict[IssueState, StateRow[IssueState]]] = {
    S.RECEIVED: StateRow(
        drawn=Drawn("received", 0, 0),
        turn=(Role.PM, Task.TRIAGE),
        edges=_to(S.ANALYZING_REQUIREMENTS, S.CREATING_TESTS),
        does="reads the issue and says whether, and with whose agreement, it is worked on",
        then="What is worth doing goes to the analyst; what only a person may decide is asked first.",
    ),
    S.ANALYZING_REQUIREMENTS: StateRow(
        drawn=Drawn("analysis", 0, 1),
        turn=(Role.ANALYST, Task.ANALYZE),
        edges=_to(S.REQUIREMENTS_UNCLEAR, S.PLANNING_APPROACH, S.CREATING_TESTS, S.IMPLEMENTING, S.BLOCKED),
        does="works out what exactly is asked for, and where in the code it belongs",
        then="Clear requirements lead to a plan or a test; unclear ones to questions to people.",
    ),
    S.REQUIREMENTS_UNCLEAR: StateRow(
        drawn=Drawn("unclear", 0, 2),
        turn=(Role.PM, Task.QUESTIONS),
        edges=_to(S.ANALYZING_REQUIREMENTS, S.WAITING_FOR_REQUIREMENTS_CLARIFICATION, S.BLOCKED),
        does="looks for what is unclear, and writes it down as questions to people",
        then="People get one message with numbered questions, and the case waits for answers.",
    ),
    S.WAITING_FOR_REQUIREMENTS_CLARIFICATION: StateRow(
        drawn=Drawn("waits: answers", 1, 2),
        kind=StateKind.WAITING,
        edges=_to(S.REQUIREMENTS_CLARIFIED, S.BLOCKED),
    ),
    S.REQUIREMENTS_CLARIFIED: StateRow(
        drawn=Drawn("clarified", 0, 3),
        turn=(Role.PM, Task.INTERPRET),
        edges=_to(
            S.ANALYZING_REQUIREMENTS,
            S.REQUIREMENTS_UNCLEAR,
            S.PLANNING_APPROACH,
            S.CREATING_TESTS,
            S.IMPLEMENTING,
            S.BLOCKED,
        ),
        does="makes sense of what people have answered",
        then="It goes on with the answer, asks for the rest, or waits for a person to look at it.",
    ),
    S.PLANNING_APPROACH: StateRow(
        drawn=Drawn("plan", 1, 0),
        turn=(Role.PM, Task.PLAN),
        edges=_to(S.ANALYZING_REQUIREMENTS, S.CREATING_TESTS, S.IMPLEMENTING, S.INVESTIGATING, S.BLOCKED),
        does="plans how to go about it",
        then="A test comes next; where the plan needs an approval, that comes first.",
    ),
    S.CREATING_TESTS: StateRow(
        drawn=Drawn("write test", 2, 0),
        turn=(Role.TESTER, Task.CREATE_TESTS),
        edges=_to(S.ANALYZING_REQUIREMENTS, S.UPDATING_TESTS, S.IMPLEMENTING, S.BLOCKED),
        does="writes a test of what was asked for",
        then="Code runs the new test. For a bug it has to fail before anything is repaired.",
    ),
    S.UPDATING_TESTS: StateRow(
        drawn=Drawn("change test", 2, 1),
        turn=(Role.TESTER, Task.UPDATE_TESTS),
        edges=_to(S.CREATING_TESTS, S.RUNNING_TESTS, S.IMPLEMENTING, S.BLOCKED),
        does="corrects the test",
        then="Code runs the test again.",
    ),
    S.RUNNING_TESTS: StateRow(
        drawn=Drawn("run tests", 2, 2),
        edges=_to(S.UPDATING_TESTS, S.FIXING_ISSUES, S.REVIEWING_CODE, S.BLOCKED),
        agent="build",
        does="Code builds and tests the change; no agent works.",
        then="Green goes to the review; red to the tester, who says what has to be repaired.",
    ),
    S.IMPLEMENTING: StateRow(
        drawn=Drawn("implementing", 3, 0),
        turn=(Role.DEVELOPER, Task.IMPLEMENT),
        edges=_to(S.ANALYZING_REQUIREMENTS, S.RUNNING_TESTS, S.FIXING_ISSUES, S.INVESTIGATING),
        does="writes the change",
        then="Code builds and tests the commit.",
    ),
    S.FIXING_ISSUES: StateRow(
        drawn=Drawn("fix", 3, 1),
        turn=(Role.DEVELOPER, Task.FIX),
        edges=_to(S.RUNNING_TESTS, S.IMPLEMENTING, S.REFACTORING, S.INVESTIGATING),
        does="repairs what the build or the review has found",
        then="Code builds and tests the commit.",
    ),
    S.REFACTORING: StateRow(
        drawn=Drawn("refactoring", 3, 2),
        turn=(Role.DEVELOPER, Task.REFACTOR),
        edges=_to(S.RUNNING_TESTS, S.IMPLEMENTING, S.INVESTIGATING),
        does="reworks the change as the tech lead has asked",
        then="Code builds and tests the commit.",
    ),
    S.REVIEWING_CODE: StateRow(
        drawn=Drawn("review", 4, 0),
        needs_green=True,
        turn=(Role.TECH_LEAD, Task.REVIEW),
        edges=_to(
            S.ANALYZING_REQUIREMENTS,
            S.PLANNING_APPROACH,
            S.CREATING_TESTS,
            S.UPDATING_TESTS,
            S.IMPLEMENTING,
            S.FIXING_ISSUES,
            S.REFACTORING,
            S.REVIEWING_ARCHITECTURE,
            S.REVIEWING_INTEGRATION,
            S.INVESTIGATING,
            S.VALIDATING_SOLUTION,
            S.CREATING_PR,
        ),
        does="reviews the change",
        then="An approved commit with a green build is delivered; anything else is repaired first.",
    ),
    S.REVIEWING_ARCHITECTURE: StateRow(
        drawn=Drawn("architecture", 4, 1),
        needs_green=True,
        turn=(Role.TECH_LEAD, Task.REVIEW_ARCHITECTURE),
        edges=_to(S.ANALYZING_REQUIREMENTS, S.REFACTORING, S.REVIEWING_CODE, S.INVESTIGATING),
        does="looks at what the change does to the architecture",
        then="What is sound goes back to the review; to change the architecture, a person is asked.",
    ),
    S.REVIEWING_INTEGRATION: StateRow(
        drawn=Drawn("integration", 4, 2),
        needs_green=True,
        turn=(Role.TECH_LEAD, Task.REVIEW_INTEGRATION),
        edges=_to(S.ANALYZING_REQUIREMENTS, S.FIXING_ISSUES, S.REVIEWING_CODE, S.INVESTIGATING),
        does="looks at how the change fits the parts around it",
        then="What is sound goes back to the review; what is not is repaired.",
    ),
    S.INVESTIGATING: StateRow(
        drawn=Drawn("investigating", 1, 1),
        turn=(Role.INVESTIGATOR, Task.ITERATE),
        edges=_to(S.REVIEWING_CODE, S.BLOCKED),
        does="looks for the cause",
        then="A cause goes to the tech lead, what is stuck to the pm, anything else to the next iteration.",
    ),
    S.VALIDATING_SOLUTION: StateRow(
        drawn=Drawn("validate", 4, 3),
        needs_green=True,
        turn=(Role.TESTER, Task.VALIDATE),
        edges=_to(S.UPDATING_TESTS, S.FIXING_ISSUES, S.REVIEWING_CODE, S.CREATING_PR, S.BLOCKED),
        does="checks the change against everything that was asked for and everything that was forbidden",
        then="If everything is there, it is delivered; if not, it is repaired.",
    ),
    S.ADDRESSING_FEEDBACK: StateRow(
        drawn=Drawn("feedback", 3, 3),
        turn=(Role.DEVELOPER, Task.ADDRESS_FEEDBACK),
        edges=_to(S.RUNNING_TESTS, S.INVESTIGATING),
        does="works on what people said of the delivered change",
        then="It is built and reviewed, and the commit joins the same branch; people get their answers.",
    ),
    S.CREATING_PR: StateRow(
        drawn=Drawn("deliver", 5, 0),
        needs_green=True,
        edges=_to(S.RUNNING_TESTS, S.FIXING_ISSUES, S.WAITING_FOR_HUMAN_INPUT),
        agent="committer",
        does="Code pushes the branch for a person to merge; no agent works.",
        then="It waits for the forge's checks, if there are any, and then for a person to merge.",
    ),
    S.WAITING_FOR_HUMAN_INPUT: StateRow(
        drawn=Drawn("waits: a person", 2, 3),
        kind=StateKind.WAITING,
        edges=_to(S.HUMAN_INPUT_RECEIVED, S.FIXING_ISSUES, S.BLOCKED),
    ),
    S.HUMAN_INPUT_RECEIVED: StateRow(
        drawn=Drawn("read answer", 1, 3),
        turn=(Role.PM, Task.INTERPRET),
        edges=(_WORKING - {S.HUMAN_INPUT_RECEIVED}) | {S.BLOCKED},
        does="makes sense of what people have said",
        then="It goes on where it was left or where people want it, or back to what it waited for.",
    ),
    S.BLOCKED: StateRow(
        drawn=Drawn("blocked", 5, 2),
        kind=StateKind.PARKED,
        edges=_to(
            S.REQUIREMENTS_CLARIFIED,
            S.PLANNING_APPROACH,
            S.INVESTIGATING,
            S.WAITING_FOR_HUMAN_INPUT,
            S.HUMAN_INPUT_RECEIVED,
            S.REQUIRES_HUMAN_INTERVENTION,
            S.FAILED,
        ),
    ),
    S.REQUIRES_HUMAN_INTERVENTION: StateRow(
        drawn=Drawn("needs a person", 5, 3),
        kind=StateKind.PARKED,
        edges=_to(S.HUMAN_INPUT_RECEIVED),
    ),
    S.COMPLETED: StateRow(kind=StateKind.TERMINAL, drawn=Drawn("completed", 5, 1)),
    S.FAILED: StateRow(kind=StateKind.TERMINAL, drawn=Drawn("failed", 6, 2)),
    S.CLOSED: StateRow(kind=StateKind.TERMINAL, drawn=Drawn("closed", 6, 3)),
}


def _of(kind: StateKind) -> frozenset[IssueState]:
    return frozenset(state for state, row in ROWS.items() if row.kind is kind)


TERMINAL: Final = _of(StateKind.TERMINAL)
PARKED: Final = _of(StateKind.PARKED)
WAITING: Final = _of(StateKind.WAITING)
WORKING: Final = _of(StateKind.WORKING)
_FROM_EVERY_OPEN_STATE: Final = frozenset({S.COMPLETED, S.CLOSED})
_FROM_EVERY_WORKING_STATE: Final = frozenset({S.WAITING_FOR_HUMAN_INPUT, S.REQUIRES_HUMAN_INTERVENTION, S.FAILED})


def own_edges(state: IssueState) -> frozenset[IssueState]:
    """The state's edges, without those that all working or all open states have."""
    return ROWS[state].edges


def next_states(state: IssueState) -> frozenset[IssueState]:
    """All states that may follow this one. Reopening is no edge, but a new epoch."""
    if state in TERMINAL:
        return frozenset()
    edges = ROWS[state].edges | _FROM_EVERY_OPEN_STATE
    if state in WORKING:
        edges |= _FROM_EVERY_WORKING_STATE
    return edges - {state}
