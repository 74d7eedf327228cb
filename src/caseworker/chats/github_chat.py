"""GitHub as a chat: a case's posts are comments below its issue. Events come in by webhooks, as intake reads them."""

import re
from typing import Final

from caseworker.chats.rate_limits import RateLimits
from caseworker.chats.surface_phrasing import CommentPhrasing
from caseworker.core.base.errors import Refused
from caseworker.core.base.outgoing_text import COMMENT_LIMIT, outgoing
from caseworker.core.base.redaction import Redactor
from caseworker.core.base.repositories import RemoteRepository
from caseworker.core.people.phrasing import Phrasing
from caseworker.ports import Comments, Thread

_MARKER_ROOM: Final = 1_000
"""Characters that are kept free for the marker with the key."""
_REFERENCE: Final = re.compile(r"(?P<host>[^/\s]+)/(?P<owner>[^/\s]+)/(?P<name>[^/\s]+) comment:(?P<id>[0-9]{1,18})")


class GitHubChat:
    """A thread's channel is `owner/name`, its anchor the number of the issue or pull request."""

    def __init__(self, comments: Comments, *, web: str, redactor: Redactor, limits: RateLimits | None = None) -> None:
        """`web`: what stands before `/owner/name`, as in `https://github.com`."""
        self._comments = comments
        self._web = web.rstrip("/")
        self._redactor = redactor
        self._limits = limits or RateLimits()

    @property
    def phrasing(self) -> Phrasing:
        return CommentPhrasing()

    async def link(self, thread: Thread) -> str:
        return f"{self._web}/{thread.channel}/issues/{thread.anchor}" if thread.anchor else ""

    async def post(self, thread: Thread, text: str, *, key: str, folded: str = "") -> str:
        body = f"{text}\n\n<details><summary>The report</summary>\n\n{folded}\n\n</details>" if folded else text
        body = outgoing(body, self._redactor, limit=COMMENT_LIMIT - _MARKER_ROOM)
        repository, number = self._place(thread)
        async with self._limits.respected("post", thread.channel):
            return (await self._comments.write(repository, number, body, key=key, look=False)).id

    async def find(self, thread: Thread, key: str) -> str | None:
        repository, number = self._place(thread)
        async with self._limits.respected("read", thread.channel):
            found = await self._comments.find(repository, number, key=key)
        return None if found is None else found.id

    async def react(self, reference: str, *, done: bool = False) -> bool:
        found = _REFERENCE.fullmatch(reference)
        if found is None:  # a label, the issue itself or a line of a diff: a text says that it was seen
            return False
        repository = RemoteRepository(host=found["host"], owner=found["owner"], name=found["name"])
        await self._comments.react(repository, found["id"], "+1" if done else "eyes")
        return True

    async def fetch(self, source: str, *, limit: int) -> bytes:
        raise Refused("Files in comments on GitHub are not read.", todo="Paste the part that matters as text.")

    def _place(self, thread: Thread) -> tuple[RemoteRepository, int]:
        owner, _, name = thread.channel.partition("/")
        if not thread.anchor.isdigit() or not name:
            raise Refused("A case can't begin a discussion on GitHub: it needs an issue or a pull request there.")
        host = self._web.partition("://")[2]
        return RemoteRepository(host=host, owner=owner, name=name), int(thread.anchor)
