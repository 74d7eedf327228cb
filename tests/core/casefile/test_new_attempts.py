"""Sections of the case file at a new attempt or round, and the feedback that the writer is given."""

from datetime import UTC, datetime

import pytest

from caseworker.core.base.ids import MessageId, TraceId
from caseworker.core.base.roles import Role
from caseworker.core.casefile.model import BuildSection, CaseFile, ReviewSection
from caseworker.core.casefile.new_attempts import writer_feedback
from caseworker.core.casefile.pipeline import after_move
from caseworker.core.casefile.sections import after_build, after_outcome, after_pull_request, after_push
from caseworker.core.issue.states import IssueState
from caseworker.core.people.commands import Say
from caseworker.core.people.messages import Message, Standing
from caseworker.core.record.ended_attempts import ended_attempt
from tests.core.examples import CASE, HEAD, a_build, a_case, a_file, a_run, implemented, reviewed, wrote_test

S = IssueState
WRITING = [S.IMPLEMENTING, S.FIXING_ISSUES, S.REFACTORING, S.ADDRESSING_FEEDBACK]


def delivered() -> CaseFile:
    """The file of a case whose first attempt became a pull request."""
    file = after_outcome(a_file(), Role.TESTER, wrote_test(), attempt=1)
    file = after_outcome(file, Role.DEVELOPER, implemented(), attempt=1)
    file = after_outcome(after_build(file, a_build(a_run()), ""), Role.TECH_LEAD, reviewed(), attempt=1)
    return after_pull_request(after_push(file, commit=HEAD, branch="agent/issue-42", message="m"), url="local:pull/1")


@pytest.mark.parametrize("state", WRITING)
def test_a_developers_new_attempt_begins_its_sections_anew(state: IssueState) -> None:
    file = after_move(delivered(), a_case(state, attempt=2), a_case(S.REVIEWING_CODE))
    assert (file.build, file.review) == (BuildSection(), ReviewSection())
    assert (file.writer.completed, file.writer.attempt, file.writer.changes, file.writer.summary) == (False, 2, [], "")
    assert (file.writer.test_written, file.writer.test_file) == (True, "test_cart.py")  # it is still there


def test_a_new_attempt_has_no_finished_commit_but_what_was_pushed_stays_pushed() -> None:
    file = after_move(delivered(), a_case(S.ADDRESSING_FEEDBACK, round=2), a_case(S.HUMAN_INPUT_RECEIVED))
    assert not file.commit.completed
    assert (file.commit.hash, file.commit.pushed, file.commit.pr_created) == (HEAD, True, True)


def test_a_corrected_test_voids_build_and_review_but_not_the_developers_work() -> None:
    before = delivered()
    file = after_move(before, a_case(S.UPDATING_TESTS, attempt=2), a_case(S.RUNNING_TESTS))
    assert (file.build, file.review, file.writer) == (BuildSection(), ReviewSection(), before.writer)


def test_another_build_of_pushed_work_voids_the_review() -> None:
    file = after_move(delivered(), a_case(S.RUNNING_TESTS), a_case(S.CREATING_PR))
    assert (file.build, file.review) == (BuildSection(), ReviewSection())


@pytest.mark.parametrize(
    ("state", "before"),
    [
        (S.IMPLEMENTING, S.CREATING_TESTS),
        (S.IMPLEMENTING, S.IMPLEMENTING),
        (S.RUNNING_TESTS, S.RUNNING_TESTS),
        (S.REVIEWING_CODE, S.RUNNING_TESTS),
        (S.HUMAN_INPUT_RECEIVED, S.WAITING_FOR_HUMAN_INPUT),
        (S.CREATING_PR, S.WAITING_FOR_HUMAN_INPUT),
        (S.FAILED, S.FIXING_ISSUES),
    ],
)
def test_other_moves_keep_the_sections(state: IssueState, before: IssueState) -> None:
    file = delivered()
    after = after_move(file, a_case(state), a_case(before))
    assert (after.writer, after.build, after.review) == (file.writer, file.build, file.review)
    assert ended_attempt(file, a_case(state), a_case(before)) is None


@pytest.mark.parametrize("number", ["attempt", "round", "epoch"])
def test_another_attempt_round_or_epoch_in_the_same_state_begins_anew(number: str) -> None:
    case = a_case(S.IMPLEMENTING, **{number: 2})
    file = after_move(delivered(), case, a_case(S.IMPLEMENTING))
    assert (file.writer.attempt, file.writer.summary) == (case.limits.attempt, "")
    assert (file.build, file.review) == (BuildSection(), ReviewSection())


def test_the_old_sections_stay_in_the_record() -> None:
    old, before = delivered(), a_case(S.REVIEWING_CODE, round=3, attempt=2)
    ended = ended_attempt(old, a_case(S.FIXING_ISSUES, round=3, attempt=3), before)
    assert ended is not None
    assert (ended.round, ended.attempt) == (3, 2)
    assert (ended.writer, ended.build, ended.review, ended.commit) == (old.writer, old.build, old.review, old.commit)


def test_sections_stay_in_the_record_also_if_only_some_of_them_begin_anew() -> None:
    old = delivered()
    corrected = ended_attempt(old, a_case(S.UPDATING_TESTS, attempt=2), a_case(S.RUNNING_TESTS))
    assert corrected is not None
    assert (corrected.build, corrected.review) == (old.build, old.review)
    unbuilt = after_outcome(a_file(), Role.DEVELOPER, implemented("PARTIAL"), attempt=1)
    ended = ended_attempt(unbuilt, a_case(S.IMPLEMENTING, attempt=2), a_case(S.IMPLEMENTING))
    assert ended is not None
    assert ended.writer == unbuilt.writer


def test_an_attempt_that_wrote_nothing_leaves_nothing_in_the_record() -> None:
    assert ended_attempt(a_file(), a_case(S.CREATING_TESTS), a_case(S.ANALYZING_REQUIREMENTS)) is None
    tested = after_outcome(a_file(), Role.TESTER, wrote_test(), attempt=1)
    assert ended_attempt(tested, a_case(S.IMPLEMENTING), a_case(S.INVESTIGATING)) is None


# --- feedback


def message(author: str, text: str) -> Message:
    return Message(
        id=MessageId(1),
        case=CASE,
        surface="terminal",
        external_id="1",
        author=author,
        standing=Standing.OWNER,
        command=Say(),
        text=text,
        trace=TraceId("t"),
        received_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


@pytest.mark.parametrize("state", sorted(set(IssueState) - {S.INVESTIGATING}))
def test_the_feedback_for_the_writer_is_what_the_case_will_give_it(state: IssueState) -> None:
    case = a_case(state, feedback="make test ended with exit code 1\n\nThe tester: The total is wrong.")
    assert after_move(a_file(), case).review.feedback_for_writer == case.evidence.feedback
    rejected = after_outcome(a_file(), Role.TECH_LEAD, reviewed("CHANGES_REQUESTED"), attempt=1)
    assert after_move(rejected, a_case(state)).review.feedback_for_writer is None


def test_feedback_to_an_investigation_is_not_for_the_writer() -> None:
    assert after_move(a_file(), a_case(S.INVESTIGATING, feedback="Look again.")).review.feedback_for_writer is None


def test_the_feedback_for_the_writer_names_the_people_who_gave_it() -> None:
    said = [message("ada", " End it with a stop. "), message("grace", "And a capital.")]
    assert (
        writer_feedback("Two findings.\n", said) == "Two findings.\n\nada: End it with a stop.\n\ngrace: And a capital."
    )
    file = after_move(a_file(), a_case(S.ADDRESSING_FEEDBACK), a_case(S.HUMAN_INPUT_RECEIVED), said[:1])
    assert file.review.feedback_for_writer == "ada: End it with a stop."
    assert writer_feedback("", []) is None


def test_previous_feedback_is_what_the_turn_was_given() -> None:
    file = after_outcome(a_file(), Role.DEVELOPER, implemented(), attempt=2, given="Validation: not all is there.")
    assert file.writer.previous_feedback == "Validation: not all is there."
    assert after_outcome(file, Role.DEVELOPER, implemented(), attempt=2).writer.previous_feedback is None
