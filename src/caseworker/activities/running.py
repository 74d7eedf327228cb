"""What every activity needs while it runs: beating, telling errors apart, and the trace in the log."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

import structlog
from temporalio import activity
from temporalio.exceptions import ApplicationError

from caseworker.contract.names import REFUSED
from caseworker.core.errors import Refused
from caseworker.core.ids import CaseId, TraceId

_BEAT_SECONDS = 0.5


@asynccontextmanager
async def beating() -> AsyncIterator[None]:
    """Heartbeats until the work is done: cancellation reaches an activity only through them."""

    async def beat() -> None:
        while True:
            activity.heartbeat()
            await asyncio.sleep(_BEAT_SECONDS)

    task = asyncio.create_task(beat())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@contextmanager
def refusals_told() -> Iterator[None]:
    """A refusal goes to the flow at once, as itself; everything else is retried by Temporal."""
    try:
        yield
    except Refused as refused:
        raise ApplicationError(str(refused), type=REFUSED, non_retryable=True) from refused


@contextmanager
def traced(trace: TraceId, case: CaseId, **more: object) -> Iterator[None]:
    with structlog.contextvars.bound_contextvars(trace=trace, case=case, **more):
        yield
