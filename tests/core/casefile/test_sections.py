"""Who may fill which section of the case file, and how it shows the status of the case."""

from typing import Literal, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caseworker.core.base.errors import Defect
from caseworker.core.base.ids import MessageId, TraceId
from caseworker.core.base.roles import Role, Task
from caseworker.core.casefile.model import CaseFile, Escalation, Question, RoleObservation, TestEntry
from caseworker.core.casefile.ownership import check_owned
from caseworker.core.casefile.pipeline import after_move, note_closed, why_closed
from caseworker.core.casefile.sections import after_build, after_outcome, after_pull_request, after_push, asked_of
from caseworker.core.evidence.builds import Build, Command, Purpose
from caseworker.core.issue.case import IssueCase, Wait
from caseworker.core.issue.states import PARKED, WAITING, WORKING, IssueState
from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.core.outcomes.answers import AnsweringRole, AnswerOutcome, Observation, RoleQuestion
from caseworker.core.outcomes.outcome import IssueOutcome
from caseworker.core.outcomes.tech_lead import Finding, ReviewOutcome
from caseworker.core.people.commands import Close, Reject
from caseworker.core.people.messages import Message, Standing
from tests.core.examples import (
    HEAD,
    MORNING,
    InterpretStatus,
    ReviewStatus,
    WritingStatus,
    a_build,
    a_case,
    a_file,
    a_run,
    analysed,
    implemented,
    interpreted,
    judged,
    planned,
    questioned,
    reviewed,
    triaged,
    validated,
    wrote_test,
)

S = IssueState
ANSWERING: tuple[AnsweringRole, ...] = get_args(AnsweringRole)


def answered(*answers: str, status: Literal["READY", "BLOCKED"] = "READY") -> AnswerOutcome:
    return AnswerOutcome(status=status, answers=list(answers))


OUTCOMES: list[tuple[Role, IssueOutcome, set[str]]] = [
    (Role.PM, triaged(), {"issue", "triage"}),
    (Role.PM, triaged("REJECT"), {"issue", "triage"}),
    (Role.ANALYST, analysed(), {"analysis"}),
    (Role.TESTER, wrote_test(), {"writer"}),
    (Role.DEVELOPER, implemented(), {"writer"}),
    (Role.SENIOR_DEVELOPER, implemented("PARTIAL"), {"writer"}),
    (Role.TECH_LEAD, reviewed(), {"review"}),
    (Role.TECH_LEAD, reviewed("CHANGES_REQUESTED"), {"review"}),
    (Role.PM, planned(), set()),
    (Role.PM, questioned(), set()),
    (Role.PM, interpreted(), set()),
    (Role.PM, interpreted("REJECT"), {"triage"}),
    (Role.TESTER, judged(), set()),
    (Role.TESTER, validated("FAIL"), set()),
    *((Role(name), answered("Yes.", "No."), {"communication"}) for name in ANSWERING),
]
STEPS = st.lists(st.sampled_from(OUTCOMES), max_size=6)


def changed(before: CaseFile, after: CaseFile) -> set[str]:
    return {name for name in CaseFile.model_fields if getattr(before, name) != getattr(after, name)}


def filled(steps: list[tuple[Role, IssueOutcome, set[str]]]) -> CaseFile:
    file = a_file()
    for role, outcome, _ in steps:
        file = after_outcome(file, role, outcome, attempt=1)
    return file


ASKED = st.lists(st.builds(RoleQuestion, to=st.sampled_from(ANSWERING), question=st.text(max_size=5)), max_size=3)
NOTED = st.lists(st.builds(Observation, type=st.text(max_size=5), content=st.text(max_size=5)), max_size=3)


@st.composite
def spoken(draw: st.DrawFn) -> tuple[Role, IssueOutcome, set[str]]:
    """Any outcome of any role, with questions, escalations and observations."""
    role, outcome, own = draw(st.sampled_from(OUTCOMES))
    words: dict[str, object] = {"observations": draw(NOTED)}
    if "ask" in type(outcome).model_fields:
        words |= {"ask": draw(ASKED), "escalation": draw(st.just("") | st.text(max_size=5))}
    return role, outcome.model_copy(update=words), own


@given(before=st.lists(spoken(), max_size=6), step=spoken(), attempt=st.integers(1, 3))
def test_an_outcome_changes_its_own_roles_sections_and_no_other(
    before: list[tuple[Role, IssueOutcome, set[str]]], step: tuple[Role, IssueOutcome, set[str]], attempt: int
) -> None:
    role, outcome, own = step
    file = filled(before)
    after = after_outcome(file, role, outcome, attempt)
    shared = {"learnings"} if outcome.observations else set()
    if getattr(outcome, "ask", []):
        assert changed(file, after) <= shared | {"communication"}
    else:
        said = {"communication"} if getattr(outcome, "escalation", "") else set()
        assert changed(file, after) <= own | shared | said


@given(before=st.lists(spoken(), max_size=6), step=spoken(), other=st.sampled_from(Role))
def test_no_other_role_may_make_the_change_of_a_roles_outcome(
    before: list[tuple[Role, IssueOutcome, set[str]]], step: tuple[Role, IssueOutcome, set[str]], other: Role
) -> None:
    role, outcome, own = step
    file = filled(before)
    after = after_outcome(file, role, outcome, attempt=1)
    check_owned(file, after, role)
    writers = {Role.DEVELOPER, Role.SENIOR_DEVELOPER}
    extends_the_test = role is Role.TESTER and other in writers
    brings_the_analysis = role is Role.ANALYST and other is Role.PM  # with the triage of a plain small bug
    if (
        other is role
        or {other, role} == writers
        or extends_the_test
        or brings_the_analysis
        or not changed(file, after) & own - {"communication"}
    ):
        return
    with pytest.raises(Defect, match=f"the {other.value} has changed what is not its own in the case file: "):
        check_owned(file, after, other)


def test_a_change_outside_a_roles_sections_is_a_defect_that_names_it() -> None:
    file = a_file()
    with pytest.raises(Defect, match=r"the tester has changed .*: writer.completed, writer.changes, writer.summary"):
        after_outcome(file, Role.TESTER, implemented(), attempt=1)
    renamed = file.model_copy(update={"issue": file.issue.model_copy(update={"title": "Another"})})
    with pytest.raises(Defect, match=r"the pm has changed .*: issue.title"):
        check_owned(file, renamed, Role.PM)
    with pytest.raises(Defect, match=r"the pm has changed .*: version"):
        check_owned(file, file.model_copy(update={"version": "2.0"}), Role.PM)


def with_words(
    file: CaseFile, questions: list[Question], escalations: list[Escalation], observations: list[RoleObservation]
) -> CaseFile:
    said = {"questions": questions, "escalations": escalations}
    return file.model_copy(
        update={
            "communication": file.communication.model_copy(update=said),
            "learnings": file.learnings.model_copy(update={"observations": observations}),
        }
    )


def test_a_role_can_not_speak_for_another_or_change_earlier_entries() -> None:
    asked = Question(from_="writer", to="analyst", question="Which page?")
    raised, noted = Escalation(agent="writer", reason="r"), RoleObservation(agent="writer", type="t", content="c")
    file = with_words(a_file(), [asked], [raised], [noted])
    answer = asked.model_copy(update={"answered": True, "answer": "The first."})
    check_owned(file, with_words(file, [answer], [raised], [noted]), Role.ANALYST)
    check_owned(file, with_words(file, [asked, asked], [raised, raised], [noted, noted]), Role.DEVELOPER)
    for questions, escalations, observations in (
        ([answer], [raised], [noted]),
        ([asked.model_copy(update={"question": "Which?"})], [raised], [noted]),
        ([], [raised], [noted]),
        ([asked, Question(from_="analyst", to="writer", question="Why?")], [raised], [noted]),
        ([asked], [raised.model_copy(update={"resolved": True})], [noted]),
        ([asked], [raised, Escalation(agent="analyst", reason="r")], [noted]),
        ([asked], [], [noted]),
        ([asked], [raised], []),
        ([asked], [raised], [noted, RoleObservation(agent="analyst", type="t", content="c")]),
    ):
        with pytest.raises(Defect, match="the developer has changed what others said"):
            check_owned(file, with_words(file, questions, escalations, observations), Role.DEVELOPER)
    again = with_words(file, [answer.model_copy(update={"answer": "The last."})], [raised], [noted])
    with pytest.raises(Defect):  # an answer can't be changed
        check_owned(with_words(file, [answer], [raised], [noted]), again, Role.ANALYST)


def test_the_pm_may_only_set_the_type_in_the_issue_section() -> None:
    before = a_file()
    after = after_outcome(before, Role.PM, triaged(), attempt=1)
    assert after.issue == before.issue.model_copy(update={"type": "BUG_FIX"})


def test_the_tester_only_fills_test_written_and_test_file() -> None:
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
    assert analysis.test_requirement == TestEntry(required=True, type="regression", location="test_cart.py")
    assert (analysis.must_do, analysis.must_not_do) == (
        ["Take the discount off", "Keep the currency"],
        ["Change the API"],
    )


def test_the_next_writer_keeps_the_test() -> None:
    file = filled([OUTCOMES[3], OUTCOMES[7]])
    writer = after_outcome(file, Role.DEVELOPER, implemented(), attempt=2).writer
    assert writer.attempt == 2
    assert (writer.test_written, writer.test_file) == (True, "test_cart.py")


@pytest.mark.parametrize("status", get_args(ReviewStatus))
def test_a_review_has_the_case_files_verdict(status: ReviewStatus) -> None:
    finding = Finding(file="cart.py", line=3, issue="a name", severity="minor")
    outcome = ReviewOutcome(status=status, good=["short"], issues=[finding], feedback_for_writer="f")
    review = after_outcome(a_file(), Role.TECH_LEAD, outcome, attempt=1).review
    verdict = "APPROVED" if status.startswith("APPROVED") else "NEEDS_INFO" if status == "NEEDS_INFO" else "REJECTED"
    assert (review.completed, review.verdict, review.findings.issues) == (True, verdict, [finding])


@pytest.mark.parametrize("status", get_args(InterpretStatus))
def test_only_an_interpretation_that_rejects_marks_the_triage_rejected(status: InterpretStatus) -> None:
    triage = after_outcome(filled(OUTCOMES[:1]), Role.PM, interpreted(status), attempt=1).triage
    if status == "REJECT":
        assert (triage.should_proceed, triage.rejection_reason) == (False, "Understood.")
    else:
        assert (triage.should_proceed, triage.rejection_reason) == (True, None)
    assert (triage.completed, triage.scope) == (True, "SMALL")


@pytest.mark.parametrize("status", get_args(WritingStatus))
def test_the_writer_is_completed_when_the_change_can_be_built(status: WritingStatus) -> None:
    done = {"READY_FOR_QA", "READY_FOR_REVIEW", "NEEDS_TECH_LEAD_VALIDATION"}
    assert after_outcome(a_file(), Role.DEVELOPER, implemented(status), attempt=1).writer.completed is (status in done)


@pytest.mark.parametrize("status", ["READY", "UNCLEAR", "BLOCKED"])
def test_an_analysis_is_completed_when_it_is_ready(status: Literal["READY", "UNCLEAR", "BLOCKED"]) -> None:
    after = after_outcome(a_file(), Role.ANALYST, analysed(status), attempt=1)
    assert after.analysis.completed is (status == "READY")


def test_observations_accumulate_with_who_made_them() -> None:
    file = a_file()
    for role, outcome, _ in OUTCOMES[2:5]:
        seen = [Observation(type="pattern", content=f"by the {role.value}")]
        file = after_outcome(file, role, outcome.model_copy(update={"observations": seen}), attempt=1)
    assert file.learnings.observations == [
        RoleObservation(agent="analyst", type="pattern", content="by the analyst"),
        RoleObservation(agent="tester", type="pattern", content="by the tester"),
        RoleObservation(agent="writer", type="pattern", content="by the developer"),
    ]


# --- what roles say to each other


def asking(outcome: IssueOutcome, *questions: tuple[AnsweringRole, str], escalation: str = "") -> IssueOutcome:
    ask = [RoleQuestion(to=to, question=question) for to, question in questions]
    return outcome.model_copy(update={"ask": ask, "escalation": escalation})


def told(file: CaseFile) -> list[tuple[str, str, str, bool, str | None]]:
    return [(q.from_, q.to, q.question, q.answered, q.answer) for q in file.communication.questions]


@pytest.mark.parametrize(
    ("role", "outcome", "speaker"),
    [
        (Role.PM, planned(), "triage"),
        (Role.ANALYST, analysed(), "analyst"),
        (Role.TESTER, wrote_test(), "tester"),
        (Role.TESTER, judged(), "tester"),
        (Role.TESTER, validated(), "tester"),
        (Role.DEVELOPER, implemented(), "writer"),
        (Role.SENIOR_DEVELOPER, implemented(), "writer"),
        (Role.TECH_LEAD, reviewed(), "reviewer"),
    ],
)
def test_questions_between_roles_use_the_case_files_names(role: Role, outcome: IssueOutcome, speaker: str) -> None:
    asked = {"pm": "triage", "analyst": "analyst", "tester": "tester", "developer": "writer", "tech_lead": "reviewer"}
    for to in ANSWERING:
        file = after_outcome(a_file(), role, asking(outcome, (to, "Why?")), attempt=1)
        assert told(file) == [(speaker, asked[to], "Why?", False, None)]


def test_a_role_that_asks_first_fills_only_its_questions() -> None:
    asks = asking(reviewed(), ("developer", "Why?"), escalation="It touches the login.")
    file = after_outcome(a_file(), Role.TECH_LEAD, asks, attempt=1)
    assert changed(a_file(), file) == {"communication"}
    assert file.communication.escalations == [Escalation(agent="reviewer", reason="It touches the login.")]


def test_answers_fill_the_open_questions_to_that_role_in_order() -> None:
    asks = asking(implemented(), ("analyst", "Which page?"), ("tester", "Which test?"), ("analyst", "Since when?"))
    file = after_outcome(a_file(), Role.DEVELOPER, asks, attempt=1)
    assert [question.question for question in asked_of(file, Role.ANALYST)] == ["Which page?", "Since when?"]
    file = after_outcome(file, Role.ANALYST, answered("The first.", "Monday."), attempt=1)
    assert told(file) == [
        ("writer", "analyst", "Which page?", True, "The first."),
        ("writer", "tester", "Which test?", False, None),
        ("writer", "analyst", "Since when?", True, "Monday."),
    ]
    assert asked_of(file, Role.ANALYST) == []
    assert after_outcome(file, Role.ANALYST, answered("Too late."), attempt=1) == file


def test_an_empty_answer_leaves_the_question_open() -> None:
    asks = asking(implemented(), ("analyst", "Which page?"), ("analyst", "Since when?"), ("analyst", "Why?"))
    file = after_outcome(a_file(), Role.DEVELOPER, asks, attempt=1)
    file = after_outcome(file, Role.ANALYST, answered(" ", "Monday."), attempt=1)
    assert [question.question for question in asked_of(file, Role.ANALYST)] == ["Which page?", "Why?"]


def test_a_role_that_can_not_answer_says_why_and_leaves_it_open() -> None:
    file = after_outcome(a_file(), Role.DEVELOPER, asking(implemented(), ("analyst", "Why?")), attempt=1)
    file = after_outcome(file, Role.ANALYST, answered("Nothing says so.", status="BLOCKED"), attempt=1)
    assert told(file) == [("writer", "analyst", "Why?", False, "Nothing says so.")]
    again = after_outcome(file, Role.SENIOR_DEVELOPER, asking(implemented(), ("analyst", "Why?")), attempt=1)
    assert told(again) == told(file)
    after = after_outcome(again, Role.ANALYST, answered("It does now."), attempt=1)
    assert told(after) == [("writer", "analyst", "Why?", True, "It does now.")]


def test_a_question_that_was_answered_may_be_asked_again() -> None:
    asks = asking(implemented(), ("analyst", "Why?"), ("analyst", "Why?"))
    file = after_outcome(a_file(), Role.DEVELOPER, asks, attempt=1)
    file = after_outcome(file, Role.ANALYST, answered("So."), attempt=1)
    file = after_outcome(file, Role.DEVELOPER, asks, attempt=1)
    assert told(file) == [("writer", "analyst", "Why?", True, "So."), ("writer", "analyst", "Why?", False, None)]


def test_a_role_gets_the_newest_of_many_open_questions() -> None:
    file = a_file()
    for number in range(5):
        file = after_outcome(file, Role.DEVELOPER, asking(implemented(), ("analyst", f"{number}?")), attempt=1)
    assert [question.question for question in asked_of(file, Role.ANALYST)] == ["2?", "3?", "4?"]
    file = after_outcome(file, Role.ANALYST, answered("a", "b", "c"), attempt=1)
    assert [question.answer for question in file.communication.questions] == [None, None, "a", "b", "c"]


def test_an_open_escalation_is_kept_only_once_and_with_the_work() -> None:
    escalates = asking(reviewed(), escalation="It touches the login.")
    file = after_outcome(a_file(), Role.TECH_LEAD, escalates, attempt=1)
    assert file.review.verdict == "APPROVED"
    assert after_outcome(file, Role.TECH_LEAD, escalates, attempt=1) == file
    assert [e.model_dump() for e in file.communication.escalations] == [
        {"agent": "reviewer", "reason": "It touches the login.", "requires_human": True, "resolved": False}
    ]


# --- builds and pull requests


def test_a_failed_build_gives_the_writer_feedback() -> None:
    lint = a_run("lint", purpose=Purpose.LINT, exit_code=2, output="bad")
    file = after_build(a_file(), a_build(a_run(output="3 passed"), lint), "repair the lint")
    assert file.review.feedback_for_writer == "repair the lint"
    assert file.build.model_dump() == {
        "completed": True,
        "tests_passed": True,
        "lint_passed": False,
        "type_check_passed": None,
        "errors": ["lint ended with exit code 2"],
        "commands_run": [
            {"command": "make test", "exit_code": 0, "output": "3 passed"},
            {"command": "lint", "exit_code": 2, "output": "bad"},
        ],
    }


NEW_TEST, LINT, TYPES = Purpose.NEW_TEST, Purpose.LINT, Purpose.TYPES


@pytest.mark.parametrize(
    ("build", "passed"),
    [
        (a_build(), (None, None, None)),
        (a_build(a_run("setup", purpose=Purpose.SETUP)), (None, None, None)),
        (a_build(a_run()), (True, None, None)),
        (a_build(a_run(), a_run("new", purpose=NEW_TEST)), (True, None, None)),
        (a_build(a_run(), a_run("new", purpose=NEW_TEST, exit_code=1)), (False, None, None)),
        (a_build(a_run(exit_code=127)), (False, None, None)),
        (a_build(a_run(timed_out=True)), (False, None, None)),
        (a_build(a_run("lint", purpose=LINT), a_run("types", purpose=TYPES)), (None, True, True)),
        (a_build(a_run(), a_run("a", purpose=LINT), a_run("b", purpose=LINT, exit_code=1)), (True, False, None)),
    ],
)
def test_a_check_passes_only_if_it_ran_and_is_null_without_a_command(
    build: Build, passed: tuple[bool | None, ...]
) -> None:
    seen = after_build(a_file(), build, "").build
    assert (seen.tests_passed, seen.lint_passed, seen.type_check_passed) == passed


def test_checks_that_a_failed_set_up_kept_from_running_have_not_passed() -> None:
    left = [Command(purpose=purpose, command=purpose.value) for purpose in (Purpose.TEST, LINT)]
    build = a_build(a_run("setup", purpose=Purpose.SETUP, exit_code=1)).model_copy(update={"not_run": tuple(left)})
    seen = after_build(a_file(), build, "").build
    assert (seen.tests_passed, seen.lint_passed, seen.type_check_passed) == (False, False, None)
    assert seen.errors == ["setup ended with exit code 1", "test was not run", "lint was not run"]


def test_before_any_build_no_check_has_a_result() -> None:
    seen = a_file().build
    assert (seen.completed, seen.tests_passed, seen.lint_passed, seen.type_check_passed) == (False, None, None, None)


def test_a_failing_new_test_counts_as_failing_tests() -> None:
    build = a_build(a_run(), a_run("new", purpose=Purpose.NEW_TEST, exit_code=1))
    assert not after_build(a_file(), build, "").build.tests_passed


def test_a_build_changes_the_review_section_only_with_feedback() -> None:
    assert changed(a_file(), after_build(a_file(), a_build(a_run()), "")) == {"build"}
    assert changed(a_file(), after_build(a_file(), a_build(a_run()), "f")) == {"build", "review"}


def test_a_push_fills_the_commit_section_without_a_pull_request() -> None:
    after = after_push(a_file(), commit=HEAD, branch="agent/issue-42", message="Take it off\n\nFixes #42")
    assert changed(a_file(), after) == {"commit"}
    assert after.commit.model_dump() == {
        "completed": False,
        "hash": HEAD,
        "message": "Take it off\n\nFixes #42",
        "branch": "agent/issue-42",
        "pushed": True,
        "pr_created": False,
        "pr_url": None,
        "issue_closed": False,
    }


def test_a_pull_request_completes_the_commit_section_and_closes_no_issue() -> None:
    before = after_push(a_file(), commit=HEAD, branch="agent/issue-42", message="Take it off")
    after = after_pull_request(before, url="local:pull/1")
    opened = {"completed": True, "pr_created": True, "pr_url": "local:pull/1"}
    assert after.commit == before.commit.model_copy(update=opened)


def test_a_developers_outcome_does_not_change_the_commit_section() -> None:
    before = after_push(a_file(), commit=HEAD, branch="agent/issue-42", message="Take it off")
    after = after_outcome(before, Role.DEVELOPER, implemented(commit_message="Again"), attempt=1)
    assert after.commit == before.commit


# --- the status of the case


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


@pytest.mark.parametrize("closed", [True, False])
@pytest.mark.parametrize("state", IssueState)
def test_an_issue_that_is_kept_elsewhere_is_closed_if_it_was_seen_closed(state: IssueState, closed: bool) -> None:
    file = a_file()
    elsewhere = file.issue.model_copy(update={"url": "https://github.com/owner/repo/issues/42"})
    seen = note_closed(file.model_copy(update={"issue": elsewhere}), closed=closed)
    assert after_move(seen, a_case(state)).commit.issue_closed is closed


@pytest.mark.parametrize("state", IssueState)
def test_the_outcome_is_filled_at_the_end(state: IssueState) -> None:
    expected = state.value if state in (S.COMPLETED, S.FAILED, S.CLOSED) else None
    assert after_move(a_file(), a_case(state)).learnings.outcome == expected


AT_WORK = {
    S.RECEIVED: "triage",
    S.ANALYZING_REQUIREMENTS: "analyst",
    S.REQUIREMENTS_UNCLEAR: "triage",
    S.REQUIREMENTS_CLARIFIED: "triage",
    S.PLANNING_APPROACH: "triage",
    S.CREATING_TESTS: "tester",
    S.UPDATING_TESTS: "tester",
    S.RUNNING_TESTS: "build",
    S.IMPLEMENTING: "writer",
    S.FIXING_ISSUES: "writer",
    S.REFACTORING: "writer",
    S.ADDRESSING_FEEDBACK: "writer",
    S.REVIEWING_CODE: "reviewer",
    S.REVIEWING_ARCHITECTURE: "reviewer",
    S.REVIEWING_INTEGRATION: "reviewer",
    S.INVESTIGATING: "investigator",
    S.VALIDATING_SOLUTION: "tester",
    S.CREATING_PR: "committer",
    S.HUMAN_INPUT_RECEIVED: "triage",
}


@pytest.mark.parametrize("state", IssueState)
def test_the_current_agent_has_the_case_files_name(state: IssueState) -> None:
    assert after_move(a_file(), a_case(state)).pipeline.current_agent == AT_WORK.get(state)


@pytest.mark.parametrize(
    ("case", "agent"),
    [
        (a_case(S.RUNNING_TESTS, task=Task.JUDGE), "tester"),
        (a_case(S.INVESTIGATING, task=Task.DIAGNOSTIC), "writer"),
        (a_case(S.INVESTIGATING, task=Task.DIAGNOSTIC, senior=True), "writer"),
        (a_case(S.FIXING_ISSUES, task=Task.UNBLOCK), "reviewer"),
        (a_case(S.BLOCKED, task=Task.UNBLOCK), "triage"),
        (a_case(S.HUMAN_INPUT_RECEIVED, go=S.IMPLEMENTING), None),
    ],
)
def test_the_current_agent_is_the_one_whose_turn_it_is(case: IssueCase, agent: str | None) -> None:
    assert after_move(a_file(), case).pipeline.current_agent == agent


def test_only_working_states_have_a_current_agent() -> None:
    assert set(AT_WORK) == WORKING


def a_close(number: int, command: Close | Reject) -> Message:
    return Message(
        id=MessageId(number),
        case=a_case().id,
        surface="terminal",
        external_id="1",
        author="grace",
        standing=Standing.OWNER,
        command=command,
        trace=TraceId("t"),
        received_at=MORNING,
        turn=1,
    )


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ([], "closed: Closed by grace."),
        ([a_close(2, Close())], "closed: Closed by grace."),
        ([a_close(2, Close(reason=" it is obsolete"))], "closed: Closed by grace: it is obsolete"),
        ([a_close(2, Reject(reason="it is obsolete"))], "closed: Closed by grace: it is obsolete"),
        ([a_close(1, Close(reason="too old")), a_close(2, Close(reason="new"))], "closed: Closed by grace: new"),
        ([a_close(1, Close(reason="it is obsolete"))], "closed: Closed by grace."),
    ],
)
def test_a_closed_case_has_the_reason_of_the_command_that_closed_it(said: list[Message], expected: str) -> None:
    closed = a_case(S.CLOSED, reason="Closed by grace.", closed_by=MessageId(2))
    assert after_move(a_file(), closed, why_closed=why_closed(closed, said)).pipeline.failure_reason == expected
    assert why_closed(a_case(S.CLOSED, reason="Closed by grace."), said) == ""


def test_a_move_updates_the_attempt_and_the_branch() -> None:
    file = after_move(a_file(), a_case(S.FIXING_ISSUES, attempt=2))
    assert (file.pipeline.attempt, file.commit.branch) == (2, "agent/issue-42")


@given(before=STEPS, state=st.sampled_from(IssueState))
def test_a_move_does_not_change_the_roles_sections(
    before: list[tuple[Role, IssueOutcome, set[str]]], state: IssueState
) -> None:
    file = filled(before)
    own = {"pipeline", "review", "commit", "communication", "learnings"}
    overruled = {"triage"} if file.triage.should_proceed is False else set()
    after = after_move(file, a_case(state))
    assert changed(file, after) <= own | overruled
    assert after.review == file.review.model_copy(update={"feedback_for_writer": None})


def escalated() -> CaseFile:
    file = after_outcome(a_file(), Role.ANALYST, asking(analysed(), escalation="A new database."), attempt=1)
    return after_outcome(file, Role.TECH_LEAD, asking(reviewed(), escalation="The login."), attempt=1)


def resolved(file: CaseFile) -> list[bool]:
    return [escalation.resolved for escalation in file.communication.escalations]


@pytest.mark.parametrize("state", IssueState)
def test_only_a_persons_answer_resolves_an_escalation(state: IssueState) -> None:
    answered = state in (S.HUMAN_INPUT_RECEIVED, S.REQUIREMENTS_CLARIFIED)
    assert resolved(after_move(escalated(), a_case(state))) == [answered, answered]


@pytest.mark.parametrize("reason", WaitingFor)
def test_a_raised_budget_or_milestone_does_not_resolve_an_escalation(reason: WaitingFor) -> None:
    waited = a_case(S.WAITING_FOR_HUMAN_INPUT, wait=Wait(reason=reason))
    after = after_move(escalated(), a_case(S.HUMAN_INPUT_RECEIVED), waited)
    answered = reason not in (WaitingFor.BUDGET, WaitingFor.MILESTONE)
    assert resolved(after) == [answered, answered]


def test_after_mere_thanks_the_escalation_is_open_again() -> None:
    wait = Wait(reason=WaitingFor.APPROVAL, subject=Subject.ESCALATION)
    file = after_move(escalated(), a_case(S.HUMAN_INPUT_RECEIVED, wait=wait))
    assert resolved(after_move(file, a_case(S.WAITING_FOR_HUMAN_INPUT, wait=wait))) == [True, False]
    assert resolved(after_move(file, a_case(S.WAITING_FOR_HUMAN_INPUT))) == [True, True]
    assert resolved(after_move(a_file(), a_case(S.WAITING_FOR_HUMAN_INPUT, wait=wait))) == []


def test_reopening_a_rejected_issue_overrules_the_triage() -> None:
    rejected = after_outcome(a_file(), Role.PM, triaged("REJECT"), attempt=1)
    closed = after_move(rejected, a_case(S.CLOSED))
    assert (closed.triage.should_proceed, closed.triage.rejection_reason) == (False, "A clear bug.")
    opened = after_move(closed, a_case(S.HUMAN_INPUT_RECEIVED, epoch=2))
    assert (opened.triage.should_proceed, opened.triage.rejection_reason) == (True, None)
    assert after_move(a_file(), a_case(S.HUMAN_INPUT_RECEIVED)).triage.should_proceed is None
