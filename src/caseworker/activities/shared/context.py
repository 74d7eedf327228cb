"""Context managers for running activities: heartbeats, translation of refusals, and the trace in the log."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

import structlog
from temporalio import activity
from temporalio.exceptions import ApplicationError

from caseworker.contract.names import REFUSED
from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.ids import CaseId, TraceId
from caseworker.core.record.entries import Noted
from caseworker.ports import Store, StoredAny

_BEAT_SECONDS = 0.5


@asynccontextmanager
async def beating() -> AsyncIterator[None]:
    """Heartbeat until the work is done, since cancellation reaches an activity only through heartbeats. The first comes
    after a delay: most work is done before, and each one is a call to the server."""

    async def beat() -> None:
        while True:
            await asyncio.sleep(_BEAT_SECONDS)
            activity.heartbeat()

    task = asyncio.create_task(beat())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@contextmanager
def refusals_told() -> Iterator[None]:
    """Send a refusal to the flow as a non-retryable error; Temporal retries everything else."""
    try:
        yield
    except Refused as refused:
        raise ApplicationError(str(refused), type=REFUSED, non_retryable=True) from refused


_NOTED_TRIES = (3, 10, 100)


@asynccontextmanager
async def short_work(store: Store, stored: StoredAny) -> AsyncIterator[None]:
    """Heartbeat, translate refusals, and note on the record when repeated tries fail, where people look."""
    try:
        with refusals_told():
            async with beating():
                yield
    except (OSError, Transient) as error:
        tries = activity.info().attempt
        if tries in _NOTED_TRIES:
            what = activity.info().activity_type.replace("_", " ")
            note = Noted(text=f"After {tries} tries to {what}: {error}. It will be tried again.")
            await store.record.append(stored.case.id, [note], trace=stored.trace)
        raise


@contextmanager
def traced(trace: TraceId, case: CaseId, **more: object) -> Iterator[None]:
    with structlog.contextvars.bound_contextvars(trace=trace, case=case, **more):
        yield
