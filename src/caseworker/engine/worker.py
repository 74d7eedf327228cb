"""The two Temporal workers of a process: one for flows and short activities, one for agent turns and builds."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, Final

from temporalio.client import Client
from temporalio.worker import UnsandboxedWorkflowRunner, Worker
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions

from caseworker import __version__
from caseworker.contract.names import FLOWS_QUEUE, TURNS_QUEUE

Activities = Sequence[Callable[..., Any]]  # bound methods of many signatures: Temporal's own type

BUILD_ID: Final = f"caseworker {__version__}"
"""Temporal's own default is a hash over the code of every imported module: 0.2 s for each worker."""
_SHUTDOWN = timedelta(seconds=10)
_FLOW_TASKS = 16
"""Flows that one process advances at the same time. They share one thread: with Temporal's default of 100, each takes
so long on a loaded machine that the server gives all of them up after 10 s, and their repetition fares no better."""


def sandboxed_runner() -> SandboxedWorkflowRunner:
    """For tests and replays: with it Temporal detects what a flow must not do.

    Core and contract are pure, so they are shared instead of being imported anew for each case.
    """
    shared = SandboxRestrictions.default.with_passthrough_modules("caseworker.core", "caseworker.contract")
    return SandboxedWorkflowRunner(restrictions=shared)


def make_workers(
    client: Client, *, workflows: Sequence[type], short: Activities, long: Activities, slots: int, cached: int = 200
) -> list[Worker]:
    return [
        Worker(
            client,
            build_id=BUILD_ID,
            task_queue=FLOWS_QUEUE,
            workflows=workflows,
            activities=short,
            # The sandbox takes an eighth of the worker's time; tests run the same flows inside it.
            workflow_runner=UnsandboxedWorkflowRunner(),
            max_cached_workflows=cached,
            max_concurrent_workflow_tasks=_FLOW_TASKS,
            # After a worker is killed, its cases wait for this long before another worker gets them.
            sticky_queue_schedule_to_start_timeout=timedelta(seconds=2),
            graceful_shutdown_timeout=_SHUTDOWN,
            # As below: a person who closes a case waits for the activity that this cancels.
            max_heartbeat_throttle_interval=timedelta(seconds=1),
            default_heartbeat_throttle_interval=timedelta(seconds=1),
        ),
        Worker(
            client,
            build_id=BUILD_ID,
            task_queue=TURNS_QUEUE,
            activities=long,
            max_concurrent_activities=slots,
            # An activity learns of its cancellation by a heartbeat: with the default it would take half a minute.
            max_heartbeat_throttle_interval=timedelta(seconds=1),
            default_heartbeat_throttle_interval=timedelta(seconds=1),
            graceful_shutdown_timeout=timedelta(seconds=1),
        ),
    ]
