"""Fetches the files that people attached, from the surface of their message. Failures are noted with the file."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Final

from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.ids import CaseId
from caseworker.core.people.messages import Attachment, Message, Standing
from caseworker.ports import Chat, Store

ATTACHMENT_LIMIT: Final = 10_000_000
"""The largest attachment that is fetched, in bytes."""


class AttachedFiles:
    def __init__(self, *, store: Store, chats: Mapping[str, Chat]) -> None:
        self._store = store
        self._chats = chats

    async def fetch_new(self, case: CaseId) -> None:
        """Fetch the files that nobody has tried to fetch yet."""
        await self._fetch_all(case, lambda file: file.is_missing)

    async def fetch_again(self, case: CaseId) -> None:
        """Also try again what could not be had before: a file server may be up again, a permission may be given."""
        await self._fetch_all(case, lambda file: not file.content and bool(file.source) and file.size > 0)

    async def of(self, case: CaseId) -> list[tuple[Message, Attachment]]:
        """The files with their messages. Those of people without standing in this case are left out."""
        said = {message.id: message for message in await self._store.inbox.of(case)}
        files = [(said[file.message], file) for file in await self._store.attachments.of(case)]
        return [(message, file) for message, file in files if message.standing is not Standing.OTHER]

    async def _fetch_all(self, case: CaseId, wanted: Callable[[Attachment], bool]) -> None:
        files = [(message.surface, file) for message, file in await self.of(case) if wanted(file)]
        await asyncio.gather(*(self._fetch(surface, file) for surface, file in files))

    async def _fetch(self, surface: str, file: Attachment) -> None:
        """A case of the terminal may have developers in a chat: the message's own surface is asked."""
        chat = self._chats.get(surface)
        try:
            if file.size > ATTACHMENT_LIMIT:
                raise Refused(f"it has {file.size:,} bytes; {ATTACHMENT_LIMIT:,} are taken")
            if chat is None:
                raise Refused(f"nothing here can fetch from {surface}")
            content = await chat.fetch(file.source, limit=ATTACHMENT_LIMIT)
        except Refused as refused:
            await self._store.attachments.fill(file.id, b"", problem=str(refused))
        except Transient as error:
            await self._store.attachments.fill(file.id, b"", problem=f"not to be had at the moment: {error}")
        else:
            await self._store.attachments.fill(file.id, content)
