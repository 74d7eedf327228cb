"""Attempts that a dead worker left: Temporal is told, so that nobody waits for their heartbeat to run out."""

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
"""Cases asked about at the same time."""


async def end_abandoned(client: Client, attempts: list[RunningAttempt]) -> int:
    """Tell Temporal of attempts whose worker died here: their cases need not wait for a heartbeat to run out."""
    ended = 0
    for attempt in attempts:
        if not is_gone(attempt.worker):
            continue
        ended += await _end(client.get_async_activity_handle(task_token=attempt.activity))
    return ended


async def end_all_begun(client: Client) -> int:
    """Only on a server that nobody's workers use but ours, and before they start: then whatever was begun there has
    died with the host before this one. A build or a push begins again at once, and not when its heartbeat runs out."""
    turns = asyncio.Semaphore(_AT_ONCE)

    async def one(case: WorkflowExecution) -> int:
        async with turns:
            return await _end_begun(client, case)

    running = [case async for case in client.list_workflows('ExecutionStatus = "Running"')]
    return sum(await asyncio.gather(*map(one, running)))


async def _end_begun(client: Client, case: WorkflowExecution) -> int:
    try:
        described = await client.get_workflow_handle(case.id, run_id=case.run_id).describe()
    except RPCError:
        return 0  # over by now
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
