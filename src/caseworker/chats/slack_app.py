"""Receives Slack's events by HTTP or Socket Mode, passes each to one coroutine, and acknowledges it afterwards."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

import structlog
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.adapter.starlette.async_handler import AsyncSlackRequestHandler
from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.middleware.async_middleware import AsyncMiddleware
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.signature import SignatureVerifier
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from caseworker.chats.slack import API, web_client
from caseworker.chats.slack_errors import translated_errors
from caseworker.chats.slack_requests import NotTaken, read_signed
from caseworker.core.base.errors import RateLimited, Refused, Transient

log = structlog.get_logger()

PATH: Final = "/slack/events"
_PATIENCE: Final = 30
"""Checks without a connection (five per interval) after which we connect anew."""

Receive = Callable[[str, Mapping[str, object]], Awaitable[object]]
"""Takes the event's id and the event. If it returns, the event is committed or needs nothing; if it raises, Slack has
to send the event again."""


def bolt_app(
    receive: Receive, *, base_url: str = API, signing_secret: str = "", on_missed: Callable[[], None] = lambda: None
) -> AsyncApp:
    """A Bolt app that passes messages to `receive`, and acknowledges each one after it was received.

    Without `process_before_response` Bolt would acknowledge an event first, and it would be lost if the database is
    away. `authorize` answers without asking Slack, because acknowledgements must not wait for another request.
    Envelopes that are no events (interactions, commands, notices) are acknowledged: Bolt would answer 404, and Slack
    would send them again and show an error. `on_missed` is called if Slack says that it dropped events.
    """
    app = AsyncApp(
        name="caseworker",
        client=web_client(None, base_url),
        signing_secret=signing_secret,
        authorize=_authorize,
        process_before_response=True,
        ignoring_self_events_enabled=False,  # `receive` tells bots from people, and our own bot as well
    )

    async def take(body: dict[str, object], event: dict[str, object]) -> None:
        await receive(str(body.get("event_id", "")), event)

    async def pass_over(event: dict[str, object]) -> None:
        log.debug("slack event of an unused kind", type=str(event.get("type")))

    async def failed(error: Exception) -> None:
        if isinstance(error, (Transient, Refused)):
            log.warning("slack event not taken: slack has to send it again", error=str(error))
        else:
            log.error("slack event not taken: slack has to send it again", exc_info=error)

    app.use(_Others(on_missed))
    app.event("message")(take)
    app.event(re.compile(".*"))(pass_over)
    app.error(failed)
    return app


class _Others(AsyncMiddleware):
    """Acknowledges envelopes that are no events. A function would not do: for one, Bolt reads the envelope first."""

    def __init__(self, on_missed: Callable[[], None]) -> None:
        self._on_missed = on_missed

    async def async_process(
        self, *, req: AsyncBoltRequest, resp: BoltResponse, next: Callable[[], Awaitable[BoltResponse]]
    ) -> BoltResponse | None:
        kind = req.body.get("type")
        if kind == "event_callback":
            return await next()
        if kind == "app_rate_limited":
            log.warning("slack dropped events: there were too many", minute=req.body.get("minute_rate_limited"))
            self._on_missed()
        else:
            log.info("slack envelope of an unused kind", type=str(kind or req.body.get("command", "")))
        return BoltResponse(status=200)


async def _authorize() -> AuthorizeResult:
    return AuthorizeResult(enterprise_id=None, team_id=None)


def http_route(
    receive: Receive, *, signing_secret: str, base_url: str = API, on_missed: Callable[[], None] = lambda: None
) -> Route:
    """The route `/slack/events` for Slack's requests. Refuses unsigned, wrongly signed and old ones."""
    if not signing_secret:
        raise Refused(
            "Slack's requests can't be told from forged ones without its signing secret.",
            todo="Set slack_signing_secret, or slack_app_token for Socket Mode.",
        )
    app = bolt_app(receive, base_url=base_url, signing_secret=signing_secret, on_missed=on_missed)
    handler, verifier = AsyncSlackRequestHandler(app), SignatureVerifier(signing_secret)

    async def events(request: Request) -> Response:
        taken = await read_signed(request, verifier)
        if isinstance(taken, NotTaken):
            log.warning("slack request refused", status=taken.status, why=taken.why)
            return PlainTextResponse(taken.why, status_code=taken.status)
        return await handler.handle(taken)

    return Route(PATH, events, methods=["POST"])


class SlackSocket:
    """Socket Mode: we connect to Slack, so that we need no public address."""

    def __init__(
        self,
        receive: Receive,
        *,
        app_token: str,
        base_url: str = API,
        interval: float = 5.0,
        on_missed: Callable[[], None] = lambda: None,
    ) -> None:
        """`on_missed` is called when events may have been missed: after each new connection, and if Slack says so."""
        self._app = bolt_app(receive, base_url=base_url, on_missed=on_missed)
        self._token = app_token
        self._interval = interval
        self._on_missed = on_missed
        self.connected = asyncio.Event()
        """Set while there is a connection."""

    async def run(self) -> None:
        """Runs until cancelled. Raises `Refused` if the token is wrong at the start; retries after any later error."""
        connected_once = False
        while True:
            pause = self._interval
            try:
                address = await self._address()
            except RateLimited as limited:
                log.warning("slack asks to wait before connecting", seconds=limited.seconds)
                pause = limited.seconds
            except Transient as error:
                log.warning("slack can't be reached", error=str(error))
            except Refused as error:
                if not connected_once:
                    raise
                log.error("slack refuses a new connection", error=str(error))
            else:
                connected_once = True
                await self._stay(address)
            await asyncio.sleep(pause)

    async def _address(self) -> str:
        with translated_errors("Slack's Socket Mode was not entered"):
            return str((await self._app.client.apps_connections_open(app_token=self._token))["url"])

    async def _stay(self, address: str) -> None:
        """Stays connected; returns after a long time without a connection.

        The library reconnects by itself, but when a new address can't be reached it tries that one for ever, although
        an address is valid for a short time only.
        """
        handler = AsyncSocketModeHandler(self._app, self._token, ping_interval=self._interval)
        handler.client.wss_uri = address
        connecting = asyncio.create_task(handler.client.connect())  # type: ignore[no-untyped-call]  # the library has no type here
        checks, connection = 0, None
        try:
            while checks < _PATIENCE:
                await asyncio.sleep(self._interval / 5)
                if await handler.client.is_connected():
                    self.connected.set()
                    checks = 0
                    if handler.client.current_session is not connection:  # the library makes new ones by itself
                        connection = handler.client.current_session
                        log.info("connected with Slack")
                        self._on_missed()
                else:
                    self.connected.clear()
                    checks += 1
        finally:
            self.connected.clear()
            connecting.cancel()
            await handler.close_async()  # type: ignore[no-untyped-call]  # nor here
            # A reconnection that was under way may have made a session while the one before it was closed.
            if (last := handler.client.current_session) is not None:
                await last.close()
                # The reply to our closing frame starts aiohttp's heartbeat again: it would ping a closed connection.
                last._cancel_heartbeat()
