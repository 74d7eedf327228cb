"""The state of an investigation under the names of the design document: its status, and what it was given."""

import pytest

from caseworker.core.issue.states import IssueState
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.telling.investigation_state import InvestigationState, investigation_state
from tests.core.examples import planned, reviewed
from tests.core.investigation_examples import (
    a_hypothesis,
    a_request,
    an_investigated_case,
    cause_reviewed,
    diagnosed,
    investigated,
    iterated,
    turns,
    unblocked,
)

S = IssueState
NEEDED = planned("INVESTIGATION_NEEDED").model_copy(update={"investigation": a_request("It is slow.")})
FOUND = iterated("ROOT_CAUSE_FOUND")
MEASURE = iterated("NEED_DEVELOPER_DIAGNOSTIC")
NAMED = diagnosed("ROOT_CAUSE_FOUND")


def state_after(*outcomes: Outcome, state: IssueState = S.INVESTIGATING) -> InvestigationState:
    (investigation,) = investigated(turns(NEEDED, *outcomes))
    return investigation_state(an_investigated_case(state, began=(1,)), investigation)


@pytest.mark.parametrize(
    ("outcomes", "state", "status"),
    [
        ([], S.INVESTIGATING, "in_progress"),
        ([iterated()], S.INVESTIGATING, "in_progress"),
        ([iterated("BLOCKED")], S.BLOCKED, "blocked"),
        ([iterated("BLOCKED"), unblocked()], S.INVESTIGATING, "in_progress"),
        ([iterated("EXHAUSTED")], S.REQUIRES_HUMAN_INTERVENTION, "exhausted"),
        ([iterated()] * 5, S.INVESTIGATING, "incomplete"),
        ([FOUND], S.INVESTIGATING, "root_cause_found"),
        ([FOUND, cause_reviewed()], S.CREATING_TESTS, "approved"),
        ([FOUND, cause_reviewed("CHANGES_REQUESTED")], S.INVESTIGATING, "in_progress"),
        ([FOUND, cause_reviewed("CHANGES_REQUESTED"), FOUND], S.INVESTIGATING, "root_cause_found"),
        ([FOUND, cause_reviewed("UNBLOCKING_GUIDANCE")], S.PLANNING_APPROACH, "given_up"),
        ([*[iterated()] * 5, cause_reviewed("CHANGES_REQUESTED")], S.WAITING_FOR_HUMAN_INPUT, "incomplete"),
        ([*[iterated()] * 4, FOUND, cause_reviewed("CHANGES_REQUESTED")], S.PLANNING_APPROACH, "incomplete"),
        ([MEASURE, NAMED], S.REVIEWING_CODE, "root_cause_found"),
        ([MEASURE, diagnosed()], S.INVESTIGATING, "in_progress"),
        ([MEASURE, NAMED, cause_reviewed("CHANGES_REQUESTED")], S.INVESTIGATING, "in_progress"),
        ([MEASURE, NAMED, cause_reviewed("CHANGES_REQUESTED"), iterated()], S.INVESTIGATING, "in_progress"),
        ([], S.CLOSED, "incomplete"),
        ([iterated()], S.CLOSED, "incomplete"),
        ([FOUND, cause_reviewed("CHANGES_REQUESTED")], S.CLOSED, "incomplete"),
        ([iterated("BLOCKED")], S.CLOSED, "blocked"),
        ([FOUND], S.CLOSED, "root_cause_found"),
    ],
)
def test_the_status_is_the_last_iterations_or_the_tech_leads(
    outcomes: list[Outcome], state: IssueState, status: str
) -> None:
    assert state_after(*outcomes, state=state).status == status


def test_an_earlier_investigation_that_was_stuck_stays_stuck() -> None:
    another = a_request("Now it is wrong.", new_problem=True)
    spawned = reviewed("SPAWN_INVESTIGATOR").model_copy(update={"investigation": another})
    first, _ = investigated(turns(NEEDED, iterated("BLOCKED"), spawned))
    assert investigation_state(an_investigated_case(began=(1, 3)), first).status == "blocked"


def test_the_state_has_the_documents_names() -> None:
    assert set(state_after().model_dump()) == {
        "session_id",
        "group_id",
        "investigation",
        "status",
        "current_iteration",
        "max_iterations",
        "problem_summary",
        "suggested_skills",
        "given",
        "hypothesis_matrix",
        "matrix_revisions",
        "iterations_log",
        "developer_diagnostic_results",
        "tech_lead_feedback",
        "root_cause",
    }


def test_what_everybody_brought_is_kept_and_skills_are_named_once() -> None:
    more = a_request(matrix=[a_hypothesis("H2")]).model_copy(update={"suggested_skills": ["stress", "trace"]})
    again = reviewed("SPAWN_INVESTIGATOR").model_copy(update={"investigation": more})
    told = state_after(again, again)
    assert (told.problem_summary, told.suggested_skills) == ("It is slow.", ("stress", "trace"))
    assert len(told.given.requests) == 3
    assert [one.id for one in told.hypothesis_matrix] == ["H2"]
