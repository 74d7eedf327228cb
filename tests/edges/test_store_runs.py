"""Runs on both databases: begun and ended with the case and its moves, their figures computed."""

import pytest
from sqlalchemy import insert

from caseworker.core.base.budget import Usage
from caseworker.core.base.case_kinds import CaseKind
from caseworker.core.base.errors import Defect
from caseworker.core.base.ids import CaseId, issue_case
from caseworker.core.base.policy import Milestone, Policy
from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.issue.case import Wait
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import WaitingFor
from caseworker.core.record.entries import Noted
from caseworker.core.runs.run import Run, RunState
from caseworker.store.columns import now
from caseworker.store.run_tables import runs
from caseworker.store.store import Store
from tests.edges.store_examples import TRACE, begun, case_file, complete, filed, open_bug, open_case, said, snapshot

S = IssueState


async def move(store: Store, case: CaseId, **changes: object) -> None:
    """A move that says nothing but its changes."""
    before = await snapshot(store, case)
    after = before.updated(transitions=before.progress.transitions + 1, **changes)
    await store.cases.move(after, [Noted(text="moved")], await case_file(store, case), trace=TRACE)


async def work(store: Store, case: CaseId, turn: int, micros: int) -> None:
    attempt = await begun(store, case, turn)
    call = await store.ledger.reserve(attempt, model="m", micros=micros, cap_micros=1_000_000, rehearsed=False)
    assert call is not None
    await store.ledger.settle(call, Usage(), micros)
    assert await complete(store, attempt)


def told(found: list[Run]) -> list[tuple[str, str, int, int]]:
    return [(run.workflow.value, run.state.value, run.turns, run.cost_micros) for run in found]


async def test_a_case_is_opened_with_the_run_that_goes_as_far_as_it_may(store: Store) -> None:
    issue = await filed(store)
    case = issue_case(issue.repository, issue.number)
    policy = Policy(until=Milestone.PLAN)
    assert await store.cases.open(issue, policy=policy, rehearsal=None, trace=TRACE, first=said(case))
    (run,) = await store.runs.of(case)
    assert (run.workflow, run.state, run.ended_at) == (WorkflowName.PLAN, RunState.QUEUED, None)
    assert run.artifact == "PLAN.md"


async def test_opening_a_case_again_begins_no_second_run(store: Store) -> None:
    issue = await filed(store)
    case = await open_case(store)
    assert not await store.cases.open(issue, policy=Policy(), rehearsal=None, trace=TRACE, first=said(case))
    assert len(await store.runs.of(case)) == 1


async def test_a_run_is_running_once_somebody_has_begun_to_work(store: Store) -> None:
    case = await open_case(store)
    await begun(store, case, 1)
    assert told(await store.runs.of(case)) == [("implement", "running", 0, 0)]


async def test_every_turn_is_counted_in_one_run(store: Store) -> None:
    case = await open_case(store)
    await work(store, case, 1, 100)
    await move(store, case, state=S.IMPLEMENTING, turns=1)
    await work(store, case, 2, 20)
    await move(store, case, state=S.WAITING_FOR_HUMAN_INPUT, wait=Wait(reason=WaitingFor.MERGE), turns=2)
    await work(store, case, 3, 3)  # the pm reads what was said of the pull request
    await move(store, case, state=S.ADDRESSING_FEEDBACK, wait=None, turns=3)
    await begun(store, case, 4)
    first, second = await store.runs.of(case)
    assert told([first, second]) == [("implement", "succeeded", 3, 123), ("implement", "running", 0, 0)]
    assert first.ended_at is not None
    assert first.wall_clock_ms == int((first.ended_at - first.began_at).total_seconds() * 1000)


async def test_a_milestone_ends_a_run_and_its_approval_begins_the_next(store: Store) -> None:
    case = await open_case(store)
    await move(store, case, state=S.PLANNING_APPROACH, until=Milestone.PLAN)
    await move(store, case, state=S.WAITING_FOR_HUMAN_INPUT, wait=Wait(reason=WaitingFor.MILESTONE))
    await move(store, case, state=S.CREATING_TESTS, wait=None, until=Milestone.PR)
    await move(store, case, state=S.FAILED)
    found = [(run.workflow.value, run.state.value) for run in await store.runs.of(case)]
    assert found == [("implement", "incomplete"), ("plan", "succeeded"), ("implement", "failed")]


async def test_a_move_that_is_repeated_begins_no_second_run(store: Store) -> None:
    case = await open_case(store)
    await move(store, case, state=S.CLOSED)
    after = (await snapshot(store, case)).updated(state=S.IMPLEMENTING, epoch=2)
    for _ in range(2):
        await store.cases.move(after, [Noted(text="again")], await case_file(store, case), trace=TRACE)
    assert [run.state for run in await store.runs.of(case)] == [RunState.INCOMPLETE, RunState.QUEUED]


async def test_two_runs_of_one_workflow_are_never_in_flight_on_a_case(store: Store) -> None:
    case = await open_case(store)
    row = {"case": case, "workflow": WorkflowName.IMPLEMENT, "turns_before": 0, "began_at": now()}
    with pytest.raises(Defect):
        async with store.database.writing() as connection:
            await connection.execute(insert(runs).values(row))


async def test_a_case_of_any_kind_is_found_with_its_kind(store: Store) -> None:
    issue, bug = await open_case(store), await open_bug(store)
    found = [await store.cases.find(case) for case in (issue, bug, CaseId("bug-0000"))]
    assert [None if one is None else (one.kind, one.case.id) for one in found] == [
        (CaseKind.ISSUE, issue),
        (CaseKind.BUG, bug),
        None,
    ]
    assert {one.case.id for one in await store.cases.all()} == {issue, bug}
    assert await store.runs.of(bug) == []
