"""The Web API of Slack's stand-in: the methods that Caseworker uses, their errors, and file downloads."""

import base64
import json
from collections.abc import Callable, Mapping

from aiohttp import web

from tests.world.slack_delivery import Delivery
from tests.world.slack_state import BOT, BOT_USER, TEAM, Json, Workspace
from tests.world.slack_trouble import SlackTrouble

_Arguments = Mapping[str, object]
_LONGEST = 40_000


class _Error(Exception):
    """An error with Slack's name for it."""


class WebApi:
    def __init__(
        self, workspace: Workspace, delivery: Delivery, trouble: SlackTrouble, *, tokens: tuple[str, str]
    ) -> None:
        self._workspace = workspace
        self._delivery = delivery
        self._trouble = trouble
        self._bot_token, self._app_token = tokens
        self.calls: list[str] = []
        self._methods: dict[str, Callable[[_Arguments], Json]] = {
            "auth.test": self._auth_test,
            "apps.connections.open": self._open_connection,
            "chat.getPermalink": self._permalink,
            "chat.postMessage": self._post,
            "reactions.add": self._react,
            "conversations.history": self._history,
            "conversations.replies": self._replies,
        }

    def serve(self, application: web.Application) -> None:
        application.router.add_route("*", "/api/{method}", self._call)
        application.router.add_get("/files-pri/{id}/{rest:.*}", self._download)
        application.router.add_get("/login", self._login)

    async def _call(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        self.calls.append(method)
        arguments = await _arguments(request)
        mishap = self._trouble.next(method, str(arguments.get("channel", "")))
        if mishap is not None and mishap.what == "limited":
            headers = {"Retry-After": str(mishap.number)}
            return web.json_response({"ok": False, "error": "ratelimited"}, status=429, headers=headers)
        if mishap is not None and mishap.what == "fails":
            return web.Response(status=mishap.number, text="<html>oops</html>", content_type="text/html")
        answer = self._answer(method, request.headers.get("Authorization", ""), arguments)
        if mishap is not None and mishap.what == "hangs":
            await self._trouble.wait()
        if mishap is not None and mishap.what == "lost" and request.transport is not None:
            request.transport.abort()
        return web.json_response(answer)

    def _answer(self, method: str, authorization: str, arguments: _Arguments) -> Json:
        try:
            if method not in self._methods:
                raise _Error("unknown_method")
            self._check_token(method, authorization)
            return {"ok": True, **self._methods[method](arguments)}
        except _Error as error:
            return {"ok": False, "error": str(error)}

    def _check_token(self, method: str, authorization: str) -> None:
        if not authorization:
            raise _Error("not_authed")
        token = authorization.removeprefix("Bearer ")
        wanted = self._app_token if method == "apps.connections.open" else self._bot_token
        if token not in (self._app_token, self._bot_token):
            raise _Error("invalid_auth")
        if token != wanted:
            raise _Error("not_allowed_token_type")

    # --- the methods

    def _auth_test(self, _: _Arguments) -> Json:
        return {
            "url": "https://example.slack.com/",
            "team": "Example",
            "user": "caseworker",
            "team_id": TEAM,
            "user_id": BOT_USER,
            "bot_id": BOT,
            "is_enterprise_install": False,
        }

    def _open_connection(self, _: _Arguments) -> Json:
        return {"url": self._delivery.new_address()}

    def _post(self, arguments: _Arguments) -> Json:
        channel, text = self._channel(arguments), str(arguments.get("text") or "")
        if not text:
            raise _Error("no_text")
        thread = arguments.get("thread_ts")
        metadata = arguments.get("metadata")
        if metadata is not None and (
            not isinstance(metadata, dict) or set(metadata) != {"event_type", "event_payload"}
        ):
            raise _Error("invalid_metadata_format")
        message = self._workspace.say_as_bot(
            channel, text[:_LONGEST], thread=str(thread) if thread else None, metadata=metadata
        )
        if arguments.get("attachments"):
            message["attachments"] = arguments["attachments"]
        self._delivery.deliver_in_background(self._workspace.event_of(message, channel))
        return {"channel": channel, "ts": message["ts"], "message": message}

    def _react(self, arguments: _Arguments) -> Json:
        channel, ts, name = self._channel(arguments), str(arguments.get("timestamp")), str(arguments.get("name"))
        if self._workspace.find(channel, ts) is None:
            raise _Error("message_not_found")
        reactions = self._workspace.reactions.setdefault((channel, ts), [])
        if name in reactions:
            raise _Error("already_reacted")
        reactions.append(name)
        return {}

    def _permalink(self, arguments: _Arguments) -> Json:
        channel, ts = self._channel(arguments), str(arguments.get("message_ts"))
        if self._workspace.find(channel, ts) is None:
            raise _Error("message_not_found")
        return {"channel": channel, "permalink": f"https://example.slack.com/archives/{channel}/p{ts.replace('.', '')}"}

    def _replies(self, arguments: _Arguments) -> Json:
        channel = self._channel(arguments)
        thread = self._workspace.thread(channel, str(arguments.get("ts")))
        if not thread:
            raise _Error("thread_not_found")
        after = _after(arguments)
        return _page([message for message in thread if after(message) or message is thread[0]], arguments)

    def _history(self, arguments: _Arguments) -> Json:
        channel = self._channel(arguments)
        in_channel = [
            message
            for message in self._workspace.channels[channel]
            if message.get("thread_ts") in (None, message["ts"]) or message.get("subtype") == "thread_broadcast"
        ]
        return _page(list(filter(_after(arguments), in_channel))[::-1], arguments) | {"pin_count": 0}

    def _channel(self, arguments: _Arguments) -> str:
        channel = str(arguments.get("channel"))
        if channel not in self._workspace.channels:
            raise _Error("channel_not_found")
        if channel in self._workspace.without_bot:
            raise _Error("not_in_channel")
        return channel

    # --- files

    async def _download(self, request: web.Request) -> web.StreamResponse:
        file = self._workspace.files.get(request.match_info["id"].partition("-")[2])
        mishap = self._trouble.next("files", "")
        if mishap is not None:
            limited = mishap.what == "limited"
            wait = {"Retry-After": str(mishap.number)} if limited else {}
            return web.Response(status=429 if limited else mishap.number, headers=wait)
        if request.headers.get("Authorization") != f"Bearer {self._bot_token}":
            return web.Response(status=302, headers={"Location": "/login"})
        if file is None:
            return web.Response(status=404)
        headers = {"Content-Disposition": "attachment"} if "download" in request.path else {}
        return web.Response(body=file.content, content_type=file.media_type, headers=headers)

    async def _login(self, _: web.Request) -> web.StreamResponse:
        return web.Response(text="<html>Log in</html>", content_type="text/html")


async def _arguments(request: web.Request) -> _Arguments:
    """Reads the arguments from the query, a form or JSON, as Slack does."""
    arguments: Json = dict(request.query)
    if request.content_type == "application/json":
        arguments |= json.loads(await request.text() or "{}")
    elif request.method == "POST":
        arguments |= {name: value for name, value in (await request.post()).items() if isinstance(value, str)}
    return arguments


def _after(arguments: _Arguments) -> Callable[[Json], bool]:
    oldest = float(str(arguments.get("oldest") or 0))
    return lambda message: float(str(message["ts"])) > oldest


def _page(messages: list[Json], arguments: _Arguments) -> Json:
    limit = int(str(arguments.get("limit") or 100))
    cursor = str(arguments.get("cursor") or "")
    first = int(base64.b64decode(cursor).decode()) if cursor else 0
    shown, more = messages[first : first + limit], first + limit < len(messages)
    if str(arguments.get("include_all_metadata")) not in ("1", "true", "True"):
        shown = [{name: value for name, value in message.items() if name != "metadata"} for message in shown]
    following = base64.b64encode(str(first + limit).encode()).decode() if more else ""
    return {"messages": shown, "has_more": more, "response_metadata": {"next_cursor": following}}
