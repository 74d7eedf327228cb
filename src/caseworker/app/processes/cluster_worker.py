"""`caseworker worker`: runs a worker in the foreground, for a cluster."""

import asyncio
import signal

from caseworker.app.bell import cluster_address
from caseworker.app.processes.process_setup import end_loading, give_way, watch_children
from caseworker.app.processes.start_checks import check_sandbox
from caseworker.app.processes.worker_loop import work
from caseworker.app.settings import Settings, make_home
from caseworker.core.base.errors import Refused
from caseworker.engine.client import connect
from caseworker.store.store import open_store


async def run_worker(settings: Settings) -> int:
    if settings.is_embedded:
        raise Refused(
            "No cluster is named, and the embedded engine brings its own worker.",
            todo="Set CASEWORKER_TEMPORAL_ADDRESS, or use `caseworker host start`.",
        )
    await check_sandbox(settings)
    give_way()
    watch_children()
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    make_home(settings)
    store = await open_store(settings.database, daily_micros=settings.daily_micros)
    try:
        client = await connect(cluster_address(settings))
        end_loading()
        await work(client, store, settings, bell=asyncio.Event(), until=stop.wait())
    finally:
        await store.close()
    return 0
