"""Starts the host: Temporal's server and a worker in one detached process per home.

Takes the lock and spawns the server before it loads the worker's code, which takes longer than the server's start. A
host that was started early may not do that before it is called in: until then it loads that code, piece by piece.
"""

import asyncio
import signal
import sys
from importlib import import_module
from typing import Final

import structlog

from caseworker.app.load_settings import load_settings
from caseworker.app.processes.logs import set_up_logs
from caseworker.app.processes.process_setup import NICENESS, give_way, watch_children
from caseworker.app.settings import Settings
from caseworker.core.base.errors import Refused, Transient
from caseworker.engine.host import WAITING, HostPlace, is_called, wait_to_be_called
from caseworker.engine.server import TemporalServer

log = structlog.get_logger()

_PIECES: Final = (
    "sqlalchemy",
    "caseworker.ports",
    "caseworker.contract.wire",
    "caseworker.store.store",
    "temporalio.service",
    "temporalio.client",
    "caseworker.agents.claude",
    "caseworker.app.wiring",
    "caseworker.app.workers",
    "caseworker.app.processes.host_work",
)
"""The worker's code: the last one imports all others. Each takes at most 0.2 s more to import than those before it."""


def start() -> int:
    """Returns the exit code. The caller has switched the garbage collector off; it begins when all is loaded."""
    if WAITING in sys.argv:
        for piece in _PIECES:
            if is_called():
                break
            import_module(piece)
        if not wait_to_be_called():
            return 0
    settings = load_settings()
    set_up_logs(settings)
    place = HostPlace(settings.home)
    with place.held() as mine:
        if not mine:
            return 0  # another start was faster; our caller waits for that host
        try:
            asyncio.run(_serve(settings, place))
        except (Refused, Transient) as error:
            place.failure.write_text(f"The host could not start: {error}")
            log.error("host ended", reason=str(error))
            return 1
        except OSError as error:
            place.failure.write_text(
                f"The host could not start: {error.strerror or error} ({error.filename or settings.home}). "
                "Free some space or correct the folder's rights, then try again."
            )
            log.error("host ended", reason=str(error))
            return 1
    return 0


async def _serve(settings: Settings, place: HostPlace) -> None:
    watch_children()
    stop, bell = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    loop.add_signal_handler(signal.SIGUSR1, bell.set)  # a command sent a message
    server = TemporalServer(settings.home / "temporal", ui=settings.temporal_ui, niceness=NICENESS)
    if "--fresh-engine" in sys.argv:
        log.warning("engine data set aside", kept=str(server.set_aside()))
    await server.spawn()
    from caseworker.app.processes.host_work import serve

    give_way()
    await serve(settings, place, server, stop=stop, bell=bell)
