"""`caseworker serve`: listens to Slack, commits each message, rings, and keeps the host alive. Workers do the rest."""

import asyncio
import signal
from collections.abc import Awaitable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import structlog
from rich.console import Console

from caseworker.app.parts import look_at
from caseworker.app.processes.find_host import ensure_host
from caseworker.app.processes.serve_host import keep_host_alive
from caseworker.app.processes.slack_settings import missing_settings
from caseworker.app.processes.start_checks import check_disk, check_sandbox, read_rehearsal
from caseworker.app.settings import Settings, make_home
from caseworker.core.base.errors import Refused
from caseworker.intake.background_bell import BackgroundBell
from caseworker.intake.conversation import Conversation
from caseworker.intake.new_cases import NewCases
from caseworker.intake.slack import ReportsChannel, SlackIntake
from caseworker.intake.slack_catchup import CatchUp
from caseworker.ports import Doorbell, Store
from caseworker.store.store import open_store

log = structlog.get_logger()

_GRACE_SECONDS: Final = 10
_LOOK_SECONDS: Final = 1.0


def slack_app_manifest(http: str) -> str:
    from caseworker.chats.slack_app import PATH
    from caseworker.chats.slack_manifest import manifest

    if not http:
        return manifest("caseworker", True, None)
    if not http.startswith("https://"):
        raise Refused(f"Slack sends to https addresses only, not to `{http}`.", todo="Leave --http out: Socket Mode.")
    url = http.rstrip("/")
    return manifest("caseworker", False, url if url.endswith(PATH) else f"{url}{PATH}")


async def serve(settings: Settings, console: Console) -> int:
    if missing := missing_settings(settings):
        raise Refused(
            f"Slack can't be listened to yet. Missing: {'; '.join(missing)}.",
            todo="docs/slack.md shows where each comes from; `caseworker.toml` or CASEWORKER_<NAME> sets it.",
        )
    assert settings.reports_repository is not None
    found = await look_at(settings.reports_repository.expanduser())
    elsewhere = {name: (await look_at(path)).ref for name, path in _elsewhere(settings).items()}
    rehearsal = read_rehearsal(settings.reports_rehearsal)
    check_disk(settings.home)
    if settings.is_embedded:
        await check_sandbox(settings)
    make_home(settings)
    store = await open_store(settings.database)
    try:
        place = ReportsChannel(
            channel=settings.slack_reports_channel,
            repository=await store.repositories.register(found.ref),
            policy=settings.policy(),
            rehearsal=rehearsal,
            elsewhere={name: await store.repositories.register(ref) for name, ref in elsewhere.items()},
        )
        with stop_signal() as stop:
            await _listen(settings, store, place, stop)
    finally:
        await store.close()
    log.info("listening has ended")
    return 0


def _elsewhere(settings: Settings) -> dict[str, Path]:
    """The repositories of services whose code is not in `reports_repository`, by service."""
    return {
        name: Path(service.repository).expanduser() for name, service in settings.services.items() if service.repository
    }


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


async def _listen(settings: Settings, store: Store, place: ReportsChannel, stop: asyncio.Event) -> None:
    doorbell, keeper = await _bell(settings, store)
    bell = BackgroundBell(doorbell)
    intake = SlackIntake(
        store=store,
        conversation=Conversation(store=store, doorbell=bell),
        new_cases=NewCases(store=store, doorbell=bell),
        place=place,
    )
    catch_up = _catch_up(settings, store, intake)
    tasks = [
        asyncio.create_task(_run_surface(settings, intake, catch_up, stop), name="slack"),
        asyncio.create_task(catch_up.run(), name="catching up"),
        *keeper,
    ]
    stopped = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait([*tasks, stopped], return_when=asyncio.FIRST_COMPLETED)
        stop.set()
        log.info("ending: what was taken is being rung")
        await asyncio.wait(tasks[:1], timeout=_GRACE_SECONDS)
        with suppress(TimeoutError):  # the reconciler finds what was not rung
            await asyncio.wait_for(bell.drain(), timeout=_GRACE_SECONDS)
    finally:
        await _cancel_all([*tasks, stopped])


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


def _catch_up(settings: Settings, store: Store, intake: SlackIntake) -> CatchUp:
    """Reads messages that were written while nobody listened."""
    from caseworker.chats.slack import SlackChat

    assert settings.slack_bot_token is not None
    chat = SlackChat(token=settings.slack_bot_token.get_secret_value(), base_url=settings.slack_api_url)
    return CatchUp(store=store, slack=chat, intake=intake, channel=settings.slack_reports_channel)


async def _run_surface(settings: Settings, intake: SlackIntake, catch_up: CatchUp, stop: asyncio.Event) -> None:
    channels = f"reports from {settings.slack_reports_channel}, " + (
        f"developers in {settings.slack_summaries_channel}"
        if settings.slack_summaries_channel
        else "developers nowhere in Slack (slack_summaries_channel is not set)"
    )
    if settings.slack_app_token is not None:
        await _until(stop, _socket(settings, intake, catch_up, channels))
    else:
        await _http(settings, intake, stop, channels)


async def _socket(settings: Settings, intake: SlackIntake, catch_up: CatchUp, channels: str) -> None:
    from caseworker.chats.slack_app import SlackSocket

    assert settings.slack_app_token is not None
    token = settings.slack_app_token.get_secret_value()
    socket = SlackSocket(intake.receive, app_token=token, base_url=settings.slack_api_url, on_connection=catch_up.wake)
    log.info("listening to Slack by Socket Mode", **{"for": channels})
    connected = asyncio.create_task(_tell_when_connected(socket.connected))
    try:
        await socket.run()
    finally:
        connected.cancel()


async def _tell_when_connected(connected: asyncio.Event) -> None:
    await connected.wait()
    log.info("connected with Slack")


async def _http(settings: Settings, intake: SlackIntake, stop: asyncio.Event, channels: str) -> None:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import PlainTextResponse, Response
    from starlette.routing import Route

    from caseworker.app.processes.web import listen_on, served
    from caseworker.chats.slack_app import PATH, http_route

    async def health(_: Request) -> Response:
        return PlainTextResponse("ok\n")

    assert settings.slack_signing_secret is not None
    secret = settings.slack_signing_secret.get_secret_value()
    route = http_route(intake.receive, signing_secret=secret, base_url=settings.slack_api_url)
    app = Starlette(routes=[route, Route("/health", health)])
    config = uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=_GRACE_SECONDS)
    with listen_on(settings.serve_host, settings.serve_port) as listener:
        host, port = listener.getsockname()[:2]
        log.info("listening to Slack by HTTP", at=f"http://{host}:{port}{PATH}", **{"for": channels})
        await served(config, listener, stop)


async def _until(stop: asyncio.Event, work: Awaitable[None]) -> None:
    """Run the work until we are told to stop, and raise its error if it fails first."""
    task, stopped = asyncio.ensure_future(work), asyncio.create_task(stop.wait())
    await asyncio.wait([task, stopped], return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    if task.done():
        await task
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
