"""Publishes what cases say, each post once: on the record, and on each chat thread whose audience fits."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import structlog
from temporalio import activity

from caseworker.activities.shared.context import finish_if_cancelled, refusals_told, short_work, traced, unless_limited
from caseworker.contract.activities import PostActivities
from caseworker.contract.wire import Postponed, PostRequest, SayRequest
from caseworker.core.base.errors import RateLimited, Refused
from caseworker.core.base.ids import CaseId, MessageId
from caseworker.core.people.mentions import only_calling
from caseworker.core.people.messages import Audience, Message
from caseworker.core.people.phrasing import Phrasing
from caseworker.core.people.posts import Post
from caseworker.core.record.entries import Noted, Posted
from caseworker.ports import POST, Chat, Store, StoredAny, StoredBug, Thread, begins_thread

log = structlog.get_logger()

PostText = Callable[[Phrasing], str]
Stored = StoredAny
Opening = Callable[[StoredBug], Awaitable[PostText]]
SUMMARY: Final = "summary"
"""The topic of the post that begins a developers' thread."""


class OpeningPost(Post):
    """Begins a developers' thread late, before another post."""

    of: str
    """The topic of that post."""

    def key(self, case: CaseId) -> str:
        return f"{super().key(case)} before {self.of}"


@dataclass(frozen=True, kw_only=True)
class RecordPhrasing:
    """How those who read the record phrase what people can do."""

    terminal: Phrasing
    buttons: Phrasing
    """The dashboard's."""


def _linked(words: PostText, link: str) -> PostText:
    return lambda phrasing: f"{words(phrasing)}\n[The reporter's thread]({link})" if link else words(phrasing)


class PostWriter(Protocol):
    """Collects the facts for the posts of one kind of case."""

    async def find(self, case: CaseId) -> Stored: ...

    async def words(self, stored: Stored, post: Post) -> PostText:
        """A function that words the post for a surface. Empty text: there is nothing to say."""

    async def told_elsewhere(self, stored: Stored, post: Post) -> list[Thread]:
        """Threads on which another case says the same."""


class Posting:
    """Posts to the chats, by surface. A case without a thread is read in its record, as the terminal does."""

    def __init__(
        self,
        *,
        store: Store,
        chats: Mapping[str, Chat],
        recorded_in: RecordPhrasing,
        developers: Thread | None = None,
        opening: Opening | None = None,
    ) -> None:
        """`developers`: where a bug case begins its thread for developers. `opening` words the first post there."""
        self._store = store
        self._chats = chats
        self._recorded_in = recorded_in
        self._developers = developers
        self._opening = opening

    async def threads(self, stored: Stored, audience: Audience) -> list[Thread]:
        bound = [thread for whom, thread in await self._store.threads.bound(stored.case.id) if whom is audience]
        if not bound and audience is Audience.DEVELOPERS and self._developers and isinstance(stored, StoredBug):
            bound = [self._developers]
        return [thread for thread in bound if thread.surface in self._chats]

    async def react(self, case: CaseId, messages: Sequence[MessageId], *, done: bool = False) -> bool:
        """React to messages. True: to all of them, so that no text is needed."""
        said = [message for message in await self._store.inbox.of(case) if message.id in messages]
        return all([await self._reacted(message, done) for message in said])

    async def _reacted(self, message: Message, done: bool) -> bool:
        chat, reference = self._chats.get(message.surface), message.reference or message.refers_to
        if chat is None or not reference:
            return False
        try:
            return await chat.react(reference, done=done)
        except Refused:  # a permission may be missing: a text says the same
            log.warning("no reaction to a message", case=message.case, message=message.id, exc_info=True)
            return False

    async def say(self, stored: Stored, post: Post, words: PostText, *, elsewhere: list[Thread] | None = None) -> None:
        case, key = stored.case.id, post.key(stored.case.id)
        threads = [one for one in await self.threads(stored, post.audience) if one not in (elsewhere or [])]
        place, undelivered = "", False
        if isinstance(stored, StoredBug) and any(not thread.anchor for thread in threads):
            if isinstance(post, OpeningPost) or post.about == SUMMARY:
                words = _linked(words, await self._link(stored))
            elif words(self._recorded_in.terminal):
                threads = await self._opened(stored, post)
                undelivered = not threads
        text, with_buttons = words(self._recorded_in.terminal), words(self._recorded_in.buttons)
        if not text:
            return
        begun: list[Thread] = []
        for thread in threads:
            try:
                place = await self._posted(key, stored, thread, words)
                if not thread.anchor:  # the first post in a channel begins the case's one thread there
                    begun.append(thread.model_copy(update={"anchor": place}))
            except Refused as refused:
                undelivered = True
                await self._store.effects.done(
                    _surface_key(key, thread), {"refused": str(refused)}
                )  # it is no longer pending
                note = Noted(text=f"The {post.audience} could not be told on {thread.surface}: {refused}")
                await self._store.record.append(
                    case, [note], trace=stored.trace, key=f"{_surface_key(key, thread)} refused"
                )
        if threads or undelivered or not post.is_told_by_the_record:
            said = Posted(
                audience=post.audience,
                about=post.about,
                number=post.number,
                text=text,
                text_with_buttons=with_buttons if with_buttons != text else "",
                place=place,
                undelivered=undelivered,
            )
            await self._store.record.append(case, [said], trace=stored.trace, key=key)
        for thread in begun:  # last: once a thread is there, nobody looks for the post that began it
            await self._store.threads.begin(case, post.audience, thread, effect=_surface_key(key, thread))

    async def _opened(self, stored: StoredBug, post: Post) -> list[Thread]:
        """Begin the developers' thread before its first post, if the summary was refused: the bot was invited late.
        Returns no thread if this is refused as well."""
        if self._opening is not None:
            first = OpeningPost(
                about=SUMMARY, audience=post.audience, epoch=post.epoch, number=post.number, of=post.about
            )
            await self.say(stored, first, await self._opening(stored))
        return [thread for thread in await self.threads(stored, post.audience) if thread.anchor]

    async def _link(self, stored: StoredBug) -> str:
        """An address that opens the reporter's thread, if there is one."""
        bound = dict(await self._store.threads.bound(stored.case.id)).get(Audience.REPORTER)
        chat = self._chats.get(bound.surface) if bound is not None else None
        return await chat.link(bound) if chat is not None and bound is not None else ""

    async def _posted(self, key: str, stored: Stored, thread: Thread, words: PostText) -> str:
        """Returns its place. The effect of a post that begins a thread is ended by `Threads.begin`."""
        case, chat = stored.case.id, self._chats[thread.surface]
        intent = begins_thread(thread.channel) if not thread.anchor else {"channel": thread.channel}
        effect, new = await self._store.effects.intend(_surface_key(key, thread), case, POST, intent)
        place = effect.result.get("place") if effect.done else None
        if place is None:
            # Not new and not done: an earlier try may have posted it, and its answer was lost.
            place = None if new else await chat.find(thread, key)
            folded = stored.report if not thread.anchor and isinstance(stored, StoredBug) else ""
            if place is None:
                text = only_calling(words(chat.phrasing), await self._people(stored))
                place = await self._post_now(key, thread, text, new=new, folded=folded)
        if thread.anchor:
            await self._store.effects.done(_surface_key(key, thread), {"place": place})
        return place

    async def _people(self, stored: Stored) -> set[str]:
        """Who may be called in a post: who spoke in the case, its reporter, and who is on duty by its policy."""
        people = {message.author for message in await self._store.inbox.of(stored.case.id)}
        people |= {stored.reporter} if isinstance(stored, StoredBug) else set()
        people |= {owner for service in stored.policy.services.values() for owner in service.owners}
        return people | {name.removeprefix("@") for level in stored.policy.contacts for name in level}

    async def _post_now(self, key: str, thread: Thread, text: str, *, new: bool, folded: str) -> str:
        chat = self._chats[thread.surface]
        try:
            return await finish_if_cancelled(chat.post(thread, text, key=key, folded=folded))
        except RateLimited:
            if new:  # it is certain that no try has arrived: the next one needs no look
                await self._store.effects.withdraw(_surface_key(key, thread))
            raise


class Posts(PostActivities):
    def __init__(self, *, store: Store, posting: Posting, writers: Mapping[str, PostWriter]) -> None:
        """`writers`: by the kind of the post."""
        self._store = store
        self._posting = posting
        self._writers = writers

    @activity.defn
    async def say(self, request: SayRequest) -> int:
        with refusals_told():
            for number, post in enumerate(request.posts):
                stored = await self._writers[post.kind].find(request.case)
                if await self._posting.threads(stored, post.audience):
                    return number
                await self._say(stored, post.kind, post)
            return len(request.posts)

    @activity.defn
    async def post(self, request: PostRequest) -> Postponed | None:
        with refusals_told():
            stored = await self._writers[request.post.kind].find(request.case)
        with traced(stored.trace, request.case):
            async with short_work(self._store, stored):
                return await unless_limited(self._say(stored, request.post.kind, request.post))

    async def _say(self, stored: Stored, kind: str, post: Post) -> None:
        if post.acknowledges and await self._posting.react(stored.case.id, post.acknowledges):
            return
        writer = self._writers[kind]
        words = await writer.words(stored, post)
        await self._posting.say(stored, post, words, elsewhere=await writer.told_elsewhere(stored, post))
        if post.obeys:
            await self._posting.react(stored.case.id, post.obeys, done=True)


def _surface_key(key: str, thread: Thread) -> str:
    """The key of the effect on one surface: a case may be bound to threads of several."""
    return f"{key}@{thread.surface}"
