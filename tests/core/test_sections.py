"""Who may fill what in the case file, and how it says where the case stands."""

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caseworker.core.casefile import CaseFile, RoleObservation
from caseworker.core.evidence import Purpose
from caseworker.core.outcomes import Finding, IssueOutcome, Observation, ReviewOutcome, TestRequirement
from caseworker.core.sections import after_build, after_move, after_outcome, after_pull_request
from caseworker.core.states import PARKED, WAITING, WORKING, IssueState, Role
from tests.core.examples import (
    HEAD,
    a_build,
    a_case,
    a_file,
    a_run,
    analysed,
    implemented,
    reviewed,
    triaged,
    wrote_test,
)

S = IssueState

OUTCOMES: list[tuple[Role, IssueOutcome, set[str]]] = [
    (Role.PM, triaged(), {"issue", "triage"}),
    (Role.PM, triaged("REJECT"), {"issue", "triage"}),
    (Role.ANALYST, analysed(), {"analysis"}),
    (Role.TESTER, wrote_test(), {"writer"}),
    (Role.DEVELOPER, implemented(), {"writer", "commit"}),
    (Role.SENIOR_DEVELOPER, implemented("PARTIAL"), {"writer", "commit"}),
    (Role.TECH_LEAD, reviewed(), {"review"}),
    (Role.TECH_LEAD, reviewed("CHANGES_REQUESTED"), {"review"}),
]
STEPS = st.lists(st.sampled_from(OUTCOMES), max_size=6)


def changed(before: CaseFile, after: CaseFile) -> set[str]:
    return {name for name in CaseFile.model_fields if getattr(before, name) != getattr(after, name)}


def filled(steps: list[tuple[Role, IssueOutcome, set[str]]]) -> CaseFile:
    file = a_file()
    for role, outcome, _ in steps:
        file = after_outcome(file, role, outcome, attempt=1)
    return file


@given(before=STEPS, step=st.sampled_from(OUTCOMES), attempt=st.integers(1, 3), noted=st.booleans())
def test_an_outcome_changes_its_own_roles_sections_and_no_other(
    before: list[tuple[Role, IssueOutcome, set[str]]],
    step: tuple[Role, IssueOutcome, set[str]],
    attempt: int,
    noted: bool,
) -> None:
    role, outcome, own = step
    observations = [Observation(type="pattern", content="lodash")] if noted else []
    file = filled(before)
    after = after_outcome(file, role, outcome.model_copy(update={"observations": observations}), attempt)
    assert changed(file, after) <= own | ({"learnings"} if noted else set())


def test_the_pm_may_set_the_issues_type_and_nothing_else_of_it() -> None:
    before = a_file()
    after = after_outcome(before, Role.PM, triaged(), attempt=1)
    assert after.issue == before.issue.model_copy(update={"type": "BUG_FIX"})


def test_the_tester_fills_test_written_and_test_file_and_nothing_else_of_the_writers() -> None:
    before = filled([OUTCOMES[4]])
    after = after_outcome(before, Role.TESTER, wrote_test(), attempt=2)
    assert after.writer == before.writer.model_copy(update={"test_written": True, "test_file": "test_cart.py"})


def test_a_test_that_needs_work_is_not_written() -> None:
    assert not after_outcome(a_file(), Role.TESTER, wrote_test("TESTS_NEED_WORK"), attempt=1).writer.test_written


def test_a_rejected_issue_says_why_and_does_not_proceed() -> None:
    triage = after_outcome(a_file(), Role.PM, triaged("REJECT"), attempt=1).triage
    assert (triage.completed, triage.should_proceed, triage.rejection_reason) == (True, False, "A clear bug.")


@pytest.mark.parametrize("status", ["PROCEED", "NEEDS_APPROVAL"])
def test_an_issue_that_goes_on_has_no_rejection_reason(status: Literal["PROCEED", "NEEDS_APPROVAL"]) -> None:
    triage = after_outcome(a_file(), Role.PM, triaged(status), attempt=1).triage
    assert (triage.scope, triage.complexity, triage.should_proceed) == ("SMALL", "simple", True)
    assert triage.rejection_reason is None


def test_the_analysts_brief_and_test_requirement_are_kept() -> None:
    analysis = after_outcome(a_file(), Role.ANALYST, analysed(), attempt=1).analysis
    assert analysis.brief == "Repair `total`."
    assert analysis.test_requirement == TestRequirement(required=True, type="regression", location="test_cart.py")
    assert (analysis.must_do, analysis.must_not_do) == (
        ["Take the discount off", "Keep the currency"],
        ["Change the API"],
    )


def test_the_next_writer_sees_the_feedback_it_answers_and_the_test_that_is_there() -> None:
    file = filled([OUTCOMES[3], OUTCOMES[7]])
    writer = after_outcome(file, Role.DEVELOPER, implemented(), attempt=2).writer
    assert (writer.attempt, writer.previous_feedback) == (2, "What of a discount over 100 %?")
    assert (writer.test_written, writer.test_file) == (True, "test_cart.py")


@pytest.mark.parametrize(
    ("status", "verdict"),
    [("APPROVED", "APPROVED"), ("CHANGES_REQUESTED", "REJECTED"), ("NEEDS_INFO", "NEEDS_INFO")],
)
def test_a_review_is_told_in_the_case_files_words(
    status: Literal["APPROVED", "CHANGES_REQUESTED", "NEEDS_INFO"], verdict: str
) -> None:
    finding = Finding(file="cart.py", line=3, issue="a name", severity="minor")
    outcome = ReviewOutcome(status=status, good=["short"], issues=[finding], feedback_for_writer="f")
    review = after_outcome(a_file(), Role.TECH_LEAD, outcome, attempt=1).review
    assert (review.completed, review.verdict, review.findings.issues) == (True, verdict, [finding])


def test_observations_accumulate_with_who_made_them() -> None:
    file = a_file()
    for role, outcome, _ in OUTCOMES[2:5]:
        seen = [Observation(type="pattern", content=f"by the {role.value}")]
        file = after_outcome(file, role, outcome.model_copy(update={"observations": seen}), attempt=1)
    assert file.learnings.observations == [
        RoleObservation(agent="analyst", type="pattern", content="by the analyst"),
        RoleObservation(agent="writer", type="pattern", content="by the tester"),
        RoleObservation(agent="writer", type="pattern", content="by the developer"),
    ]


# --- builds and pull requests


def test_a_failed_build_tells_the_writer_what_to_repair() -> None:
    lint = a_run("lint", purpose=Purpose.LINT, exit_code=2, output="bad")
    file = after_build(a_file(), a_build(a_run(output="3 passed"), lint), "repair the lint")
    assert file.review.feedback_for_writer == "repair the lint"
    assert file.build.model_dump() == {
        "completed": True,
        "tests_passed": True,
        "lint_passed": False,
        "type_check_passed": True,
        "errors": ["lint ended with exit code 2"],
        "commands_run": [
            {"command": "make test", "exit_code": 0, "output": "3 passed"},
            {"command": "lint", "exit_code": 2, "output": "bad"},
        ],
    }


def test_a_failing_new_test_is_a_failing_test() -> None:
    build = a_build(a_run(), a_run("new", purpose=Purpose.NEW_TEST, exit_code=1))
    assert not after_build(a_file(), build, "").build.tests_passed


def test_a_build_changes_its_own_section_and_only_with_feedback_the_reviews() -> None:
    assert changed(a_file(), after_build(a_file(), a_build(a_run()), "")) == {"build"}
    assert changed(a_file(), after_build(a_file(), a_build(a_run()), "f")) == {"build", "review"}


def test_a_pull_request_is_told_in_the_commit_section_and_closes_no_issue() -> None:
    before = filled([OUTCOMES[4]])
    after = after_pull_request(before, commit=HEAD, branch="agent/issue-42", url="local:pull/1")
    assert changed(before, after) == {"commit"}
    assert after.commit.model_dump() == {
        "completed": True,
        "hash": HEAD,
        "message": "Take the discount off the total",
        "branch": "agent/issue-42",
        "pushed": True,
        "pr_created": True,
        "pr_url": "local:pull/1",
        "issue_closed": False,
    }


# --- where the case stands


def pipeline_of(state: IssueState) -> tuple[str, str | None, str | None]:
    pipeline = after_move(a_file(), a_case(state, reason="It is so.")).pipeline
    return pipeline.status, pipeline.blocked_reason, pipeline.failure_reason


@pytest.mark.parametrize("state", sorted(WORKING))
def test_a_case_at_work_is_in_progress(state: IssueState) -> None:
    assert pipeline_of(state) == ("in_progress", None, None)


@pytest.mark.parametrize("state", sorted(WAITING | PARKED))
def test_waiting_and_parked_are_blocked_with_the_reason(state: IssueState) -> None:
    assert pipeline_of(state) == ("blocked", "It is so.", None)


def test_closed_is_failed_and_says_that_it_was_closed() -> None:
    assert pipeline_of(S.CLOSED) == ("failed", None, "closed: It is so.")


def test_failed_is_failed_with_the_reason() -> None:
    assert pipeline_of(S.FAILED) == ("failed", None, "It is so.")


def test_completed_is_completed() -> None:
    assert pipeline_of(S.COMPLETED) == ("completed", None, None)


@pytest.mark.parametrize("state", IssueState)
def test_only_the_merge_closes_the_issue(state: IssueState) -> None:
    assert after_move(a_file(), a_case(state)).commit.issue_closed is (state is S.COMPLETED)


@pytest.mark.parametrize("state", IssueState)
def test_the_outcome_is_filled_at_the_end(state: IssueState) -> None:
    expected = state.value if state in (S.COMPLETED, S.FAILED, S.CLOSED) else None
    assert after_move(a_file(), a_case(state)).learnings.outcome == expected


@pytest.mark.parametrize(
    ("state", "agent"),
    [
        (S.RECEIVED, "triage"),
        (S.ANALYZING_REQUIREMENTS, "analyst"),
        (S.CREATING_TESTS, "writer"),
        (S.IMPLEMENTING, "writer"),
        (S.FIXING_ISSUES, "writer"),
        (S.RUNNING_TESTS, "build"),
        (S.REVIEWING_CODE, "reviewer"),
        (S.CREATING_PR, "committer"),
        (S.WAITING_FOR_HUMAN_INPUT, None),
        (S.BLOCKED, None),
        (S.COMPLETED, None),
    ],
)
def test_the_agent_at_work_is_named_in_the_case_files_words(state: IssueState, agent: str | None) -> None:
    assert after_move(a_file(), a_case(state)).pipeline.current_agent == agent


def test_a_move_tells_the_attempt_and_the_branch() -> None:
    file = after_move(a_file(), a_case(S.FIXING_ISSUES, attempt=2))
    assert (file.pipeline.attempt, file.commit.branch) == (2, "agent/issue-42")


@given(before=STEPS, state=st.sampled_from(IssueState))
def test_a_move_changes_no_roles_section(before: list[tuple[Role, IssueOutcome, set[str]]], state: IssueState) -> None:
    file = filled(before)
    assert changed(file, after_move(file, a_case(state))) <= {"pipeline", "commit", "learnings"}
