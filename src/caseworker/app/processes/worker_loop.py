"""Runs a worker: both queues and the reconciler. On shutdown short work finishes and long work is given back."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from functools import partial

import structlog
from temporalio.client import Client

from caseworker.agents.process import sweep_attempt_folders
from caseworker.app.parts import make_cache
from caseworker.app.retention import Retention
from caseworker.app.settings import Settings
from caseworker.app.wiring import make_parts, make_reconciler
from caseworker.app.workers import make_case_workers
from caseworker.core.base.errors import Transient
from caseworker.core.issue.routing import check_routing
from caseworker.engine.abandoned import end_abandoned
from caseworker.ports import Store

log = structlog.get_logger()

RING_SECONDS = 30.0
PULL_SECONDS = 3.0
RETENTION_SECONDS = 3_600.0


async def work(
    client: Client, store: Store, settings: Settings, *, bell: asyncio.Event, until: Awaitable[object]
) -> None:
    """Runs until `until` is done. The caller has connected and opened the store; `bell` triggers an inbox check."""
    check_routing()
    parts = make_parts(settings, store, client)
    reconciler = make_reconciler(parts)
    swept = await asyncio.to_thread(sweep_attempt_folders)
    ended = await end_abandoned(client, await store.turns.running())
    if ended or swept:
        log.info("a dead worker's leftovers cleared", attempts=ended, folders=swept)
    async with AsyncExitStack() as stack:
        for worker in make_case_workers(client, parts, slots=settings.slots, today=settings.policy):
            await stack.enter_async_context(worker)
        loops = [
            asyncio.create_task(_every(RING_SECONDS, reconciler.ring_unclaimed, bell)),
            asyncio.create_task(_every(RING_SECONDS, reconciler.wake_the_silent, asyncio.Event())),
            asyncio.create_task(_every(PULL_SECONDS, reconciler.look_at_pull_requests, asyncio.Event())),
            asyncio.create_task(_every(RETENTION_SECONDS, partial(_trim_cache, settings), asyncio.Event())),
        ]
        if (days := settings.retention_days) is not None:
            retention = Retention(store=store, workspaces=parts.workspaces, days=days)
            loops.append(asyncio.create_task(_every(RETENTION_SECONDS, retention.look, asyncio.Event())))
        try:
            await until
        finally:
            for loop in loops:
                loop.cancel()
            await asyncio.gather(*loops, return_exceptions=True)


async def _trim_cache(settings: Settings) -> None:
    """Also for repositories without a set-up: theirs may have large files."""
    await asyncio.to_thread(make_cache(settings).trim)


async def _every(seconds: float, look: Callable[[], Awaitable[None]], bell: asyncio.Event) -> None:
    """Repeat a look as long as the worker lives. A failed look is logged and repeated."""
    while True:
        bell.clear()
        try:
            await look()
        except Transient as error:
            log.warning("the look will be repeated", error=str(error))
        except Exception:  # a worker that stopped looking would be worse than one that logs an error every 30 s
            log.exception("the look failed; it will be repeated")
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):  # wait_for of Python 3.11 may swallow a cancellation
                await bell.wait()
