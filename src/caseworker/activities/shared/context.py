"""What every activity needs while it runs: beating, telling errors apart, and the trace in the log."""

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
    """Heartbeats until the work is done: cancellation reaches an activity only through them. Not at once: most work is
    done before the first would be of use, and each is a call to the server."""

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
    """A refusal goes to the flow at once, as itself; everything else is retried by Temporal."""
    try:
        yield
    except Refused as refused:
        raise ApplicationError(str(refused), type=REFUSED, non_retryable=True) from refused


_STUCK_AT = (3, 10, 100)


@asynccontextmanager
async def short_work(store: Store, stored: StoredAny) -> AsyncIterator[None]:
    """Beats, tells refusals, and puts a trouble that does not pass on the record, where people look."""
    try:
        with refusals_told():
            async with beating():
                yield
    except (OSError, Transient) as error:
        tries = activity.info().attempt
        if tries in _STUCK_AT:
            what = activity.info().activity_type.replace("_", " ")
            note = Noted(text=f"After {tries} tries to {what}: {error}. It will be tried again.")
            await store.record.append(stored.case.id, [note], trace=stored.trace)
        raise


@contextmanager
def traced(trace: TraceId, case: CaseId, **more: object) -> Iterator[None]:
    with structlog.contextvars.bound_contextvars(trace=trace, case=case, **more):
        yield
