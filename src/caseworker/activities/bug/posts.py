"""Collects the facts from which the text of a bug case's posts is made."""

from typing import Final

from caseworker.activities.bug.records import outcome_of
from caseworker.activities.shared.attached_files import AttachedFiles
from caseworker.activities.shared.load_case import stored_bug
from caseworker.activities.shared.posts import PostText, Stored
from caseworker.core.base.ids import CaseId
from caseworker.core.bug.case import About, BugPost
from caseworker.core.bug.close_reason import closing_words
from caseworker.core.bug.words import PostContext, opening, words_for
from caseworker.core.outcomes.bug import BugOutcome
from caseworker.core.people.messages import SPOKEN, Message, Standing
from caseworker.core.people.posts import Post
from caseworker.ports import Store, StoredBug, Thread

_ABOUT_A_TURN: Final = frozenset({About.QUESTION, About.OPEN_QUESTION, About.FINDINGS, About.ESCALATION})


class BugPosts:
    def __init__(self, *, store: Store) -> None:
        self._store = store
        self._files = AttachedFiles(store=store, chats={})

    async def find(self, case: CaseId) -> StoredBug:
        return await stored_bug(self._store, case)

    async def words(self, stored: Stored, post: Post) -> PostText:
        assert isinstance(stored, StoredBug)
        assert isinstance(post, BugPost)
        matter = await self._matter(stored, post)
        return lambda phrasing: words_for(post, matter, phrasing)

    async def opening(self, stored: StoredBug) -> PostText:
        """The words of a post that begins the developers' thread late."""
        matter = self._basics(stored)
        return lambda phrasing: opening(matter, phrasing)

    def _basics(self, stored: StoredBug) -> PostContext:
        return PostContext(case=stored.case, title=stored.title, reporter=stored.reporter, policy=stored.policy)

    async def told_elsewhere(self, stored: Stored, post: Post) -> list[Thread]:
        """The fix posts its own news on the threads it is bound to."""
        fix = stored.case.repair.fix if isinstance(stored, StoredBug) else None
        if fix is None or post.about != About.FIX_NEWS:
            return []
        return [thread for audience, thread in await self._store.threads.bound(fix) if audience is post.audience]

    async def _matter(self, stored: StoredBug, post: BugPost) -> PostContext:
        outcome: BugOutcome | None = None
        news: Message | None = None
        if post.about in _ABOUT_A_TURN:
            outcome = await outcome_of(self._store, stored, post.number)
        if post.about is About.FIX_NEWS:
            said = await self._store.inbox.of(stored.case.id)
            news = next((message for message in said if message.id == post.number), None)
        files = await self._files.of(stored.case.id) if post.about is About.FILE_LOST else []
        lost = [(message, file) for message, file in files if message.id == post.number and file.why_unreadable]
        relayed: list[Message] = []
        if post.about is About.REPORTER_SAID:
            heard = [one for one in await self._store.inbox.of(stored.case.id) if post.since < one.id <= post.number]
            relayed = [one for one in heard if one.standing is Standing.REPORTER and one.kind in SPOKEN]
        closed = ""
        if post.about is About.RESOLVED:
            closed = closing_words(stored.case, await self._store.inbox.of(stored.case.id), post.audience)
        return PostContext(
            case=stored.case,
            title=stored.title,
            reporter=stored.reporter,
            policy=stored.policy,
            outcome=outcome,
            news=news.text if news else "",
            news_kind=news.kind if news else None,
            closed_because=closed,
            said=tuple((one.kind, one.text) for one in relayed),
            lost_files=tuple((file.title, file.why_unreadable) for _, file in lost),
            speaker=lost[0][0].standing if lost else Standing.REPORTER,
        )
