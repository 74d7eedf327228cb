"""A stand-in for Slack: a workspace with state, served over real HTTP and WebSocket to the real client libraries.

Tests act as people by its methods, and cause failures by `SlackTrouble`. `test_slack_double.py` compares its shapes
with the vendor's. The delivery of events and the Web API are in the sibling modules.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from aiohttp import web

from tests.world.slack_api import WebApi
from tests.world.slack_delivery import Delivery, Post
from tests.world.slack_state import BOT_USER, Json, UploadedFile, Workspace
from tests.world.slack_trouble import SlackTrouble

__all__ = ["BOT_USER", "SlackDouble", "UploadedFile"]


@dataclass(frozen=True, kw_only=True)
class Said:
    """A post of the bot, as people see it."""

    ts: str
    text: str
    thread: str
    key: str
    folded: str = ""
    """The text that one sees after a click on "Show more"."""


class SlackDouble:
    """Slack's stand-in. `patience` is the seconds until an event without acknowledgement is sent again (Slack: 3)."""

    bot_token = "xoxb-the-bot"
    app_token = "xapp-the-app"
    signing_secret = "the-signing-secret"

    def __init__(self, *, channels: Sequence[str] = ("C0REPORTS", "C0SUMMARY"), patience: float = 1.0) -> None:
        self.workspace = Workspace(channels)
        self.trouble = SlackTrouble()
        self.delivery = Delivery(self.workspace, secret=self.signing_secret, patience=patience)
        self._api = WebApi(self.workspace, self.delivery, self.trouble, tokens=(self.bot_token, self.app_token))
        self._runner: web.AppRunner | None = None
        self._port = 0

    async def start(self, port: int = 0) -> None:
        """Starts serving; after `stop` on the same port again, as at the end of an outage."""
        application = web.Application(client_max_size=20_000_000)
        self._api.serve(application)
        application.router.add_get("/link", self.delivery.link)
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", port or self._port, reuse_address=True)
        await site.start()
        self._port = self._runner.addresses[0][1]
        self.workspace.home = f"http://127.0.0.1:{self._port}"

    async def stop(self) -> None:
        self.trouble.let_go()
        await self.delivery.stop()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    @property
    def base_url(self) -> str:
        return f"{self.workspace.home}/api/"

    @property
    def calls(self) -> list[str]:
        """The Web API methods that were called, in order."""
        return self._api.calls

    def sends_events_to(self, url: str) -> None:
        """Delivers events by HTTP instead of Socket Mode."""
        self.delivery.url = url

    # --- what people do; each waits until the event was acknowledged or given up

    async def user_writes(
        self,
        channel: str,
        user: str,
        text: str,
        *,
        thread: str | None = None,
        files: Sequence[UploadedFile] = (),
        blocks: Sequence[Json] | None = None,
        subtype: str = "",
        copies: int = 1,
    ) -> str:
        message = self.workspace.say(
            channel,
            user,
            text,
            thread=thread,
            files=files,
            blocks=blocks,
            subtype=subtype or ("file_share" * bool(files)),
        )
        await self.delivery.deliver(self.workspace.event_of(message, channel), copies=copies)
        return str(message["ts"])

    async def edits(self, channel: str, ts: str, text: str, *, user: str | None = None) -> None:
        before, after = self.workspace.change(channel, ts, text, user=user)
        await self.delivery.deliver(self.workspace.changed(channel, before, after))

    async def deletes(self, channel: str, ts: str) -> None:
        await self.delivery.deliver(self.workspace.delete(channel, ts))

    async def unfurls(self, channel: str, ts: str, url: str) -> None:
        """Adds the preview of a link, which Slack sends as a change of the message."""
        before, after = self.workspace.unfurl(channel, ts, url)
        await self.delivery.deliver(self.workspace.changed(channel, before, after))

    async def joins(self, channel: str, user: str) -> None:
        message = self.workspace.say(channel, user, f"<@{user}> has joined the channel", subtype="channel_join")
        await self.delivery.deliver(self.workspace.event_of(message, channel))

    async def bot_writes(self, channel: str, text: str, *, thread: str | None = None) -> str:
        """The bot of another app writes."""
        message = self.workspace.say_as_bot(channel, text, thread=thread, bot="B0OTHER", user="U0OTHERBOT")
        await self.delivery.deliver(self.workspace.event_of(message, channel))
        return str(message["ts"])

    def add_without_event(self, channel: str, user: str, text: str, *, thread: str | None = None) -> str:
        """Adds a message whose event is never sent."""
        return str(self.workspace.say(channel, user, text, thread=thread)["ts"])

    # --- what one sees

    def reactions(self, channel: str, ts: str) -> list[str]:
        """The names of the bot's reactions to a message."""
        return self.workspace.reactions.get((channel, ts), [])

    def posts(self, channel: str | None = None, thread: str | None = None) -> list[Said]:
        """The posts of our bot, oldest first."""
        found = []
        for name, messages in self.workspace.channels.items():
            for message in messages:
                anchor = str(message.get("thread_ts", ""))
                where = "" if anchor == message["ts"] else anchor
                ours = message.get("user") == BOT_USER
                if ours and channel in (None, name) and thread in (None, where):
                    found.append(_said(message, where))
        return sorted(found, key=lambda said: float(said.ts))

    @property
    def deliveries(self) -> list[Post]:
        return self.delivery.posts


def _said(message: Json, thread: str) -> Said:
    metadata = message.get("metadata")
    payload = metadata.get("event_payload") if isinstance(metadata, dict) else None
    key = payload.get("key") if isinstance(payload, dict) else ""
    attached = message.get("attachments")
    folded = "\n".join(str(one["text"]) for one in attached) if isinstance(attached, list) else ""
    return Said(ts=str(message["ts"]), text=str(message["text"]), thread=thread, key=str(key), folded=folded)
