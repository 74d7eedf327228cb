"""Gives each world its own Temporal namespace, and clears its workflows and child processes at the end."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from uuid import uuid4

from google.protobuf.duration_pb2 import Duration
from temporalio.api.enums.v1 import EventType, PendingWorkflowTaskState
from temporalio.api.workflowservice.v1 import RegisterNamespaceRequest
from temporalio.client import Client, WorkflowHistory
from temporalio.service import RPCError, RPCStatusCode
from temporalio.worker import Replayer, UnsandboxedWorkflowRunner, Worker

from caseworker.app.workers import FLOWS
from caseworker.engine.server import server_binary
from caseworker.engine.worker import BUILD_ID
from tests.patience import LOOK
from tests.world.lateness import children, in_time

_DAY = 86_400
_RUNNING = "ExecutionStatus = 'Running'"


async def in_own_namespace(client: Client) -> Client:
    """Returns a client for a new namespace.

    Cases, workflows and queues have the same names in every world. In one namespace, a case that a failed test left
    behind would take the place of the next test's case, or keep that test's worker busy.
    """
    name = f"world-{uuid4().hex}"
    kept = Duration(seconds=_DAY)
    await client.workflow_service.register_namespace(
        RegisterNamespaceRequest(namespace=name, workflow_execution_retention_period=kept)
    )
    config = client.config()
    config["namespace"] = name
    return Client(**config)


async def end_workers(workers: Sequence[tuple[Worker, asyncio.Task[None]]]) -> None:
    """Stops the workers in the program's order: turns first, so that the flows still learn of their end."""
    for worker, running in reversed(workers):
        await worker.shutdown()
        await running


async def unfinished(client: Client) -> str:
    """Lists what the server still waits for in each workflow of the namespace.

    A local activity that is being retried appears only here, as a started workflow task: the process has no task or
    thread for it.
    """
    lines = ["--- workflows"]
    async for found in client.list_workflows(_RUNNING):
        told = (await client.get_workflow_handle(found.id).describe()).raw_description
        activities = [f"{it.activity_type.name} (attempt {it.attempt})" for it in told.pending_activities]
        task = PendingWorkflowTaskState.Name(told.pending_workflow_task.state)
        lines.append(f"{found.id}: {', '.join(activities) or 'no activity'}; {task.lower()}")
    return "\n".join(lines)


async def terminate_all(client: Client, known: Sequence[str], patience: float) -> None:
    """Ends every workflow of the namespace: first the known ones, then those of the server's list. The list also has
    workflows that the test does not know, but it is a moment behind."""
    async with in_time("the end of all workflows", patience):
        for workflow in known:
            await _terminate(client, workflow)
        while left := [found.id async for found in client.list_workflows(_RUNNING)]:
            for workflow in left:
                await _terminate(client, workflow)
            await asyncio.sleep(LOOK)


async def _terminate(client: Client, workflow: str) -> None:
    try:
        await client.get_workflow_handle(workflow).terminate("the scenario is over")
    except RPCError as error:
        if error.status is not RPCStatusCode.NOT_FOUND:  # it has ended by itself, or was never started
            raise


@asynccontextmanager
async def no_process_left(patience: float) -> AsyncIterator[None]:
    """Fails if a process that was started in the block is still there after it, and kills it. Temporal's server is
    exempt, as a test may have restarted it."""
    before = children()
    try:
        yield
    finally:
        server = str(server_binary())
        left = {pid: told for pid, told in children().items() if pid not in before and not told.startswith(server)}
        for pid in left:
            with suppress(ProcessLookupError):
                _kill(pid)
        async with in_time("the end of the processes left behind", patience):
            while left.keys() & children().keys():  # noqa: ASYNC110  # there is no event
                await asyncio.sleep(0.02)
        assert not left, f"left behind, and ended now: {left}"


def _kill(pid: int) -> None:
    """Kills the process, and its whole group if it leads one."""
    if os.getpgid(pid) == pid:
        os.killpg(pid, signal.SIGKILL)
    else:
        os.kill(pid, signal.SIGKILL)


async def wait_until_idle(client: Client, workflow: str, patience: float) -> None:
    """Waits until no activity and no workflow task is pending. The replayer hangs on a history with an open task."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        told = (await client.get_workflow_handle(workflow).describe()).raw_description
        if not told.pending_activities and not told.HasField("pending_workflow_task"):
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"the workflow {workflow} does not come to rest")


async def histories(client: Client, workflow: str) -> AsyncIterator[WorkflowHistory]:
    """Every run of a workflow, from the newest back to the first."""
    run: str | None = None
    while True:
        history = await client.get_workflow_handle(workflow, run_id=run).fetch_history()
        yield history
        run = history.events[0].workflow_execution_started_event_attributes.continued_execution_run_id
        if not run:
            break


async def replay(kept: Sequence[WorkflowHistory], client: Client, patience: float) -> None:
    """Replays them without Temporal's sandbox, for which every flow is imported anew. `tests/replay` has it."""
    begun = [history for history in kept if _has_begun(history)]
    if not begun:
        return
    reached = begun[:1]

    async def one_by_one() -> AsyncIterator[WorkflowHistory]:
        for history in begun:
            reached[:] = [history]
            yield history

    replayer = Replayer(
        workflows=FLOWS,
        workflow_runner=UnsandboxedWorkflowRunner(),
        data_converter=client.data_converter,
        build_id=BUILD_ID,
        debug_mode=True,  # a machine that is busy for two seconds is no deadlock
    )
    replaying = asyncio.create_task(replayer.replay_workflows(one_by_one()))
    done, _ = await asyncio.wait({replaying}, timeout=patience)
    assert done, f"the replay hangs after {_told(reached[0])}"  # not cancelled: a hanging replay ignores that
    replaying.result()


def _has_begun(history: WorkflowHistory) -> bool:
    """Tells whether there is anything to replay: a run that was just continued as new has done nothing yet."""
    return any(event.event_type == EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED for event in history.events)


def _told(history: WorkflowHistory) -> str:
    return ", ".join(EventType.Name(event.event_type).removeprefix("EVENT_TYPE_").lower() for event in history.events)
