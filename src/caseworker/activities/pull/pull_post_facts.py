"""Collects the facts from which the text of a pull case's posts is made."""

from caseworker.activities.shared.load_case import stored_pull
from caseworker.activities.shared.posts import PostText, Stored
from caseworker.core.base.ids import CaseId
from caseworker.core.outcomes.pull_work import PullResolveOutcome
from caseworker.core.people.posts import Post
from caseworker.core.pull.pull_post_words import PullPostContext, pull_post_words
from caseworker.core.pull.pull_posts import PullAbout, PullPost
from caseworker.ports import Store, StoredPull, Thread


class PullPosts:
    def __init__(self, *, store: Store) -> None:
        self._store = store

    async def find(self, case: CaseId) -> StoredPull:
        return await stored_pull(self._store, case)

    async def words(self, stored: Stored, post: Post) -> PostText:
        assert isinstance(stored, StoredPull)
        assert isinstance(post, PullPost)
        about = PullPostContext(case=stored.case, author=stored.author, reply=await self._reply(stored, post))
        return lambda phrasing: pull_post_words(post, about, phrasing)

    async def told_elsewhere(self, stored: Stored, post: Post) -> list[Thread]:
        return []

    async def _reply(self, stored: StoredPull, post: PullPost) -> str:
        if post.about is not PullAbout.REPLY:
            return ""
        finished = await self._store.turns.finished(stored.case.id)
        found = next((done.outcome for done in finished if done.turn == post.turn), None)
        return found.reply if isinstance(found, PullResolveOutcome) else ""
