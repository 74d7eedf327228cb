"""The routing table has a valid row for every status of every role, in every state where the role works."""

from pathlib import Path

import pytest
from scripts.pages.routing import RENEW, routing_page

from caseworker.core.base.errors import Defect
from caseworker.core.base.ids import SessionId
from caseworker.core.base.policy import Policy
from caseworker.core.base.roles import Role, Task
from caseworker.core.issue import routing
from caseworker.core.issue.decide import decide
from caseworker.core.issue.facts import TurnEnded
from caseworker.core.issue.routing import ROUTES, Route, check_routing, occurs_in, routed, works_in
from caseworker.core.issue.states import WORKING, IssueState, next_states
from caseworker.core.issue.turns import TURN_OF
from caseworker.core.issue.usual_moves import unknown
from caseworker.core.outcomes.outcome import known_turns, parse_outcome, statuses_of
from caseworker.core.outcomes.status_names import ALIASES, canonical
from tests.core.examples import HEAD, a_case, implemented, reviewed
from tests.core.investigation_examples import iterated
from tests.core.pull_tasks import PULL_TASKS

S = IssueState
UNROUTED = {Task.BUG, Task.ANSWER, *PULL_TASKS}
PAGE = Path(__file__).parents[3] / "docs" / "routing.md"

IN_THE_SPEC = {
    Role.PM: "PROCEED, REJECT, NEEDS_APPROVAL, PLANNING_COMPLETE, CONTINUE, NEEDS_CLARIFICATION, INVESTIGATION_NEEDED, "
    "EXTERNAL_DEPENDENCY, NO_ACTION",
    Role.ANALYST: "READY, UNCLEAR, BLOCKED",
    Role.TESTER: "TESTS_READY, TESTS_NEED_WORK, REQUIREMENT_GAP, PASS, FAIL, FAIL_ESCALATE, PARTIAL, BLOCKED, FLAKY",
    Role.DEVELOPER: "READY_FOR_QA, READY_FOR_REVIEW, PARTIAL, BLOCKED, ESCALATE_SENIOR, NEEDS_TECH_LEAD_VALIDATION, "
    "SPAWN_INVESTIGATOR, DIAGNOSTIC_DONE",
    Role.SENIOR_DEVELOPER: "READY_FOR_QA, READY_FOR_REVIEW, PARTIAL, BLOCKED, ESCALATE_SENIOR, "
    "NEEDS_TECH_LEAD_VALIDATION, SPAWN_INVESTIGATOR, DIAGNOSTIC_DONE, ROOT_CAUSE_FOUND",
    Role.TECH_LEAD: "APPROVED, APPROVED_WITH_NOTES, CHANGES_REQUESTED, NEEDS_INFO, SPAWN_INVESTIGATOR, ESCALATE, "
    "UNBLOCKING_GUIDANCE, ARCHITECTURE_REVIEW, INTEGRATION_REVIEW",
    Role.INVESTIGATOR: "ROOT_CAUSE_FOUND, NEED_DEVELOPER_DIAGNOSTIC, HYPOTHESIS_ELIMINATED, NEED_MORE_ANALYSIS, "
    "BLOCKED, EXHAUSTED, INVESTIGATION_INCOMPLETE",
}
BESIDES_THE_SPEC = {
    Role.PM: {"REQUIREMENT_GAP"},
    Role.DEVELOPER: {"REQUIREMENT_GAP"},
    Role.SENIOR_DEVELOPER: {"REQUIREMENT_GAP"},
    Role.TECH_LEAD: {"REFACTOR", "TESTS_NEED_WORK", "REQUIREMENT_GAP"},
}
"""Statuses for edges that no status of the spec takes."""


@pytest.mark.parametrize(("role", "task"), [turn for turn in known_turns() if turn[1] not in UNROUTED])
def test_every_status_that_a_turn_can_end_with_has_a_row(role: Role, task: Task) -> None:
    assert set(statuses_of(role, task)) <= set(ROUTES[role])


@pytest.mark.parametrize("role", Role)
def test_the_routing_table_has_the_statuses_of_the_spec(role: Role) -> None:
    assert set(ROUTES[role]) - BESIDES_THE_SPEC.get(role, set()) == set(IN_THE_SPEC[role].split(", "))


@pytest.mark.parametrize("role", list(ROUTES))
def test_every_row_occurs_and_follows_an_edge_wherever_it_does(role: Role) -> None:
    for status in ROUTES[role]:
        assert occurs_in(role, status), (role, status)
        for state in occurs_in(role, status):
            to = routed(role, status, state)
            assert to is not None, (role, status, state)
            assert to is state or to in next_states(state)


def test_every_role_works_somewhere_and_every_state_with_a_turn_has_its_role() -> None:
    assert all(works_in(role) for role in Role)
    assert all(state in works_in(role) for state, (role, _) in TURN_OF.items())
    assert works_in(Role.SENIOR_DEVELOPER) == works_in(Role.DEVELOPER)
    assert {state for role in Role for state in works_in(role)} == (WORKING - {S.CREATING_PR}) | {S.BLOCKED}


def test_an_exception_row_is_for_a_state_where_its_status_occurs() -> None:
    for role, rows in ROUTES.items():
        for status, route in rows.items():
            assert set(route.instead) <= set(occurs_in(role, status))


# --- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("role", "alias", "own"), [(role, *pair) for role, names in ALIASES.items() for pair in names.items()]
)
def test_an_alias_is_routed_as_the_status_it_stands_for(role: Role, alias: str, own: str) -> None:
    assert alias not in ROUTES[role]
    for state in works_in(role):
        assert routed(role, alias, state) == routed(role, own, state)


def test_the_same_alias_means_different_statuses_per_role() -> None:
    assert canonical(Role.DEVELOPER, "INCOMPLETE") == "PARTIAL"
    assert canonical(Role.INVESTIGATOR, "INCOMPLETE") == "INVESTIGATION_INCOMPLETE"
    assert canonical(Role.TECH_LEAD, "INCOMPLETE") == "INCOMPLETE"
    assert routed(Role.TECH_LEAD, "INCOMPLETE", S.REVIEWING_CODE) is None


def test_an_answer_with_an_alias_gets_its_canonical_status() -> None:
    rejected = {**reviewed("CHANGES_REQUESTED").model_dump(mode="json"), "status": "REJECTED"}
    assert parse_outcome(Role.TECH_LEAD, Task.REVIEW, rejected) == reviewed("CHANGES_REQUESTED")
    unfinished = {**implemented("PARTIAL").model_dump(mode="json"), "status": "INCOMPLETE"}
    assert parse_outcome(Role.DEVELOPER, Task.FIX, unfinished) == implemented("PARTIAL")
    waits = {**iterated("NEED_DEVELOPER_DIAGNOSTIC").model_dump(mode="json"), "status": "WAITING_FOR_RESULTS"}
    assert parse_outcome(Role.INVESTIGATOR, Task.ITERATE, waits) == iterated("NEED_DEVELOPER_DIAGNOSTIC")


# --- the check at the start ------------------------------------------------------------------------------------------


def test_the_routing_table_passes_the_workers_start_check() -> None:
    check_routing()


def test_a_row_without_an_edge_keeps_a_worker_from_starting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(routing.ROUTES[Role.ANALYST], "READY", Route(S.CREATING_PR))
    with pytest.raises(Defect, match="no legal row for analyst READY in analyzing_requirements"):
        check_routing()


def test_a_row_that_can_t_occur_keeps_a_worker_from_starting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(routing.ROUTES[Role.ANALYST], "SHRUG", Route(S.BLOCKED))
    with pytest.raises(Defect, match="row for analyst SHRUG that can't occur"):
        check_routing()


def test_an_alias_without_a_row_keeps_a_worker_from_starting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ALIASES[Role.DEVELOPER], "SHRUG", "NO_SUCH_STATUS")
    with pytest.raises(Defect, match="alias of developer for NO_SUCH_STATUS"):
        check_routing()


# --- what no row knows -----------------------------------------------------------------------------------------------


def test_a_status_without_a_row_is_not_routed() -> None:
    assert routed(Role.PM, "SHRUG", S.RECEIVED) is None
    assert routed(Role.INVESTIGATOR, "READY", S.INVESTIGATING) is None


@pytest.mark.parametrize("state", sorted(WORKING | {S.BLOCKED}))
def test_an_unrouted_status_goes_to_the_tech_lead_or_a_person(state: IssueState) -> None:
    move = unknown(a_case(state), "pm answered SHRUG")
    asks_the_tech_lead = S.REVIEWING_CODE in next_states(state)
    assert move.to is (S.REVIEWING_CODE if asks_the_tech_lead else S.REQUIRES_HUMAN_INTERVENTION)
    assert move.task is (Task.UNBLOCK if asks_the_tech_lead else None)
    assert move.reason == f"No rule says what follows when the pm answered SHRUG in {state}."


def test_a_status_without_a_row_is_recorded_and_the_tech_lead_decides(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    outcome = implemented("PARTIAL")
    monkeypatch.setitem(routing.ROUTES, Role.DEVELOPER, {})
    fact = TurnEnded(role=Role.DEVELOPER, outcome=outcome, checkpoint=HEAD, session=SessionId("s"))
    move = decide(a_case(S.RUNNING_TESTS), fact, Policy())
    assert (move.to, move.task) == (S.REVIEWING_CODE, Task.UNBLOCK)
    assert move.reason == "No rule says what follows when the developer answered PARTIAL in running_tests."


# --- the page --------------------------------------------------------------------------------------------------------


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == routing_page(), f"Renew it: {RENEW}"


def test_the_page_says_how_to_renew_it_and_names_every_status_and_alias() -> None:
    page = routing_page()
    assert RENEW in page
    assert "(version 1)" in page
    for role, rows in ROUTES.items():
        section = page.split(f"## The {role.value.replace('_', ' ')}\n")[1].split("\n## ")[0]
        assert [line.split("`")[1] for line in section.splitlines() if line.startswith("| `")] == list(rows)
        assert all(f"`{alias}`" in section for alias in ALIASES.get(role, {}))
