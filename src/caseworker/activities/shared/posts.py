"""What the bot says, said once: intent, look, post, record, under a key of ours."""

import asyncio
from collections.abc import Coroutine, Mapping
from typing import Any

from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import effect_key
from caseworker.core.people.messages import Audience
from caseworker.core.record.entries import Noted, Posted
from caseworker.ports import POST, Chat, Store, StoredBug, Thread, begins_thread


class Posting:
    """Chats by surface. A case without a thread is read in its record: the terminal's conversation."""

    def __init__(self, *, store: Store, chats: Mapping[str, Chat], developers: Thread | None = None) -> None:
        self._store = store
        self._chats = chats
        self._developers = developers

    async def say(
        self, stored: StoredBug, *, audience: Audience, about: str, number: int, text: str, epoch: int | None = None
    ) -> None:
        case = stored.case
        key = effect_key(case.id, epoch or case.epoch, f"{about}.{audience}", number)
        place, undelivered = "", False
        thread = await self._thread(stored, audience)
        if thread is not None:
            try:
                place = await self._posted(key, stored, audience, thread, text)
            except Refused as refused:
                undelivered = True
                await self._store.effects.done(key, {"refused": str(refused)})  # it is not under way any more
                note = Noted(text=f"The {audience} could not be told on {thread.surface}: {refused}")
                await self._store.record.append(case.id, [note], trace=stored.trace, key=f"{key} refused")
        said = Posted(audience=audience, about=about, text=text, place=place, undelivered=undelivered)
        await self._store.record.append(case.id, [said], trace=stored.trace, key=key)

    async def _thread(self, stored: StoredBug, audience: Audience) -> Thread | None:
        thread = (await self._store.threads.of(stored.case.id)).get(audience)
        if thread is None and audience is Audience.DEVELOPERS:
            thread = self._developers
        return thread if thread is not None and thread.surface in self._chats else None

    async def _posted(self, key: str, stored: StoredBug, audience: Audience, thread: Thread, text: str) -> str:
        chat = self._chats[thread.surface]
        intent = begins_thread(thread.channel) if not thread.anchor else {"channel": thread.channel}
        effect, new = await self._store.effects.intend(key, stored.case.id, POST, intent)
        place = effect.result.get("place") if effect.done else None
        if place is None:
            # Not new and not done: an earlier try may have landed without our hearing of it.
            place = None if new else await chat.find(thread, key)
            place = place or await _to_the_end(chat.post(thread, text, key=key))
        if not thread.anchor:  # the first words in a channel begin the case's one thread there
            begun = Thread(surface=thread.surface, channel=thread.channel, anchor=place)
            await self._store.threads.add(stored.case.id, audience, begun)
        await self._store.effects.done(key, {"place": place})
        return place


async def _to_the_end(posting: Coroutine[Any, Any, str]) -> str:
    """Also when we are cancelled: a request that is on its way will be done, and who looks too early finds nothing."""
    task = asyncio.ensure_future(posting)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise
