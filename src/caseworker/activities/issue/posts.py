"""Collects the facts from which the text of an issue case's posts is made."""

from caseworker.activities.issue.remarks import answers_to, left_open
from caseworker.activities.shared.load_case import stored_case
from caseworker.activities.shared.posts import PostText, Stored
from caseworker.core.base.ids import CaseId
from caseworker.core.issue.post_words import PostContext, Remark, words_for
from caseworker.core.issue.posts import IssueAbout, IssuePost
from caseworker.core.outcomes.outcome import Outcome
from caseworker.core.people.posts import Post
from caseworker.core.telling.unseen import unseen_in_turn, unseen_words
from caseworker.ports import Store, StoredCase, Thread

_NOT_ABOUT_A_TURN = frozenset({IssueAbout.REMINDER, IssueAbout.ANSWERS, IssueAbout.LEFT_OPEN, IssueAbout.BUDGET_NEAR})

_QUOTES_A_TURN = frozenset(
    {
        IssueAbout.QUESTIONS,
        IssueAbout.REPLY,
        IssueAbout.COMMAND_NEEDED,
        IssueAbout.REJECTED,
        IssueAbout.SENSITIVE,
        IssueAbout.PLAN,
        IssueAbout.ROLE_ASKS,
        IssueAbout.ARCHITECTURE,
    }
)
"""Posts with the words of an agent in them."""


class IssuePosts:
    def __init__(self, *, store: Store) -> None:
        self._store = store

    async def find(self, case: CaseId) -> StoredCase:
        return await stored_case(self._store, case)

    async def words(self, stored: Stored, post: Post) -> PostText:
        assert isinstance(stored, StoredCase)
        assert isinstance(post, IssuePost)
        outcome = await self._outcome(stored, post)
        matter = PostContext(
            case=stored.case,
            policy=stored.policy,
            outcome=outcome,
            not_seen=await self._not_seen(stored, post) if outcome is not None else (),
            remarks=await self._remarks(stored, post) if post.messages else (),
        )
        asked = await self._asked(stored) if post.about is IssueAbout.REMINDER else None
        if asked is None:
            return lambda phrasing: words_for(post, matter, phrasing)
        return lambda phrasing: words_for(post, matter.model_copy(update={"asked": asked(phrasing)}), phrasing)

    async def told_elsewhere(self, stored: Stored, post: Post) -> list[Thread]:
        return []

    async def _outcome(self, stored: StoredCase, post: IssuePost) -> Outcome | None:
        if post.about in _NOT_ABOUT_A_TURN or post.is_told_by_the_record:
            return None
        finished = await self._store.turns.finished(stored.case.id)
        return next((done.outcome for done in finished if done.turn == post.turn), None)

    async def _not_seen(self, stored: StoredCase, post: IssuePost) -> tuple[str, ...]:
        if post.about not in _QUOTES_A_TURN:
            return ()
        checked = await self._store.record.whole(stored.case.id, {"claims_checked"})
        return tuple(unseen_words(unseen_in_turn(checked, post.turn)))

    async def _asked(self, stored: StoredCase) -> PostText | None:
        """What people were asked, for each surface in its own phrasing: a reminder is not said in a terminal alone."""
        wait = stored.case.waiting.wait
        return await self.words(stored, wait.asked) if wait is not None and wait.asked is not None else None

    async def _remarks(self, stored: StoredCase, post: IssuePost) -> tuple[Remark, ...]:
        said = {message.id: message for message in await self._store.inbox.of(stored.case.id)}
        made = [said[remark] for remark in post.messages if remark in said]
        turns = await self._store.turns.finished(stored.case.id)
        if post.about is IssueAbout.LEFT_OPEN:
            return tuple(Remark(author=one.author, text=one.text) for one in left_open(made, turns))
        answers = zip(made, answers_to(made, turns), strict=True)
        return tuple(Remark(author=one.author, text=one.text, answer=answer or "") for one, answer in answers)
