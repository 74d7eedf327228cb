"""What a host does once it has the lock: waits for Temporal's server, and works until it is stopped or idle."""

import asyncio
import os
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime

import structlog

import caseworker
from caseworker.agents.preload import preload
from caseworker.app.bell import embedded_address, make_doorbell
from caseworker.app.processes.find_host import is_busy, settings_fingerprint
from caseworker.app.processes.issue_door import IssueDoor, open_door
from caseworker.app.processes.process_setup import end_loading
from caseworker.app.processes.worker_loop import work
from caseworker.app.settings import Settings
from caseworker.app.unpriced_models import told_unpriced, unpriced
from caseworker.core.base.errors import Refused, Transient
from caseworker.engine.abandoned import end_all_begun
from caseworker.engine.client import connect
from caseworker.engine.host import HostFile, HostPlace, code_fingerprint
from caseworker.engine.identity import started_at
from caseworker.engine.server import TemporalServer
from caseworker.ports import Store
from caseworker.store.store import open_store

log = structlog.get_logger()

_LOOK_SECONDS = 2.0


async def serve(
    settings: Settings, place: HostPlace, server: TemporalServer, *, stop: asyncio.Event, bell: asyncio.Event
) -> None:
    """`server` is spawned already, and ended here."""
    starting = asyncio.create_task(server.start())
    loading: asyncio.Task[None] | None = None
    store = await open_store(settings.database, daily_micros=settings.daily_micros)
    try:
        await starting
        client = await connect(embedded_address(settings, server.address.target))
        if ended := await end_all_begun(client):
            log.info("what a dead host had begun is begun again", activities=ended)
        door = IssueDoor(settings=settings, store=store, doorbell=make_doorbell(client, store))
        async with open_door(place.door, door):
            place.write(_host_file(server, settings))
            loading = asyncio.create_task(_load())  # not earlier: a command waits for what is above
            log.info("host started", pid=os.getpid(), temporal=server.address.target)
            if unknown := unpriced(settings):
                log.warning(told_unpriced(unknown))
            watchers = [
                asyncio.create_task(_keep_alive(server, place, settings)),
                asyncio.create_task(_stop_when_idle(stop, store, place, settings.idle_minutes * 60)),
            ]
            for watcher in watchers:
                watcher.add_done_callback(lambda done: _stop_if_watcher_died(done, stop))
            try:
                await work(client, store, settings, bell=bell, until=_wait_for_stop(stop, place))
            finally:
                for watcher in watchers:
                    watcher.cancel()
                await asyncio.gather(*watchers, return_exceptions=True)
    finally:
        if loading is not None:
            loading.cancel()
        starting.cancel()
        with suppress(asyncio.CancelledError, Refused):
            await starting
        await server.stop()
        await store.close()
        log.info("host stopped")


async def _load() -> None:
    """Load what the first turn needs, in a thread. The first case begins meanwhile, and is not held up: by default each
    of its steps would wait 5 ms for the interpreter."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(usual / 10)
    try:
        await asyncio.to_thread(preload)
    finally:
        sys.setswitchinterval(usual)
        end_loading()  # not earlier: with the collector at work, the agent's SDK takes 1.6 s to import instead of 1.0


async def _wait_for_stop(stop: asyncio.Event, place: HostPlace) -> None:
    """Remove the host file first: a command that comes now finds the lock held, waits, and starts the next host."""
    await stop.wait()
    place.file.unlink(missing_ok=True)


def _stop_if_watcher_died(watcher: "asyncio.Task[None]", stop: asyncio.Event) -> None:
    """Stop the host if it can no longer watch its server or its idle time; the next command starts a new one."""
    if not watcher.cancelled() and watcher.exception() is not None:
        log.error("a watcher of the host died", error=repr(watcher.exception()))
        stop.set()


def _host_file(server: TemporalServer, settings: Settings) -> HostFile:
    return HostFile(
        pid=os.getpid(),
        process_started=started_at(os.getpid()),
        target=server.address.target,
        ui=server.ui_address,
        version=caseworker.__version__,
        code=code_fingerprint(),
        settings=settings_fingerprint(settings),
        started_at=datetime.now(UTC),
        temporal_pid=server.pid,
    )


async def _keep_alive(server: TemporalServer, place: HostPlace, settings: Settings) -> None:
    """Restart a dead server on the same ports with the same data; its clients reconnect by themselves."""
    while True:
        code = await server.wait()
        log.warning("temporal server ended", code=code)
        try:
            await server.restart()
        except Transient as error:
            log.error("temporal server did not come back", error=str(error))
            await asyncio.sleep(_LOOK_SECONDS)
            continue
        if not place.file.exists():
            return  # the host is stopping
        place.write(_host_file(server, settings))
        log.info("temporal server is back", pid=server.pid)


async def _stop_when_idle(stop: asyncio.Event, store: Store, place: HostPlace, limit: float) -> None:
    place.touch()
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        if await is_busy(store):
            place.touch()
        elif time.time() - place.touched.stat().st_mtime > limit:
            log.info("host is idle")
            stop.set()
            return
