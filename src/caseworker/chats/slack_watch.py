"""Checks who the bot is and whether it is in its channels, and logs what is wrong before a post is missed."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Final

import structlog

from caseworker.chats.slack import SlackChat
from caseworker.core.base.errors import Refused, Transient

log = structlog.get_logger()

_PAUSE: Final = 300.0
"""Seconds between two checks: somebody may invite the bot, or remove it, at any time."""


class SlackWatch:
    def __init__(self, *, chat: SlackChat, channels: Mapping[str, str], on_bot: Callable[[str], None]) -> None:
        """`channels`: ids by the names of their settings. `on_bot` is told the bot's own user id."""
        self._chat = chat
        self._channels = {name: channel for name, channel in channels.items() if channel}
        self._on_bot = on_bot
        self._problems: dict[str, str] = {}

    async def run(self) -> None:
        """Runs until cancelled. The first check is part of it: `serve` must not wait for Slack before it listens."""
        while True:
            await self.look()
            await asyncio.sleep(_PAUSE)

    async def look(self) -> None:
        await self._check("slack_bot_token", self._learn_bot())
        for name, channel in self._channels.items():
            await self._check(name, self._chat.check(channel))

    async def _learn_bot(self) -> None:
        self._on_bot(await self._chat.whoami())

    async def _check(self, setting: str, check: Coroutine[None, None, None]) -> None:
        """Logs a problem once, and its end."""
        before = self._problems.pop(setting, "")
        try:
            await check
        except (Refused, Transient) as error:
            self._problems[setting] = str(error)
            if str(error) != before:
                log.warning("slack does not work yet", setting=setting, error=str(error))
        else:
            if before:
                log.info("slack works now", setting=setting)
