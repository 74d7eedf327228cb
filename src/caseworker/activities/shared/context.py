"""Context managers for running activities: heartbeats, translation of refusals, and the trace in the log."""

import asyncio
import errno
from collections.abc import AsyncIterator, Awaitable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import structlog
from temporalio import activity
from temporalio.exceptions import ApplicationError

from caseworker.contract.names import PASSING, REFUSED
from caseworker.contract.wire import Postponed
from caseworker.core.base.errors import RateLimited, Refused, Transient
from caseworker.core.base.ids import CaseId, TraceId
from caseworker.core.record.entries import Noted
from caseworker.ports import Store, StoredAny

log = structlog.get_logger()

R = TypeVar("R")
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


_DISK_IS_FULL = (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def attempts_told() -> Iterator[None]:
    """Send a refusal to the flow like `refusals_told`, and tell it of trouble that is not the attempt's fault: the flow
    repeats such an attempt without limit. That a full disk ended one can often not be recorded, so it is raised."""
    try:
        with refusals_told():
            yield
    except Transient as error:
        raise ApplicationError(str(error), type=PASSING) from error
    except OSError as error:
        if error.errno not in _DISK_IS_FULL:
            raise
        raise ApplicationError(f"the disk is full: {error}", type=PASSING) from error


_NOTED_TRIES = (3, 10, 100)


@asynccontextmanager
async def short_work(store: Store, stored: StoredAny) -> AsyncIterator[None]:
    """Heartbeat, translate refusals, and note on the record when repeated tries fail, where people look."""
    try:
        with refusals_told():
            async with beating():
                yield
    except RateLimited as limited:  # Temporal's server waits: no message has to be heard here
        delay = timedelta(seconds=limited.seconds)
        raise ApplicationError(str(limited), type=RateLimited.__name__, next_retry_delay=delay) from limited
    except (OSError, Transient) as error:
        tries = activity.info().attempt
        if tries in _NOTED_TRIES:
            what = activity.info().activity_type.replace("_", " ")
            note = Noted(text=f"After {tries} tries to {what}: {error}. It will be tried again.")
            await store.record.append(stored.case.id, [note], trace=stored.trace)
        raise


async def unless_limited(work: Awaitable[R]) -> R | Postponed:
    """Turns a rate limit into a value with its end: a flow waits for it without holding a worker."""
    try:
        return await work
    except RateLimited as limited:
        log.info("a service asks us to wait", place=limited.place, seconds=limited.seconds)
        return Postponed(channel=limited.place, until=datetime.now(UTC) + timedelta(seconds=limited.seconds))


async def finish_if_cancelled(request: Coroutine[Any, Any, R]) -> R:
    """Finish the request even if cancelled: it may still reach the server, after a search that did not find it."""
    task = asyncio.ensure_future(request)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


@contextmanager
def traced(trace: TraceId, case: CaseId, **more: object) -> Iterator[None]:
    with structlog.contextvars.bound_contextvars(trace=trace, case=case, **more):
        yield
