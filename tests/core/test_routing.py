"""The routing table: a legal row for every status of every role, from every state where that role works."""

import pytest

from caseworker.core.outcomes import Task, known_turns, outcome_schema
from caseworker.core.routing import ROUTES, routed
from caseworker.core.states import IssueState, Role, next_states
from caseworker.core.turn_taking import TURN_OF

S = IssueState
WORKS_IN: dict[Role, list[IssueState]] = {
    role: [state for state, (who, _) in TURN_OF.items() if who is role] for role in Role
}
WORKS_IN[Role.SENIOR_DEVELOPER] = WORKS_IN[Role.DEVELOPER]
WORKS_IN[Role.TESTER] = [*WORKS_IN[Role.TESTER], S.RUNNING_TESTS]  # where it judges a red build


def statuses(role: Role, task: Task) -> list[str]:
    properties = outcome_schema(role, task)["properties"]
    assert isinstance(properties, dict)
    found = properties["status"]["enum"]
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize(("role", "task"), [turn for turn in known_turns() if turn[1] not in (Task.BUG, Task.ANSWER)])
def test_every_status_that_a_turn_can_end_with_has_a_row(role: Role, task: Task) -> None:
    assert set(statuses(role, task)) <= set(ROUTES[role])


@pytest.mark.parametrize("role", list(ROUTES))
def test_every_row_is_an_edge_of_the_table_from_every_state_where_the_role_works(role: Role) -> None:
    for status in ROUTES[role]:
        for state in WORKS_IN[role]:
            to = routed(role, status, state)
            assert to is not None, (role, status, state)
            assert to is state or to in next_states(state)


def test_what_no_row_knows_is_nowhere() -> None:
    assert routed(Role.PM, "SHRUG", S.RECEIVED) is None
    assert routed(Role.INVESTIGATOR, "READY", S.INVESTIGATING) is None
