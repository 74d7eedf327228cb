"""Reduces claimed messages to what a flow may know of them, and marks those that a turn has read on the forge."""

from collections.abc import Sequence

from caseworker.activities.shared.load_case import claimed
from caseworker.core.base.ids import CaseId
from caseworker.core.people.messages import Claimed, Message
from caseworker.core.record.pull_entries import TurnGiven
from caseworker.ports import Store
from caseworker.ports.github import review_comment_of


async def reduce_claimed(store: Store, messages: Sequence[Message]) -> list[Claimed]:
    """A turn reads review threads on the forge, so a comment may be read before the message about it arrives."""
    comments = {one.id: comment for one in messages if (comment := review_comment_of(one.reference)) is not None}
    read = await _read_comments(store, messages[0].case) if comments else frozenset()
    return [claimed(one, was_read=comments.get(one.id) in read) for one in messages]


async def _read_comments(store: Store, case: CaseId) -> frozenset[int]:
    """Comments that completed turns of this case have read in review threads."""
    entries = [one.entry for one in await store.record.whole(case, kinds={"turn_given"})]
    threads = [thread for one in entries if isinstance(one, TurnGiven) for thread in one.threads]
    return frozenset(comment for thread in threads for comment in thread.read)
