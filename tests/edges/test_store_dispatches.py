"""Dispatches on both databases: a run and the message that starts it are inserted together, and once."""

import pytest

from caseworker.core.base.errors import Transient
from caseworker.core.base.ids import CaseId
from caseworker.core.base.workflow_names import WorkflowName
from caseworker.core.people.messages import Audience
from caseworker.core.runs.run import RunState
from caseworker.ports.deliveries import NewDispatch
from caseworker.store.store import Store
from tests.edges.delivery_examples import dispatched, message_to, thread_of

PLAN = NewDispatch(key="plan it", workflow=WorkflowName.PLAN, reference="comment:10")


async def go_on(store: Store, case: CaseId, asked: NewDispatch = PLAN, *, moves: int = 0) -> bool:
    message = message_to(case, f"run {asked.key}")
    return await store.dispatches.go_on(asked, message, thread=thread_of(7), moves=moves)


async def workflows(store: Store, case: CaseId) -> list[str]:
    return [run.workflow for run in await store.runs.of(case)]


async def test_a_case_is_opened_with_its_run_its_thread_and_its_dispatch(store: Store) -> None:
    case = await dispatched(store, key="asked")
    found = await store.dispatches.of("asked")
    assert found is not None
    [run] = await store.runs.of(case)
    assert (found.case, found.run, found.workflow, found.state) == (case, run.id, WorkflowName.TRIAGE, None)
    assert await store.threads.bound(case) == [(Audience.DEVELOPERS, thread_of(7))]


async def test_asking_twice_with_one_key_is_asking_once(store: Store) -> None:
    case = await dispatched(store)
    assert [await go_on(store, case), await go_on(store, case)] == [True, True]
    assert await workflows(store, case) == ["triage", "plan"]
    assert len(await store.inbox.of(case)) == 2


async def test_a_second_request_for_a_workflow_in_flight_is_rejected_by_the_database(store: Store) -> None:
    case = await dispatched(store)
    assert await go_on(store, case)
    assert not await go_on(store, case, PLAN.model_copy(update={"key": "again"}))
    assert await workflows(store, case) == ["triage", "plan"]
    assert len(await store.inbox.of(case)) == 2


async def test_a_case_that_moved_meanwhile_is_decided_again(store: Store) -> None:
    case = await dispatched(store)
    with pytest.raises(Transient, match="has moved meanwhile"):
        await go_on(store, case, moves=3)
    assert await workflows(store, case) == ["triage"]


async def test_a_run_whose_start_is_refused_ends(store: Store) -> None:
    case = await dispatched(store)
    await store.dispatches.go_on(PLAN, message_to(case, PLAN.key), thread=thread_of(7), moves=0)
    start = (await store.inbox.of(case))[-1]
    await store.inbox.settle([start.id], "not done: somebody has taken it over", refused=True)
    assert [run.state for run in await store.runs.of(case)] == [RunState.QUEUED, RunState.INCOMPLETE]
    assert [one.key for one in await store.dispatches.untold()] == [PLAN.key]


async def test_a_run_that_ended_is_told_once(store: Store) -> None:
    case = await dispatched(store, key="asked")
    assert await store.dispatches.untold() == []
    stored = await store.cases.load(case)
    assert stored is not None
    closed = stored.case.model_validate(stored.case.model_dump() | {"state": "closed"})
    await store.cases.move(closed.updated(transitions=1), [], stored.file, trace=stored.trace)
    [ended] = await store.dispatches.untold()
    assert (ended.key, ended.state) == ("asked", RunState.INCOMPLETE)
    await store.dispatches.tell("asked", RunState.INCOMPLETE)
    assert await store.dispatches.untold() == []
