"""Keeps the host of this home alive while `caseworker serve` listens."""

import asyncio
from typing import Final

import structlog

from caseworker.app.processes.find_host import settings_fingerprint, start_host
from caseworker.app.settings import Settings
from caseworker.core.base.errors import Refused
from caseworker.engine.host import HostPlace

log = structlog.get_logger()

LOOK_SECONDS: Final = 2.0


async def keep_host_alive(settings: Settings) -> None:
    """Runs until cancelled. Restarts a host that died; one that was stopped on purpose stays stopped, and a warning
    says so."""
    place, told = HostPlace(settings.home), ""
    while True:
        place.touch()
        problem = ""
        if place.stopped.exists():
            problem = "the host was stopped on purpose: cases wait until `caseworker host start`"
        else:
            running = await asyncio.to_thread(place.running)
            if running is None:
                problem = await _start(settings)
            elif running.settings != settings_fingerprint(settings):
                problem = "the host that runs has other settings than this: `caseworker host stop`, then start it here"
        if problem and problem != told:
            log.warning("the host needs a look", problem=problem)
        told = problem
        await asyncio.sleep(LOOK_SECONDS)


async def _start(settings: Settings) -> str:
    """The problem, or an empty text."""
    try:
        host = await asyncio.to_thread(start_host, settings)
    except Refused as refused:
        return str(refused)
    log.info("host started again", pid=host.pid)
    return ""
