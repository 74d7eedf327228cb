"""Another user of the machine reaches Temporal's port, which asks nobody who they are. They learn and steer nothing."""

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from temporalio import workflow
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import PollActivityTaskQueueRequest, PollWorkflowTaskQueueRequest
from temporalio.client import AsyncActivityHandle, Client, WorkflowFailureError
from temporalio.common import RetryPolicy, WorkflowIDConflictPolicy
from temporalio.exceptions import ActivityError, ApplicationError
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from caseworker.contract.names import (
    CLOSE_REQUESTED,
    FLOWS_QUEUE,
    INCOMING_MESSAGE,
    REFUSED,
    TURNS_QUEUE,
    sla_workflow_id,
    workflow_id,
)
from caseworker.contract.wire import CaseInput, PushRequest
from caseworker.core.base.ids import CaseId, Sha
from caseworker.core.base.roles import Role
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.subjects import Subject, WaitingFor
from caseworker.engine.client import connect
from caseworker.engine.temporal_address import Address
from tests.scenarios.conftest import end
from tests.world.world import CaseInWorld, World, open_world

KEYS = (b"0123456789abcdef0123456789abcdef",)
STRANGE_QUEUE = "strange"


@pytest.fixture
async def sealed(home: Path, temporal: Address, request: pytest.FixtureRequest) -> AsyncIterator[World]:
    async with open_world(home, await connect(replace(temporal, keys=KEYS))) as world:
        world.policy = world.policy.model_copy(update={"approve_plan": True})
        yield world
        await end(world, request)


@pytest.fixture
async def stranger(sealed: World, temporal: Address) -> Client:
    return await connect(replace(temporal, namespace=sealed.client.namespace))


@workflow.defn
class Burglary:
    """Runs on the stranger's own worker and calls an activity of ours."""

    @workflow.run
    async def run(self, request: PushRequest) -> None:
        for queue in (FLOWS_QUEUE, TURNS_QUEUE):
            await workflow.execute_activity(
                "deliver",
                request,
                task_queue=queue,
                start_to_close_timeout=timedelta(seconds=20),
                retry_policy=RetryPolicy(maximum_attempts=1),
            )


async def waiting_case(world: World) -> CaseInWorld:
    case = await world.owner_files_issue(body="A secret: the safe is behind the mirror.")
    await case.expect_asked_for(Subject.PLAN)
    return case


async def test_a_stranger_can_not_call_an_activity(
    sealed: World, stranger: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    case = await waiting_case(sealed)
    stored = await case.stored()
    request = PushRequest(case=stored.case, commit=Sha("0" * 40))
    runner = UnsandboxedWorkflowRunner()
    async with Worker(stranger, task_queue=STRANGE_QUEUE, workflows=[Burglary], workflow_runner=runner):
        with pytest.raises(WorkflowFailureError) as failed:
            await stranger.execute_workflow(Burglary.run, request, id="burglary", task_queue=STRANGE_QUEUE)
    assert isinstance(failed.value.cause, ActivityError)
    assert str(failed.value.cause.cause).endswith("Encoded failure")  # even the reason is sealed
    assert "a payload that Caseworker did not send was refused" in capsys.readouterr().out
    assert (await case.stored()).case == stored.case


async def test_a_workflow_that_a_stranger_starts_ends_at_once(sealed: World, stranger: Client) -> None:
    start = CaseInput(case=CaseId("local/project#77"), policy=sealed.policy)
    handle = await stranger.start_workflow("IssueWorkflow", start, id="strange", task_queue=FLOWS_QUEUE)
    with pytest.raises(WorkflowFailureError) as failed:
        await handle.result()
    assert isinstance(failed.value.cause, ApplicationError)
    assert failed.value.cause.type == "Foreign"


async def test_the_signals_of_a_stranger_are_dropped(
    sealed: World, stranger: Client, caplog: pytest.LogCaptureFixture
) -> None:
    case = await waiting_case(sealed)
    handle = stranger.get_workflow_handle(workflow_id(case.id))
    before = await case.states()
    with caplog.at_level(logging.ERROR, logger="temporalio"):
        for signal in (CLOSE_REQUESTED, INCOMING_MESSAGE):
            await handle.signal(signal, 1)
            await handle.signal(signal)
        await case.person_approves()
        await case.expect_waiting(WaitingFor.MERGE)
    assert "dropping the signal" in caplog.text
    assert (await case.states())[: len(before)] == before
    await case.person_merges()
    await case.expect_end(IssueState.COMPLETED)


async def running_turn(stranger: Client, world: World, case: CaseInWorld) -> AsyncActivityHandle:
    """A turn of the case that has begun, as the stranger can name it."""
    await world.agent.reached(Role.PM)
    handle = stranger.get_workflow_handle(workflow_id(case.id))
    [pending] = (await handle.describe()).raw_description.pending_activities
    return stranger.get_async_activity_handle(workflow_id=handle.id, run_id=None, activity_id=pending.activity_id)


@pytest.mark.slow
async def test_a_failure_that_a_stranger_reports_is_not_believed(sealed: World, stranger: Client) -> None:
    release = sealed.agent.holds_in(Role.PM)
    case = await sealed.owner_files_issue()
    activity = await running_turn(stranger, sealed, case)

    await activity.fail(ApplicationError("your repository is gone", type=REFUSED, non_retryable=True))
    release()

    await case.expect_asked_for(Subject.PLAN)
    assert "your repository is gone" not in str(await case.record())


@pytest.mark.slow
async def test_a_result_that_a_stranger_leaves_out_is_not_believed(sealed: World, stranger: Client) -> None:
    release = sealed.agent.holds_in(Role.PM)
    case = await sealed.owner_files_issue()
    activity = await running_turn(stranger, sealed, case)

    await activity.complete()
    release()
    await sealed.reconciler_restarts(case.id)

    await case.expect_asked_for(Subject.PLAN)


async def takes_a_task_of_each_kind(stranger: Client) -> list[bytes]:
    """The stranger's worker asks our queues for work, and never answers. Returns what came with the tasks."""
    service, namespace = stranger.workflow_service, stranger.namespace
    flows, turns = TaskQueue(name=FLOWS_QUEUE), TaskQueue(name=TURNS_QUEUE)
    flow, turn = await asyncio.gather(
        service.poll_workflow_task_queue(PollWorkflowTaskQueueRequest(namespace=namespace, task_queue=flows)),
        service.poll_activity_task_queue(PollActivityTaskQueueRequest(namespace=namespace, task_queue=turns)),
    )
    return [flow.history.SerializeToString(), turn.input.SerializeToString()]


@pytest.mark.slow
async def test_a_strangers_worker_reads_nothing_and_holds_a_case_up_only_for_a_while(
    sealed: World, stranger: Client
) -> None:
    sealed.policy = sealed.policy.model_copy(update={"heartbeat_seconds": 5, "turn_heartbeat_seconds": 5})
    await sealed.worker_stops()  # so that the stranger is the first in both queues
    takes = asyncio.create_task(takes_a_task_of_each_kind(stranger))
    case = await sealed.owner_files_issue(body="A secret: the safe is behind the mirror.")
    await sealed.worker_starts()
    taken = await asyncio.wait_for(takes, sealed.patience)
    assert all(taken), "it got a task of each kind"
    assert not any(b'"policy"' in one for one in taken), "both inputs have it, sealed"
    await case.expect_asked_for(Subject.PLAN)


# Temporal's client never awaits the coroutine of a workflow that could not be made.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore:coroutine:RuntimeWarning")
async def test_a_workflow_without_input_does_not_keep_a_case_from_its_own(sealed: World, stranger: Client) -> None:
    name = workflow_id(CaseId("local/project#1"))
    handle = await stranger.start_workflow("IssueWorkflow", id=name, task_queue=FLOWS_QUEUE)
    with pytest.raises(WorkflowFailureError) as failed:
        await handle.result()
    assert isinstance(failed.value.cause, ApplicationError)
    assert failed.value.cause.type == "Foreign"
    await waiting_case(sealed)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "queue", "delay"),
    [
        ("IssueWorkflow", STRANGE_QUEUE, timedelta(0)),
        pytest.param("IssueWorkflow", FLOWS_QUEUE, timedelta(days=30), marks=pytest.mark.slow),
        pytest.param("Squatter", STRANGE_QUEUE, timedelta(0), marks=pytest.mark.slow),
    ],
)
async def test_a_workflow_that_nobody_runs_does_not_keep_a_case_from_its_own(
    sealed: World, stranger: Client, name: str, queue: str, delay: timedelta
) -> None:
    case = await waiting_case(sealed)
    place = workflow_id(case.id)
    instead = WorkflowIDConflictPolicy.TERMINATE_EXISTING
    handle = await stranger.start_workflow(
        name, id=place, task_queue=queue, start_delay=delay, id_conflict_policy=instead
    )
    await stranger.start_workflow(name, id=sla_workflow_id(CaseId("nobody")), task_queue=STRANGE_QUEUE)

    await sealed.reconciler_displaces(case.id, handle.first_execution_run_id)
    await case.person_approves()

    await case.expect_waiting(WaitingFor.MERGE)


@pytest.mark.slow
async def test_a_stranger_reads_nothing_of_a_case(sealed: World, stranger: Client) -> None:
    case = await waiting_case(sealed)
    history = await stranger.get_workflow_handle(workflow_id(case.id)).fetch_history()
    read = b"".join(event.SerializeToString() for event in history.events)
    for word in (b"behind the mirror", b"approve_plan", b'"case"', b"budget_micros"):
        assert word not in read
