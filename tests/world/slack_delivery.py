"""Delivers the events of Slack's stand-in over Socket Mode or as signed HTTP requests, with up to three retries."""

import asyncio
import hashlib
import hmac
import json
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count

import aiohttp
from aiohttp import WSMsgType, web

from tests.world.slack_state import APP, Json, Workspace

RETRIES = 3


@dataclass(kw_only=True)
class Post:
    """The delivery of one event."""

    event_id: str
    tries: int = 0
    reasons: list[str] = field(default_factory=list)
    """Why each retry was needed."""
    acknowledged: bool = False


class Delivery:
    def __init__(self, workspace: Workspace, *, secret: str, patience: float) -> None:
        self._workspace = workspace
        self._secret = secret
        self._patience = patience
        self.url = ""
        self.posts: list[Post] = []
        self.sockets: list[web.WebSocketResponse] = []
        self._tickets: set[str] = set()
        self._awaited: dict[str, asyncio.Future[None]] = {}
        self._connected = asyncio.Event()
        """Set while there is a connection."""
        self._turn = count()
        self._background: set[asyncio.Task[None]] = set()

    async def deliver(self, event: Json, *, copies: int = 1) -> None:
        """Delivers an event, `copies` times at once, and waits until it is acknowledged or given up."""
        payload = self._workspace.callback(event)
        await asyncio.gather(*(self._with_retries(payload) for _ in range(copies)))

    async def deliver_raw(self, payload: Json) -> None:
        """Delivers a payload that is no event callback: an interaction, a notice, or of a kind yet to come."""
        await self._with_retries(payload)

    def deliver_in_background(self, event: Json) -> None:
        task = asyncio.create_task(self.deliver(event))
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _with_retries(self, payload: Json) -> None:
        post = Post(event_id=str(payload.get("event_id", "")))
        self.posts.append(post)
        for attempt in range(RETRIES + 1):
            post.tries += 1
            reason = await self._once(payload, attempt, post.reasons[-1] if post.reasons else "")
            if not reason:
                post.acknowledged = True
                return
            post.reasons.append(reason)

    async def _once(self, payload: Json, attempt: int, reason: str) -> str:
        """Returns an empty text if the event was acknowledged, else the reason to send it again."""
        if self.url:
            return await self._by_http(payload, attempt, reason)
        return await self._by_socket(payload, attempt, reason)

    # --- HTTP

    async def _by_http(self, payload: Json, attempt: int, reason: str) -> str:
        body = json.dumps(payload)
        headers = self.signed(body)
        if attempt:
            headers |= {"X-Slack-Retry-Num": str(attempt), "X-Slack-Retry-Reason": reason}
        try:
            async with (
                aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=self._patience)) as session,
                session.post(self.url, data=body, headers=headers) as response,
            ):
                return "" if 200 <= response.status < 300 else "http_error"
        except TimeoutError:
            return "http_timeout"
        except aiohttp.ClientError:
            await asyncio.sleep(self._patience / 5)
            return "connection_failed"

    def signed(self, body: str, *, at: int | None = None) -> dict[str, str]:
        when = str(at if at is not None else int(time.time()))
        digest = hmac.new(self._secret.encode(), f"v0:{when}:{body}".encode(), hashlib.sha256).hexdigest()
        return {
            "Content-Type": "application/json",
            "X-Slack-Request-Timestamp": when,
            "X-Slack-Signature": f"v0={digest}",
        }

    # --- Socket Mode

    def new_address(self) -> str:
        """Returns an address that is valid for one connection."""
        ticket = secrets.token_hex(8)
        self._tickets.add(ticket)
        return f"{self._workspace.home.replace('http', 'ws', 1)}/link?ticket={ticket}&app_id={APP}"

    def cancel_addresses(self) -> None:
        self._tickets.clear()

    async def link(self, request: web.Request) -> web.WebSocketResponse:
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets:
            raise web.HTTPForbidden(text="expired ticket")
        self._tickets.remove(ticket)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        try:
            await socket.send_json(self.hello())
            self.sockets.append(socket)
            self._connected.set()
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    self._acknowledge(json.loads(message.data))
        finally:
            self._gone(socket)
        return socket

    def _gone(self, socket: web.WebSocketResponse) -> None:
        if socket in self.sockets:
            self.sockets.remove(socket)
        if not self.sockets:
            self._connected.clear()

    def hello(self) -> Json:
        return {
            "type": "hello",
            "num_connections": len(self.sockets),
            "debug_info": {"host": "applink-1", "build_number": 1, "approximate_connection_time": 18_060},
            "connection_info": {"app_id": APP},
        }

    def _acknowledge(self, answer: Json) -> None:
        waiting = self._awaited.pop(str(answer.get("envelope_id")), None)
        if waiting is not None and not waiting.done():
            waiting.set_result(None)

    async def _by_socket(self, payload: Json, attempt: int, reason: str) -> str:
        deadline = asyncio.get_running_loop().time() + self._patience
        envelope = self.envelope(payload, attempt, reason)
        acknowledged = asyncio.get_running_loop().create_future()
        self._awaited[str(envelope["envelope_id"])] = acknowledged
        try:
            async with asyncio.timeout_at(deadline):
                while not await self._sent(envelope):
                    await self._connected.wait()
                await acknowledged
        except TimeoutError:
            return "timeout"
        return ""

    async def _sent(self, envelope: Json) -> bool:
        """Sends the envelope over the next connection in turn. Returns False if there was none."""
        if not self.sockets:
            return False
        socket = self.sockets[next(self._turn) % len(self.sockets)]
        try:
            await socket.send_json(envelope)
        except (ConnectionError, RuntimeError):
            self._gone(socket)
            return False
        return True

    def envelope(self, payload: Json, attempt: int = 0, reason: str = "") -> Json:
        return {
            "envelope_id": secrets.token_hex(16),
            "payload": payload,
            "type": "events_api",
            "accepts_response_payload": False,
            "retry_attempt": attempt,
            "retry_reason": reason,
        }

    async def ask_to_reconnect(self) -> None:
        """Asks clients to reconnect, as Slack does every few hours shortly before it closes a connection."""
        for socket in list(self.sockets):
            await socket.send_json(
                {"type": "disconnect", "reason": "refresh_requested", "debug_info": {"host": "applink-1"}}
            )

    async def hang_up(self) -> None:
        """Closes all connections without warning."""
        for socket in list(self.sockets):
            self._gone(socket)
            with suppress(ConnectionError, RuntimeError):
                await socket.close()

    async def stop(self) -> None:
        for task in list(self._background):
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)
        await self.hang_up()
