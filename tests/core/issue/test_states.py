"""The table of states agrees with SPEC section 5, and has the properties proved here."""

from itertools import pairwise

import pytest

from caseworker.core.base.policy import Policy
from caseworker.core.issue.decide import decide
from caseworker.core.issue.facts import Spoke, TakenOver, TimedOut
from caseworker.core.issue.moves import Move, make_move
from caseworker.core.issue.states import PARKED, ROWS, TERMINAL, WAITING, WORKING, IssueState, next_states
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.issue.turns import TURN_OF
from caseworker.core.outcomes.outcome import known_turns
from tests.core.examples import MORNING, a_case

# Copied from SPEC section 5. Code, not an agent, works where the worker is "code".
WORKING_IN_THE_SPEC = {
    "RECEIVED": "pm",
    "ANALYZING_REQUIREMENTS": "analyst",
    "REQUIREMENTS_UNCLEAR": "pm",
    "REQUIREMENTS_CLARIFIED": "pm",
    "PLANNING_APPROACH": "pm",
    "CREATING_TESTS": "tester",
    "UPDATING_TESTS": "tester",
    "RUNNING_TESTS": "code",
    "IMPLEMENTING": "developer",
    "FIXING_ISSUES": "developer",
    "REFACTORING": "developer",
    "ADDRESSING_FEEDBACK": "developer",
    "REVIEWING_CODE": "tech_lead",
    "REVIEWING_ARCHITECTURE": "tech_lead",
    "REVIEWING_INTEGRATION": "tech_lead",
    "INVESTIGATING": "investigator",
    "VALIDATING_SOLUTION": "tester",
    "CREATING_PR": "code",
    "HUMAN_INPUT_RECEIVED": "pm",
}
WAITING_IN_THE_SPEC = {"WAITING_FOR_REQUIREMENTS_CLARIFICATION", "WAITING_FOR_HUMAN_INPUT"}
PARKED_IN_THE_SPEC = {"BLOCKED", "REQUIRES_HUMAN_INTERVENTION"}
TERMINAL_IN_THE_SPEC = {"COMPLETED", "FAILED", "CLOSED"}

EDGES_IN_THE_SPEC = {
    "RECEIVED": "ANALYZING_REQUIREMENTS, CREATING_TESTS",
    "ANALYZING_REQUIREMENTS": "REQUIREMENTS_UNCLEAR, PLANNING_APPROACH, CREATING_TESTS, IMPLEMENTING",
    "REQUIREMENTS_UNCLEAR": "WAITING_FOR_REQUIREMENTS_CLARIFICATION, ANALYZING_REQUIREMENTS",
    "WAITING_FOR_REQUIREMENTS_CLARIFICATION": "REQUIREMENTS_CLARIFIED, BLOCKED",
    "REQUIREMENTS_CLARIFIED": "CREATING_TESTS, ANALYZING_REQUIREMENTS, PLANNING_APPROACH, IMPLEMENTING, "
    "REQUIREMENTS_UNCLEAR",
    "PLANNING_APPROACH": "CREATING_TESTS, IMPLEMENTING, ANALYZING_REQUIREMENTS, INVESTIGATING",
    "CREATING_TESTS": "IMPLEMENTING, UPDATING_TESTS, ANALYZING_REQUIREMENTS",
    "UPDATING_TESTS": "IMPLEMENTING, CREATING_TESTS, RUNNING_TESTS",
    "RUNNING_TESTS": "IMPLEMENTING, FIXING_ISSUES, UPDATING_TESTS, REVIEWING_CODE, VALIDATING_SOLUTION, CREATING_PR",
    "IMPLEMENTING": "RUNNING_TESTS, CREATING_PR, FIXING_ISSUES, ANALYZING_REQUIREMENTS, INVESTIGATING",
    "FIXING_ISSUES": "RUNNING_TESTS, CREATING_PR, IMPLEMENTING, REFACTORING, INVESTIGATING",
    "REFACTORING": "RUNNING_TESTS, CREATING_PR, IMPLEMENTING, INVESTIGATING",
    "REVIEWING_CODE": "CREATING_PR, VALIDATING_SOLUTION, FIXING_ISSUES, REFACTORING, UPDATING_TESTS, CREATING_TESTS, "
    "IMPLEMENTING, PLANNING_APPROACH, ANALYZING_REQUIREMENTS, REVIEWING_ARCHITECTURE, REVIEWING_INTEGRATION, "
    "INVESTIGATING",
    "REVIEWING_ARCHITECTURE": "CREATING_PR, REFACTORING, ANALYZING_REQUIREMENTS, REVIEWING_CODE, INVESTIGATING",
    "REVIEWING_INTEGRATION": "CREATING_PR, FIXING_ISSUES, ANALYZING_REQUIREMENTS, REVIEWING_CODE, INVESTIGATING",
    "INVESTIGATING": "REVIEWING_CODE, BLOCKED",
    "VALIDATING_SOLUTION": "CREATING_PR, FIXING_ISSUES, UPDATING_TESTS, REVIEWING_CODE",
    "ADDRESSING_FEEDBACK": "RUNNING_TESTS, CREATING_PR, UPDATING_TESTS, INVESTIGATING",
    "CREATING_PR": "WAITING_FOR_HUMAN_INPUT, RUNNING_TESTS, FIXING_ISSUES",
    "WAITING_FOR_HUMAN_INPUT": "HUMAN_INPUT_RECEIVED, BLOCKED",
    "HUMAN_INPUT_RECEIVED": ", ".join(WORKING_IN_THE_SPEC),  # "any working state"
    "BLOCKED": "HUMAN_INPUT_RECEIVED, REQUIREMENTS_CLARIFIED, ANALYZING_REQUIREMENTS, PLANNING_APPROACH, "
    "CREATING_TESTS, IMPLEMENTING, INVESTIGATING, WAITING_FOR_HUMAN_INPUT, REQUIRES_HUMAN_INTERVENTION",
    "REQUIRES_HUMAN_INTERVENTION": "HUMAN_INPUT_RECEIVED",
}
STRUCK = {
    "RUNNING_TESTS": "IMPLEMENTING, VALIDATING_SOLUTION, CREATING_PR",  # every build is reviewed before it is delivered
    "IMPLEMENTING": "CREATING_PR",  # what was written is always tested
    "FIXING_ISSUES": "CREATING_PR",
    "REFACTORING": "CREATING_PR",
    "ADDRESSING_FEEDBACK": "CREATING_PR, UPDATING_TESTS",
    "REVIEWING_ARCHITECTURE": "CREATING_PR",  # a part of the review goes back to the review of the code
    "REVIEWING_INTEGRATION": "CREATING_PR",
    "BLOCKED": "ANALYZING_REQUIREMENTS, CREATING_TESTS, IMPLEMENTING",  # by way of HUMAN_INPUT_RECEIVED
}
"""Edges of the spec that no rule takes."""
HAVE_AN_EDGE_TO_BLOCKED = {
    "ANALYZING_REQUIREMENTS",
    "REQUIREMENTS_UNCLEAR",
    "REQUIREMENTS_CLARIFIED",
    "PLANNING_APPROACH",
    "CREATING_TESTS",
    "UPDATING_TESTS",
    "RUNNING_TESTS",
    "VALIDATING_SOLUTION",
    "INVESTIGATING",
    "HUMAN_INPUT_RECEIVED",
}
"""The working states with a status that leads there. The spec permits it to all of them."""
EVERY_WORKING_STATE_ALSO = {"WAITING_FOR_HUMAN_INPUT", "REQUIRES_HUMAN_INTERVENTION", "FAILED"}
"""A person steps in by a takeover; words reach whoever works."""
EVERY_NON_TERMINAL_STATE_ALSO = {"CLOSED", "COMPLETED"}


def names(states: frozenset[IssueState]) -> set[str]:
    return {state.name for state in states}


def reachable(start: IssueState) -> frozenset[IssueState]:
    found, at = {start}, [start]
    while at:
        new = next_states(at.pop()) - found
        found |= new
        at.extend(new)
    return frozenset(found)


@pytest.mark.parametrize("state", IssueState)
def test_the_edges_are_those_of_the_spec_without_the_struck_ones(state: IssueState) -> None:
    if state.name in TERMINAL_IN_THE_SPEC:
        expected = set()
    else:
        struck = set(STRUCK.get(state.name, "").split(", "))
        expected = (set(EDGES_IN_THE_SPEC[state.name].split(", ")) - struck) | EVERY_NON_TERMINAL_STATE_ALSO
    if state.name in WORKING_IN_THE_SPEC:
        expected |= EVERY_WORKING_STATE_ALSO
    if state.name in HAVE_AN_EDGE_TO_BLOCKED:
        expected.add("BLOCKED")
    if state is IssueState.BLOCKED:  # while the pm unblocks an investigation
        expected.add("FAILED")
    if state is IssueState.WAITING_FOR_HUMAN_INPUT:  # a check of the open pull request has failed
        expected.add("FIXING_ISSUES")
    assert names(next_states(state)) == expected - {state.name}


def test_each_state_has_exactly_one_kind_as_in_the_spec() -> None:
    assert names(WORKING) == set(WORKING_IN_THE_SPEC)
    assert names(WAITING) == WAITING_IN_THE_SPEC
    assert names(PARKED) == PARKED_IN_THE_SPEC
    assert names(TERMINAL) == TERMINAL_IN_THE_SPEC
    assert len(WORKING) + len(WAITING) + len(PARKED) + len(TERMINAL) == len(IssueState)


def test_the_worker_of_each_state_is_the_specs() -> None:
    turns = {state: ROWS[state].turn for state in WORKING}
    assert {state.name: turn[0].value if turn else "code" for state, turn in turns.items()} == WORKING_IN_THE_SPEC


def test_every_working_state_has_a_turn_except_where_code_works() -> None:
    without = {IssueState.RUNNING_TESTS, IssueState.CREATING_PR}
    assert set(TURN_OF) == WORKING - without
    assert set(TURN_OF.values()) <= set(known_turns())


def test_the_values_are_the_names_in_lower_case() -> None:
    assert all(state.value == state.name.lower() for state in IssueState)


def test_every_state_is_reachable_from_received() -> None:
    assert reachable(IssueState.RECEIVED) == frozenset(IssueState)


@pytest.mark.parametrize("state", sorted(frozenset(IssueState) - TERMINAL))
def test_every_state_that_is_not_terminal_can_reach_completed(state: IssueState) -> None:
    assert IssueState.COMPLETED in reachable(state)


def test_received_can_reach_completed_by_work_alone() -> None:
    """Also without the merge that completes a case from any state: there is a path through a pull request."""
    way = [
        IssueState.RECEIVED,
        IssueState.ANALYZING_REQUIREMENTS,
        IssueState.CREATING_TESTS,
        IssueState.IMPLEMENTING,
        IssueState.RUNNING_TESTS,
        IssueState.REVIEWING_CODE,
        IssueState.CREATING_PR,
        IssueState.WAITING_FOR_HUMAN_INPUT,
        IssueState.COMPLETED,
    ]
    assert all(after in next_states(before) for before, after in pairwise(way))


@pytest.mark.parametrize("state", sorted(WAITING))
def test_every_waiting_state_has_its_time_out_edge_to_blocked(state: IssueState) -> None:
    assert IssueState.BLOCKED in next_states(state)


@pytest.mark.parametrize("reason", WaitingFor)
def test_every_wait_times_out_except_for_milestone_and_merge(reason: WaitingFor) -> None:
    asked = Move(to=IssueState.WAITING_FOR_HUMAN_INPUT, reason="people were asked", waiting_for=reason)
    waits = make_move(a_case(IssueState.REVIEWING_CODE), asked, Policy(), MORNING)
    assert waits.waiting.wait is not None
    assert (waits.waiting.wait.until is None) is (reason in (WaitingFor.MILESTONE, WaitingFor.MERGE))
    assert make_move(waits, decide(waits, TimedOut(), Policy()), Policy(), MORNING).state is IssueState.BLOCKED


@pytest.mark.parametrize("state", sorted(WORKING))
def test_a_person_can_step_in_from_every_working_state(state: IssueState) -> None:
    taken = decide(a_case(state), TakenOver(by="ada"), Policy())
    assert taken.to is IssueState.REQUIRES_HUMAN_INTERVENTION
    assert taken.to in next_states(state)
    assert IssueState.HUMAN_INPUT_RECEIVED in next_states(taken.to)


@pytest.mark.parametrize("state", sorted(PARKED | WAITING))
def test_a_person_can_step_in_where_the_case_waits_or_is_parked(state: IssueState) -> None:
    heard = decide(a_case(state), Spoke(by="ada"), Policy())
    assert heard.to in {IssueState.HUMAN_INPUT_RECEIVED, IssueState.REQUIREMENTS_CLARIFIED} & next_states(state)


@pytest.mark.parametrize("state", sorted(frozenset(IssueState) - TERMINAL))
def test_a_person_can_close_it_anywhere(state: IssueState) -> None:
    assert IssueState.CLOSED in next_states(state)


@pytest.mark.parametrize("state", sorted(TERMINAL))
def test_a_terminal_state_has_no_edges(state: IssueState) -> None:
    assert next_states(state) == frozenset()


@pytest.mark.parametrize("state", IssueState)
def test_no_state_has_an_edge_to_itself(state: IssueState) -> None:
    assert state not in next_states(state)
