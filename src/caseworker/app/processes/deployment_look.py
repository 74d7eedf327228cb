"""Looks at the parts of this deployment for the dashboard's health page."""

import asyncio
from contextlib import suppress
from typing import Final

import caseworker
from caseworker.app.settings import Settings
from caseworker.dashboard.deployment import Deployment
from caseworker.engine.host import HostPlace

_CONNECT_SECONDS: Final = 1.0


async def look_at_deployment(settings: Settings) -> Deployment:
    place = HostPlace(settings.home)
    host = await asyncio.to_thread(place.running) if settings.is_embedded else None
    target = settings.temporal_address or (host.target if host is not None else "")
    stopped = settings.is_embedded and host is None
    wanted = "The host was stopped on purpose: cases wait. `caseworker host start` starts it."
    missing = "No host runs: cases wait. `caseworker host start` starts it." if stopped else ""
    return Deployment(
        version=caseworker.__version__,
        database="PostgreSQL" if settings.database_url.startswith("postgresql") else "SQLite",
        engine=f"embedded, {target}" if settings.is_embedded and target else target,
        engine_answers=await _answers(target) if target else None,
        host=f"process {host.pid}, since {host.started_at:%Y-%m-%d %H:%M} UTC" if host is not None else "",
        slots=settings.slots,
        developers=settings.developers,
        problem=wanted if stopped and place.stopped.exists() else missing,
    )


async def _answers(target: str) -> bool:
    host, _, port = target.rpartition(":")
    try:
        async with asyncio.timeout(_CONNECT_SECONDS):
            _, writer = await asyncio.open_connection(host.strip("[]"), int(port))
    except (OSError, TimeoutError, ValueError):
        return False
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return True
