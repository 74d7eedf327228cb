"""Answers a message that opens no case. Nobody waits for it: an event is taken without a call to its surface."""

import asyncio

import structlog

from caseworker.core.base.errors import Refused, Transient
from caseworker.ports import Chat, Thread

log = structlog.get_logger()


class BackgroundAnswers:
    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._under_way: set[asyncio.Task[None]] = set()

    async def __call__(self, thread: Thread, text: str) -> None:
        task = asyncio.create_task(self._post(thread, text), name="answer")
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def drain(self) -> None:
        if self._under_way:
            await asyncio.wait(self._under_way)

    async def _post(self, thread: Thread, text: str) -> None:
        try:
            await self._chat.post(thread, text, key=f"no case {thread.channel} {thread.anchor}")
        except (Transient, Refused) as error:  # they see that nothing follows, and the record says why
            log.warning("an answer could not be posted", why=str(error))
