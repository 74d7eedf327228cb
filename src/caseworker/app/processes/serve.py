"""`caseworker serve`: listens to the surfaces, commits each message, rings, and keeps the host alive."""

import asyncio
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import structlog

from caseworker.app.processes.find_host import ensure_host
from caseworker.app.processes.serve_host import keep_host_alive
from caseworker.app.processes.serve_http import GRACE_SECONDS, serve_http
from caseworker.app.processes.start_checks import check_disk, check_sandbox
from caseworker.app.settings import Settings, make_home
from caseworker.app.surface_port import IntakeDesk, Surface
from caseworker.app.surfaces.known_surfaces import surfaces
from caseworker.core.base.errors import Refused
from caseworker.intake.background_bell import BackgroundBell
from caseworker.intake.conversation import Conversation
from caseworker.intake.new_cases import NewCases
from caseworker.ports import Doorbell, Store
from caseworker.store.store import open_store

log = structlog.get_logger()


def slack_app_manifest(http: str) -> str:
    from caseworker.chats.slack_app import PATH
    from caseworker.chats.slack_manifest import manifest

    if not http:
        return manifest("caseworker", True, None)
    if not http.startswith("https://"):
        raise Refused(f"Slack sends to https addresses only, not to `{http}`.", todo="Leave --http out: Socket Mode.")
    url = http.rstrip("/")
    return manifest("caseworker", False, url if url.endswith(PATH) else f"{url}{PATH}")


async def serve(settings: Settings, *, in_background: bool = False) -> int:
    """`in_background`: started by `caseworker open`. Any free port will do, and it ends when nobody looks any more."""
    wanted = [] if in_background else _wanted(settings)
    for surface in wanted:
        await surface.check()
    check_disk(settings.home)
    if settings.is_embedded:
        await check_sandbox(settings)
    make_home(settings)
    store = await open_store(settings.database, daily_micros=settings.daily_micros)
    try:
        with stop_signal() as stop:
            await _serve(settings, store, wanted, stop, in_background=in_background)
    finally:
        await store.close()
    log.info("listening has ended")
    return 0


def _wanted(settings: Settings) -> list[Surface]:
    """The surfaces that have settings. `Refused` if one of them lacks something. The dashboard is always there."""
    wanted = [surface for surface in surfaces(settings) if surface.is_wanted]
    for surface in wanted:
        if missing := surface.missing():
            page = f"`caseworker docs {surface.name.lower()}`"
            raise Refused(
                f"{surface.name} can't be listened to yet. Missing: {'; '.join(missing)}.",
                todo=f"{page} shows where each comes from; `caseworker.toml` or CASEWORKER_<NAME> sets it.",
            )
    return wanted


@contextmanager
def stop_signal() -> Iterator[asyncio.Event]:
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    try:
        yield stop
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)


async def _serve(
    settings: Settings, store: Store, wanted: Sequence[Surface], stop: asyncio.Event, *, in_background: bool
) -> None:
    doorbell, keeper = await _bell(settings, store)
    bell = BackgroundBell(doorbell)
    conversation, new_cases = Conversation(store=store, doorbell=bell), NewCases(store=store, doorbell=bell)
    desk = IntakeDesk(store=store, conversation=conversation, new_cases=new_cases, doorbell=bell)
    heard = [await surface.listen(desk) for surface in wanted]
    server = [asyncio.create_task(serve_http(settings, desk, heard, stop, in_background=in_background), name="http")]
    work = [asyncio.create_task(run(), name=name) for it in heard for name, run in it.work.items()]
    stopped = asyncio.create_task(stop.wait())
    tasks = [*server, *work, *keeper, stopped]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        stop.set()
        log.info("ending: what was taken is being rung")
        await asyncio.wait(server, timeout=GRACE_SECONDS)
        with suppress(TimeoutError):  # the reconciler finds what was not rung
            await asyncio.wait_for(bell.drain(), timeout=GRACE_SECONDS)
    finally:
        await _cancel_all(tasks)


async def _cancel_all(tasks: "Sequence[asyncio.Task[Any]]") -> None:
    """Cancel the tasks, and raise the error that ended one of them, if any."""
    for task in tasks:
        task.cancel()
    ends = await asyncio.gather(*tasks, return_exceptions=True)
    for end in ends:
        if isinstance(end, Exception):
            raise end


async def _bell(settings: Settings, store: Store) -> "tuple[Doorbell, list[asyncio.Task[Any]]]":
    if settings.is_embedded:
        from caseworker.app.processes.bells import EmbeddedBell  # heavy

        await ensure_host(settings, store)
        return EmbeddedBell(settings, store), [asyncio.create_task(keep_host_alive(settings), name="host")]
    from caseworker.app.processes.bells import ClusterBell

    return ClusterBell(settings, store), []
