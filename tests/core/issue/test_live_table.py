"""The tables of states and routes are live: every edge and every row is taken by some reachable case, and no other."""

from caseworker.core.issue.routing import CAUSE_ROUTES, ROUTES, occurs_in
from caseworker.core.issue.states import IssueState, next_states
from tests.core.issue.exploration import POLICIES, Exploration, explore


def permitted() -> Exploration:
    edges = {(state, after) for state in IssueState for after in next_states(state)}
    rows = {(role, name, state) for role, rows in ROUTES.items() for name in rows for state in occurs_in(role, name)}
    return Exploration(edges=edges, rows=rows, causes=set(CAUSE_ROUTES))


def test_every_edge_and_every_row_of_the_tables_is_taken_by_some_rule() -> None:
    table = permitted()
    found = explore(POLICIES, until=table, most=1_500)
    assert {f"{before} -> {after}" for before, after in table.edges - found.edges} == set()
    assert {f"{role} {status} in {state}" for role, status, state in table.rows - found.rows} == set()
    assert table.causes == found.causes
    assert found.edges <= table.edges
