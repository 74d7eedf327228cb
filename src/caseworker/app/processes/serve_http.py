"""The HTTP server of `caseworker serve`: the surfaces' own routes, and the dashboard for everything else."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import structlog

from caseworker.app.processes.serve_place import ServePlace
from caseworker.app.settings import Settings
from caseworker.app.surface_port import IntakeDesk, Listening

if TYPE_CHECKING:
    from caseworker.app.processes.dashboard_server import DashboardServer

log = structlog.get_logger()

GRACE_SECONDS: Final = 10
_STREAMS_SECONDS: Final = 1
"""How long open pages keep the server from ending: they find the next one by themselves."""


async def serve_http(
    settings: Settings, desk: IntakeDesk, heard: Sequence[Listening], stop: asyncio.Event, *, in_background: bool
) -> None:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import PlainTextResponse, Response
    from starlette.routing import Mount, Route

    from caseworker.app.processes.dashboard_server import make_dashboard
    from caseworker.app.processes.web import PatientProtocol, listen_on, served, without_hang_ups

    async def health(_: Request) -> Response:
        return PlainTextResponse("ok\n")

    routes = [route for listening in heard for route in listening.routes]
    with listen_on(settings.serve_host, settings.serve_port, or_any=in_background) as listener:
        host, port = listener.getsockname()[:2]
        dashboard = make_dashboard(settings, desk, port)
        app = Starlette(routes=[*routes, Route("/health", health), Mount("/", app=dashboard)])
        grace = GRACE_SECONDS if routes else _STREAMS_SECONDS
        config = uvicorn.Config(
            without_hang_ups(app),
            http=PatientProtocol,
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=grace,
        )
        for route in routes:
            log.info("listening by HTTP", at=f"http://{host}:{port}{route.path}")
        address = dashboard.backend.place.address
        log.info("dashboard", at=address, log_in="caseworker open")
        with ServePlace(settings.home).held(address):
            watch = asyncio.create_task(dashboard.backend.changes.run())
            idle = [asyncio.create_task(_end_when_idle(dashboard, settings, stop))] if in_background else []
            try:
                await served(config, listener, stop)
            finally:
                for task in (watch, *idle):
                    task.cancel()
                await asyncio.gather(watch, *idle, return_exceptions=True)


async def _end_when_idle(dashboard: "DashboardServer", settings: Settings, stop: asyncio.Event) -> None:
    from caseworker.app.processes.dashboard_server import IDLE_LOOK_SECONDS

    while dashboard.idle_seconds < settings.idle_minutes * 60:  # noqa: ASYNC110  # time passing is no event
        await asyncio.sleep(IDLE_LOOK_SECONDS)
    log.info("nobody looks at the dashboard any more")
    stop.set()
