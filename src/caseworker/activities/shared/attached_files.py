"""Fetches the files that people attached, from the surface of their message. Failures are noted with the file."""

import asyncio
import mimetypes
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from caseworker.core.base.errors import RateLimited, Refused, Transient
from caseworker.core.base.ids import CaseId
from caseworker.core.base.untrusted_text import revealed
from caseworker.core.people.messages import Attachment, Message, Standing
from caseworker.ports import Chat, LostFile, ReadableFile, SentFiles, Store, Workspace

ATTACHMENT_LIMIT: Final = 10_000_000
"""The largest attachment that is fetched, in bytes."""


class AttachedFiles:
    def __init__(self, *, store: Store, chats: Mapping[str, Chat]) -> None:
        self._store = store
        self._chats = chats

    async def fetch_new(self, case: CaseId) -> float | None:
        """Fetch the files that nobody has fetched, or found lost. Returns in how many seconds to try again, if a server
        asks us to wait."""
        return await self._fetch_all(case, lambda file: file.is_missing)

    async def fetch_again(self, case: CaseId) -> None:
        """Also try again what could not be had before: a file server may be up again, a permission may be given."""
        await self._fetch_all(case, lambda file: not file.content and bool(file.source) and file.size > 0)

    async def lay_out(self, case: CaseId, folder: Path) -> list[Attachment]:
        """Write the files under names of our choosing, outside the worktree, so that no commit can contain them. The
        folder is there also without a file: one may come during the turn."""
        await self.fetch_again(case)
        files = [file for _, file in await self.of(case)]
        await asyncio.to_thread(_write_files, folder, [file for file in files if not file.why_unreadable])
        return files

    async def of(self, case: CaseId) -> list[tuple[Message, Attachment]]:
        """The files with their messages. Those of people without standing in this case are left out."""
        files = await self._store.attachments.of(case)
        if not files:
            return []
        said = {message.id: message for message in await self._store.inbox.of(case)}
        sent = [(said[file.message], file) for file in files]
        return [(message, file) for message, file in sent if message.standing is not Standing.OTHER]

    async def _fetch_all(self, case: CaseId, wanted: Callable[[Attachment], bool]) -> float | None:
        files = [(message.surface, file) for message, file in await self.of(case) if wanted(file)]
        waits = await asyncio.gather(*(self._fetch(surface, file) for surface, file in files))
        return max((seconds for seconds in waits if seconds is not None), default=None)

    async def _fetch(self, surface: str, file: Attachment) -> float | None:
        """A case of the terminal may have developers in a chat: the message's own surface is asked. Returns for how
        many seconds its server asks us to wait; the file is not lost then."""
        chat = self._chats.get(surface)
        try:
            if file.size > ATTACHMENT_LIMIT:
                raise Refused(f"it has {file.size:,} bytes; {ATTACHMENT_LIMIT:,} are taken")
            if chat is None:
                raise Refused(f"nothing here can fetch from {surface}")
            content = await chat.fetch(file.source, limit=ATTACHMENT_LIMIT)
        except RateLimited as limited:
            return limited.seconds
        except Refused as refused:
            await self._store.attachments.fill(file.id, b"", problem=str(refused))
        except Transient as error:
            await self._store.attachments.fill(file.id, b"", problem=f"not to be had at the moment: {error}")
        else:
            await self._store.attachments.fill(file.id, content)
        return None


def attachment_folder(workspace: Workspace) -> Path:
    return workspace.path.parent / "attachments"


def sent_files(files: Sequence[Attachment], folder: Path) -> SentFiles:
    """`folder`: where the agent finds those that could be had."""
    return SentFiles(
        readable=tuple(
            ReadableFile(str(folder / _file_name(file)), file.title, file.media_type, file.size)
            for file in files
            if not file.why_unreadable
        ),
        lost=tuple(LostFile(file.title, file.why_unreadable) for file in files if file.why_unreadable),
    )


def _write_files(folder: Path, files: Sequence[Attachment]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        path = folder / _file_name(file)
        if path.exists():
            continue
        draft = path.with_suffix(".new")
        draft.write_bytes(_shown(file.content))
        draft.rename(path)


def _shown(content: bytes) -> bytes:
    """A text with its hidden characters shown, since an agent reads it; anything else byte for byte."""
    if b"\0" in content:
        return content
    try:
        return revealed(content.decode("utf-8-sig")).encode()
    except UnicodeDecodeError:
        return content


def _file_name(attachment: Attachment) -> str:
    """A name such as `12-1.png`: message and attachment id. Only a plain extension of the original name is kept."""
    ending = attachment.plain_ending or mimetypes.guess_extension(attachment.media_type) or ""
    return f"{attachment.message}-{attachment.id}{ending}"
