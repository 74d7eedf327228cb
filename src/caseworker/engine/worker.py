"""The two workers of a process: flows with short activities, and the few slots for agents and builds."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from temporalio.client import Client
from temporalio.worker import UnsandboxedWorkflowRunner, Worker
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions

from caseworker.contract.names import FLOWS_QUEUE, TURNS_QUEUE

Activities = Sequence[Callable[..., Any]]  # bound methods of many signatures: Temporal's own type

_SHUTDOWN = timedelta(seconds=10)


def sandboxed_runner() -> SandboxedWorkflowRunner:
    """For tests and replays: there Temporal sees what a flow must not do. Core and contract are pure, so they are
    shared, not imported anew per case."""
    shared = SandboxRestrictions.default.with_passthrough_modules("caseworker.core", "caseworker.contract")
    return SandboxedWorkflowRunner(restrictions=shared)


def make_workers(
    client: Client, *, workflows: Sequence[type], short: Activities, long: Activities, slots: int, cached: int = 200
) -> list[Worker]:
    return [
        Worker(
            client,
            task_queue=FLOWS_QUEUE,
            workflows=workflows,
            activities=short,
            # The same flows that the tests run in the sandbox, which takes an eighth of the worker's time.
            workflow_runner=UnsandboxedWorkflowRunner(),
            max_cached_workflows=cached,
            # A killed worker's sticky queue holds its cases up for this long.
            sticky_queue_schedule_to_start_timeout=timedelta(seconds=2),
            graceful_shutdown_timeout=_SHUTDOWN,
            # As below: a close waits for what it interrupts.
            max_heartbeat_throttle_interval=timedelta(seconds=1),
            default_heartbeat_throttle_interval=timedelta(seconds=1),
        ),
        Worker(
            client,
            task_queue=TURNS_QUEUE,
            activities=long,
            max_concurrent_activities=slots,
            # Cancellation travels on heartbeats: with the default it would take half a minute.
            max_heartbeat_throttle_interval=timedelta(seconds=1),
            default_heartbeat_throttle_interval=timedelta(seconds=1),
            graceful_shutdown_timeout=timedelta(seconds=1),
        ),
    ]
