"""A new host fails the activities of a dead one at once, instead of waiting for their heartbeat timeout."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from uuid import uuid4

import pytest
from temporalio import activity, workflow
from temporalio.api.enums.v1 import PendingActivityState
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import PollActivityTaskQueueRequest
from temporalio.client import Client, WorkflowFailureError, WorkflowHandle
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, ApplicationError
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from caseworker.contract.names import WORKER_DIED
from caseworker.engine.abandoned import end_all_begun
from caseworker.engine.client import connect
from caseworker.engine.temporal_address import Address
from tests.patience import PATIENCE
from tests.world.teardown import in_own_namespace


@activity.defn
async def long_work() -> None:
    raise AssertionError("the worker that begins this dies before it can do it")


@workflow.defn(sandboxed=False)
class WaitsForLongWork:
    @workflow.run
    async def run(self, queue: str) -> None:
        await workflow.execute_activity(
            long_work,
            task_queue=queue,
            start_to_close_timeout=timedelta(hours=1),
            heartbeat_timeout=timedelta(hours=1),
            retry_policy=RetryPolicy(maximum_attempts=1),
        )


@asynccontextmanager
async def waiting_workflow(client: Client) -> AsyncIterator[WorkflowHandle[WaitsForLongWork, None]]:
    """Starts a workflow that waits for an activity which no worker has taken yet."""
    name = f"waits-{uuid4()}"
    worker = Worker(client, task_queue=name, workflows=[WaitsForLongWork], workflow_runner=UnsandboxedWorkflowRunner())
    async with worker:
        handle = await client.start_workflow(WaitsForLongWork.run, f"{name}-long", id=name, task_queue=name)
        try:
            yield handle
        finally:
            if (await handle.describe()).close_time is None:
                await handle.terminate()


async def begin_and_die(client: Client, handle: WorkflowHandle[WaitsForLongWork, None]) -> None:
    """Takes the activity, as a worker does that dies afterwards."""
    taken = await client.workflow_service.poll_activity_task_queue(
        PollActivityTaskQueueRequest(
            namespace=client.namespace, task_queue=TaskQueue(name=f"{handle.id}-long"), identity="the dead"
        )
    )
    assert taken.task_token


async def states(handle: WorkflowHandle[WaitsForLongWork, None]) -> list[int]:
    return [pending.state for pending in (await handle.describe()).raw_description.pending_activities]


async def until_waiting(client: Client, handle: WorkflowHandle[WaitsForLongWork, None]) -> None:
    """Waits until the activity is scheduled and the workflow is listed; Temporal's lists lag behind."""
    async with asyncio.timeout(PATIENCE):
        while not (await states(handle) and await is_listed(client, handle)):  # noqa: ASYNC110  # there is no event
            await asyncio.sleep(0.02)


async def is_listed(client: Client, handle: WorkflowHandle[WaitsForLongWork, None]) -> bool:
    return handle.id in [found.id async for found in client.list_workflows('ExecutionStatus = "Running"')]


async def test_an_activity_of_a_dead_worker_fails_at_once(temporal: Address) -> None:
    client = await in_own_namespace(await connect(temporal))
    async with waiting_workflow(client) as handle:
        await begin_and_die(client, handle)
        await until_waiting(client, handle)
        assert await end_all_begun(client) >= 1
        with pytest.raises(WorkflowFailureError) as failed:
            await handle.result()
    assert isinstance(failed.value.cause, ActivityError)
    assert isinstance(failed.value.cause.cause, ApplicationError)
    assert failed.value.cause.cause.type == WORKER_DIED


async def test_an_activity_that_nobody_started_stays_scheduled(temporal: Address) -> None:
    client = await in_own_namespace(await connect(temporal))
    async with waiting_workflow(client) as handle:
        await until_waiting(client, handle)
        await end_all_begun(client)
        assert await states(handle) == [PendingActivityState.PENDING_ACTIVITY_STATE_SCHEDULED]
        await begin_and_die(client, handle)
        assert await states(handle) == [PendingActivityState.PENDING_ACTIVITY_STATE_STARTED]
