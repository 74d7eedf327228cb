"""Attempts that a dead worker left: Temporal is told, so that nobody waits for their heartbeat to run out."""

from temporalio.client import Client
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError

from caseworker.contract.names import WORKER_DIED
from caseworker.engine.identity import is_gone
from caseworker.ports import RunningAttempt


async def end_abandoned(client: Client, attempts: list[RunningAttempt]) -> int:
    """Tell Temporal of attempts whose worker died here: their cases need not wait for a heartbeat to run out."""
    ended = 0
    for attempt in attempts:
        if not is_gone(attempt.worker):
            continue
        handle = client.get_async_activity_handle(task_token=attempt.activity)
        try:
            await handle.fail(ApplicationError("the worker died", type=WORKER_DIED))
        except RPCError:
            continue  # timed out or superseded already: nothing waits for it
        ended += 1
    return ended
