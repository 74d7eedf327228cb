"""Reports activities of dead workers to Temporal as failed, so that cases don't wait for a heartbeat timeout."""

import asyncio
from typing import Final

from temporalio.api.enums.v1 import PendingActivityState
from temporalio.client import AsyncActivityHandle, Client, WorkflowExecution
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError

from caseworker.contract.names import WORKER_DIED
from caseworker.engine.identity import is_gone
from caseworker.ports import RunningAttempt

_AT_ONCE: Final = 16
"""Cases that are looked up at the same time."""


async def end_abandoned(client: Client, attempts: list[RunningAttempt]) -> int:
    """Fails the attempts whose worker has died on this machine. Returns how many."""
    ended = 0
    for attempt in attempts:
        if not is_gone(attempt.worker):
            continue
        ended += await _end(client.get_async_activity_handle(task_token=attempt.activity))
    return ended


async def end_all_begun(client: Client) -> int:
    """Fails all activities that have begun, so that builds and pushes are retried at once. Returns how many.

    Only for a server that no other workers use, and before ours start: then whatever had begun died with the last host.
    """
    slots = asyncio.Semaphore(_AT_ONCE)

    async def one(case: WorkflowExecution) -> int:
        async with slots:
            return await _end_begun(client, case)

    running = [case async for case in client.list_workflows('ExecutionStatus = "Running"')]
    return sum(await asyncio.gather(*map(one, running)))


async def _end_begun(client: Client, case: WorkflowExecution) -> int:
    try:
        described = await client.get_workflow_handle(case.id, run_id=case.run_id).describe()
    except RPCError:
        return 0  # it has ended meanwhile
    begun = [
        pending.activity_id
        for pending in described.raw_description.pending_activities
        if pending.state == PendingActivityState.PENDING_ACTIVITY_STATE_STARTED
    ]
    handles = [client.get_async_activity_handle(workflow_id=case.id, run_id=case.run_id, activity_id=i) for i in begun]
    return sum([await _end(handle) for handle in handles])


async def _end(activity: AsyncActivityHandle) -> bool:
    try:
        await activity.fail(ApplicationError("the worker died", type=WORKER_DIED))
    except RPCError:
        return False  # timed out or superseded already: nothing waits for it
    return True
