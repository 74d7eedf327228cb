"""A running fake Slack for tests of the edges: the chat, and a receiver that records its events."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress

import uvicorn
from starlette.applications import Starlette

from caseworker.chats.rate_limits import RateLimits
from caseworker.chats.slack import SlackChat
from caseworker.chats.slack_app import PATH, Receive, SlackSocket, http_route
from tests.patience import PATIENCE
from tests.world.slack import SlackDouble


class Receiver:
    """Receives events. Raises the errors in `fails` first, one per event."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, Mapping[str, object]]] = []
        self.fails: list[Exception] = []
        self.tries = 0
        self.gate = asyncio.Event()
        self.gate.set()

    async def __call__(self, event_id: str, event: Mapping[str, object]) -> None:
        self.tries += 1
        await self.gate.wait()
        if self.fails:
            raise self.fails.pop(0)
        self.taken.append((event_id, event))

    @property
    def texts(self) -> list[object]:
        return [event.get("text") for _, event in self.taken]


async def until(condition: Callable[[], bool]) -> None:
    """Waits until a condition holds, for conditions without an event to wait for."""
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110  # see above
            await asyncio.sleep(0.01)


def chat_of(
    slack: SlackDouble, *, token: str | None = None, timeout: int = 5, limits: RateLimits | None = None
) -> SlackChat:
    return SlackChat(token=token or slack.bot_token, base_url=slack.base_url, timeout=timeout, limits=limits)


@asynccontextmanager
async def in_socket_mode(
    slack: SlackDouble,
    receive: Receive,
    *,
    interval: float = 0.1,
    on_missed: Callable[[], None] = lambda: None,
) -> AsyncIterator[SlackSocket]:
    socket = SlackSocket(
        receive,
        app_token=slack.app_token,
        base_url=slack.base_url,
        interval=interval,
        on_missed=on_missed,
    )
    running = asyncio.create_task(socket.run())
    try:
        async with asyncio.timeout(PATIENCE):
            await socket.connected.wait()
        yield socket
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


@asynccontextmanager
async def over_http(
    slack: SlackDouble, receive: Receive, *, on_missed: Callable[[], None] = lambda: None
) -> AsyncIterator[str]:
    """Yields the address of our server for Slack's requests."""
    route = http_route(receive, signing_secret=slack.signing_secret, base_url=slack.base_url, on_missed=on_missed)
    config = uvicorn.Config(Starlette(routes=[route]), host="127.0.0.1", port=0, log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    try:
        await until(lambda: server.started)
        port = server.servers[0].sockets[0].getsockname()[1]
        url = f"http://127.0.0.1:{port}{PATH}"
        slack.sends_events_to(url)
        yield url
    finally:
        server.should_exit = True
        await serving
