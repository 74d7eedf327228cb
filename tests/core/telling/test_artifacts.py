"""The artifacts of runs, compared whole."""

from datetime import UTC, datetime

from caseworker.core.base.ids import CaseId, RunId
from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.issue.states import IssueState
from caseworker.core.runs.run import Run, RunState
from caseworker.core.telling.artifacts import artifact_page
from caseworker.core.telling.summaries import Seen, Summary
from tests.core.examples import planned, triaged

AT = datetime(2026, 1, 2, tzinfo=UTC)


def run(workflow: WorkflowName) -> Run:
    return Run(
        id=RunId(1),
        workflow=workflow,
        case=CaseId("local/shop#1"),
        state=RunState.SUCCEEDED,
        turns_before=0,
        turns=5,
        cost_micros=420_000,
        wall_clock_ms=61_000,
        began_at=AT,
        ended_at=AT,
    )


SUMMARY = Summary(
    case="local/shop#1",
    title="The total is wrong",
    state=IssueState.WAITING_FOR_HUMAN_INPUT,
    stands="`agent/issue-1` is ready; a person merges it.",
    result="pull_request",
    wrong="The total is rounded twice.",
    changed="Round once.",
    files=["shop/cart.py"],
    red=Seen(command="pytest", commit="a" * 40, exit_code=1, last_line="1 failed"),
    green=Seen(command="pytest", commit="b" * 40, exit_code=0, last_line="3 passed"),
    branch="agent/issue-1",
    pull_request=7,
    turns=5,
    model_calls=9,
    cost_micros=420_000,
    rehearsed=False,
    seconds=61,
)


def test_the_artifact_of_an_implement_run_has_proof_and_cost() -> None:
    assert (
        artifact_page(run(WorkflowName.IMPLEMENT), SUMMARY, [])
        == """# The total is wrong

succeeded, $0.42, 5 turns, 61 s

How it stands: `agent/issue-1` is ready; a person merges it.

## Cause, it says

The total is rounded twice.

## Fix, it says

Round once.

- `shop/cart.py`

## Evidence

- Seen to fail: `pytest` on `aaaaaaaaaaaa`, exit code 1
- Seen to pass: `pytest` on `bbbbbbbbbbbb`, exit code 0

Branch `agent/issue-1`.
"""
    )


def test_the_artifact_of_unfinished_work_has_only_its_status() -> None:
    bare: dict[str, object] = {
        "stands": "It failed.",
        "wrong": "",
        "changed": "",
        "files": [],
        "red": None,
        "green": None,
    }
    summary = SUMMARY.model_copy(update={**bare, "pull_request": None})
    failed = run(WorkflowName.IMPLEMENT).model_copy(update={"state": RunState.FAILED, "turns": 1})
    told = artifact_page(failed, summary, [])
    assert told == "# The total is wrong\n\nfailed, $0.42, 1 turn, 61 s\n\nHow it stands: It failed.\n"


def test_the_artifact_of_a_plan_run_is_the_plan_as_written() -> None:
    plan = planned().model_copy(update={"plan": "# Plan\n\n1. Round once.\n\n"})
    assert artifact_page(run(WorkflowName.PLAN), SUMMARY, [plan]) == "# Plan\n\n1. Round once.\n"
    assert artifact_page(run(WorkflowName.PLAN), SUMMARY, []) is None


def test_the_artifact_of_a_triage_run_has_its_verdict() -> None:
    assert (
        artifact_page(run(WorkflowName.TRIAGE), SUMMARY, [triaged()])
        == """# Triage

A clear bug.

- Verdict: PROCEED
- Type: BUG_FIX
- Size: SMALL, simple
- Sensitive topics: none
"""
    )
