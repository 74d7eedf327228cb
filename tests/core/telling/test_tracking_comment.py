"""Tracking comments: whole texts, and which comment on a thread is a run's own."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caseworker.chats.surface_phrasing import TerminalPhrasing
from caseworker.core.base.ids import CaseId, RunId
from caseworker.core.base.outgoing_text import COMMENT_LIMIT, marker_of
from caseworker.core.base.redaction import Redactor
from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.runs.run import Run, RunState
from caseworker.core.telling.tracking_comment import (
    Awaited,
    RunArtifact,
    RunFailure,
    Tracked,
    awaited_by,
    is_due,
    tracking_comment,
)
from caseworker.core.telling.tracking_reconciliation import Adopt, Create, Keep, PostedComment, reconcile
from tests.core.examples import a_case
from tests.core.telling.why_examples import a_wait

NOW = datetime(2026, 11, 16, 9, 42, 30, tzinfo=UTC)


def run(state: RunState = RunState.RUNNING) -> Run:
    return Run(
        id=RunId(17),
        workflow=WorkflowName.PLAN,
        case=CaseId("acme/shop#42"),
        state=state,
        turns_before=1,
        turns=5,
        cost_micros=420_000,
        wall_clock_ms=723_400,
        began_at=NOW - timedelta(minutes=12),
        ended_at=None,
    )


def body(state: RunState, tracked: Tracked) -> str:
    return tracking_comment(run(state), tracked, now=NOW, redactor=Redactor())


def test_a_working_run_tells_what_it_did_and_when_it_looked() -> None:
    steps = tuple(f"step {number}" for number in range(1, 8))
    assert body(RunState.RUNNING, Tracked(steps=steps, messages_read=2, looked_at=NOW - timedelta(seconds=130))) == (
        "<!-- workflow-run:17 -->\n"
        "### Caseworker: plan\n\n"
        "| state | cost | turns | time | messages read |\n|---|---|---|---|---|\n"
        "| working | $0.42 | 5 | 12 min | 2 |\n\n"
        "- step 3\n- step 4\n- step 5\n- step 6\n- step 7\n\n"
        "Looked 2 min ago, at 09:40 UTC."
    )


def test_a_waiting_run_tells_who_must_move_and_how() -> None:
    awaited = Awaited(
        what="waits for approval: the plan is ready.",
        who="an owner or a developer",
        how=("Comment `approve` goes on with the plan.",),
    )
    notes = ("1 instruction of people who are no owners were not followed. @eve",)
    assert body(RunState.RUNNING, Tracked(awaited=awaited, notes=notes, looked_at=NOW)) == (
        "<!-- workflow-run:17 -->\n"
        "### Caseworker: plan\n\n"
        "| state | cost | turns | time | messages read |\n|---|---|---|---|---|\n"
        "| waiting | $0.42 | 5 | 12 min | 0 |\n\n"
        "**It waits for approval: the plan is ready.** Who must move: an owner or a developer.\n\n"
        "- Comment `approve` goes on with the plan.\n\n"
        "> 1 instruction of people who are no owners were not followed. @\u200beve\n\n"
        "Looked just now, at 09:42 UTC."
    )


@pytest.mark.parametrize("queued", [True, False])
def test_a_run_at_a_milestone_waits_for_nobody(queued: bool) -> None:
    case = a_case(IssueState.WAITING_FOR_HUMAN_INPUT, **a_wait(WaitingFor.MILESTONE))
    assert awaited_by(case, TerminalPhrasing(), queued=queued) is None


def test_a_finished_run_has_its_artifact_below() -> None:
    artifact = RunArtifact(text="# Plan\n\n1. Use cents. <!-- workflow-run:1 -->\n", url="https://cw.example/PLAN.md")
    assert body(RunState.SUCCEEDED, Tracked(artifact=artifact, rehearsed=True, looked_at=NOW)) == (
        "<!-- workflow-run:17 -->\n"
        "### Caseworker: plan\n\n"
        "| state | cost | turns | time | messages read |\n|---|---|---|---|---|\n"
        "| done | $0.00 (rehearsed; about $0.42 at list prices) | 5 | 12 min | 0 |\n\n"
        "---\n\n"
        "# Plan\n\n1. Use cents. "
    )


def test_a_failed_run_has_a_sentence_and_an_error_id() -> None:
    failure = RunFailure(sentence="The budget of $5.00 is spent.", error_id="e-7F3K")
    assert body(RunState.FAILED, Tracked(failure=failure)) == (
        "<!-- workflow-run:17 -->\n"
        "### Caseworker: plan\n\n"
        "| state | cost | turns | time | messages read |\n|---|---|---|---|---|\n"
        "| failed | $0.42 | 5 | 12 min | 0 |\n\n"
        "**What went wrong:** The budget of $5.00 is spent. (error `e-7F3K`)"
    )


def test_an_artifact_that_is_too_long_is_cut_with_a_link() -> None:
    artifact = RunArtifact(text="long line\n" * 10_000, url="https://cw.example/PLAN.md")
    text = body(RunState.SUCCEEDED, Tracked(artifact=artifact))
    assert len(text) <= COMMENT_LIMIT
    assert text.endswith(" characters] The whole text: https://cw.example/PLAN.md")


@pytest.mark.parametrize(
    ("state", "written", "seconds", "due"),
    [
        (RunState.RUNNING, "old", 9, False),
        (RunState.RUNNING, "old", 10, True),
        (RunState.RUNNING, "new", 60, False),
        (RunState.SUCCEEDED, "old", 1, True),
        (RunState.SUCCEEDED, "new", 60, False),
    ],
)
def test_a_working_run_changes_its_comment_at_most_every_10_s(
    state: RunState, written: str, seconds: int, due: bool
) -> None:
    at = NOW - timedelta(seconds=seconds)
    assert is_due(run(state), body="new", written=written, written_at=at, now=NOW) is due
    assert is_due(run(state), body="new", written="", written_at=None, now=NOW)


# --- Which comment it is ---------------------------------------------------------------------------------------------


def comment(number: int, of_run: int | None, *, ours: bool = True, minute: int | None = None) -> PostedComment:
    text = f"<!-- workflow-run:{of_run} -->\ntext" if of_run else "hello"
    at = NOW + timedelta(minutes=number if minute is None else minute)
    return PostedComment(id=number, body=text, is_ours=ours, created_at=at)


MINE = RunId(17)


def test_without_a_comment_one_is_posted_and_the_last_runs_stays_until_then() -> None:
    found = reconcile(MINE, [comment(1, None), comment(2, 16)], stored=None, earlier=frozenset({RunId(16)}))
    assert (found.step, found.delete) == (Create(instead_of=None), ())


def test_after_posting_the_last_runs_comment_is_deleted() -> None:
    found = reconcile(MINE, [comment(2, 16), comment(3, 17)], stored=3, earlier=frozenset({RunId(16)}))
    assert (found.step, found.delete) == (Keep(comment=3), (2,))


def test_a_comment_whose_id_was_lost_is_adopted() -> None:
    found = reconcile(MINE, [comment(3, 17)], stored=None)
    assert (found.step, found.delete) == (Adopt(comment=3, instead_of=None), ())


def test_of_duplicates_the_oldest_stays() -> None:
    several = [comment(5, 17, minute=1), comment(4, 17, minute=2), comment(6, 17, minute=0)]
    found = reconcile(MINE, several, stored=5)
    assert (found.step, found.delete) == (Adopt(comment=6, instead_of=5), (5, 4))


def test_a_comment_that_a_person_deleted_is_posted_again() -> None:
    assert reconcile(MINE, [comment(1, None)], stored=3).step == Create(instead_of=3)


def test_a_marker_in_anothers_comment_means_nothing() -> None:
    assert reconcile(MINE, [comment(3, 17, ours=False)], stored=None).step == Create(instead_of=None)
    quoted = PostedComment(id=4, body="> <!-- workflow-run:17 -->", is_ours=True, created_at=NOW)
    assert reconcile(MINE, [quoted], stored=None).step == Create(instead_of=None)


COMMENTS = st.lists(
    st.builds(comment, st.integers(1, 9), st.sampled_from([None, 15, 16, 17, 18]), ours=st.booleans()),
    max_size=8,
    unique_by=lambda one: one.id,
)


@given(comments=COMMENTS, stored=st.none() | st.integers(1, 9))
def test_repeating_the_steps_leaves_one_comment_of_the_run(comments: list[PostedComment], stored: int | None) -> None:
    earlier = frozenset({RunId(16)})
    for _ in range(3):
        found = reconcile(MINE, comments, stored=stored, earlier=earlier)
        if isinstance(found.step, Create):
            comments = [*comments, comment(99, 17)]
            stored = 99
        else:
            stored = found.step.comment
        comments = [one for one in comments if one.id not in found.delete]
    marks = [marker_of(one.body) for one in comments if one.is_ours]
    assert marks.count("workflow-run:17") == 1
    assert "workflow-run:16" not in marks
    assert [one.id for one in comments if one.is_ours and marker_of(one.body) == "workflow-run:17"] == [stored]
