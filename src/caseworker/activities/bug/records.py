"""What a bug case asks of the store and of the surfaces: its record, its posts, its clock."""

from temporalio import activity

from caseworker.activities.shared.context import refusals_told, short_work, traced
from caseworker.activities.shared.posts import Posting
from caseworker.activities.shared.stored import claimed, stored_bug
from caseworker.contract.activities import BugRecordActivities
from caseworker.contract.wire import ClaimRequest, PostRequest, SaveBug, SinceRequest
from caseworker.core.base.ids import CaseId
from caseworker.core.bug.case import About, BugCase, Post
from caseworker.core.bug.reports import read_report, reported
from caseworker.core.bug.words import Matter, words_for
from caseworker.core.outcomes.bug import BugOutcome
from caseworker.core.people.commands import Close
from caseworker.core.people.messages import Claimed, Message
from caseworker.core.record.entries import BugRead
from caseworker.ports import Store, StoredBug

_OF_A_TURN = (About.QUESTION, About.FINDINGS)


class BugRecords(BugRecordActivities):
    def __init__(self, *, store: Store) -> None:
        self._store = store

    @activity.defn
    async def load_bug(self, case: CaseId) -> BugCase:
        with refusals_told():
            return (await stored_bug(self._store, case)).case

    @activity.defn
    async def read_report(self, bug: BugCase) -> BugCase:
        with refusals_told():
            stored = await stored_bug(self._store, bug.id)
            said = reported(await self._store.inbox.of(bug.id))
            reading = read_report(said or stored.report, stored.policy.services)
            after = bug.updated(severity=reading.severity, services=reading.services, vague=reading.vague)
            entry = BugRead(
                severity=reading.severity,
                services=list(reading.services),
                owners=list(reading.owners),
                vague=reading.vague,
            )
            await self._store.bugs.save(after, [entry], trace=stored.trace, key="read")
            return after

    @activity.defn
    async def save_bug(self, request: SaveBug) -> None:
        after, move = request.after, request.move
        with refusals_told():
            trace = (await stored_bug(self._store, after.id)).trace
            if move is None:
                await self._store.bugs.save(after, trace=trace)
            else:
                key = f"move/{move.number}/{move.to_state}"
                await self._store.bugs.save(after, [move], trace=trace, key=key)

    @activity.defn
    async def messages_since(self, request: SinceRequest) -> list[Claimed]:
        said = await self._store.inbox.of(request.case)
        return [claimed(message) for message in said if message.id > request.after and message.outcome is None]

    @activity.defn
    async def fence_turn(self, request: ClaimRequest) -> bool:
        return await self._store.turns.fence(request.case, request.turn)


class PostWriter:
    """Finds the words for a post in what the store knows, and has it said."""

    def __init__(self, *, store: Store, posting: Posting) -> None:
        self._store = store
        self._posting = posting

    async def post(self, request: PostRequest) -> None:
        with refusals_told():
            stored = await stored_bug(self._store, request.case)
        with traced(stored.trace, request.case):
            async with short_work(self._store, stored):
                await self._say(stored, request.post)

    async def _say(self, stored: StoredBug, post: Post) -> None:
        text = words_for(post, await self._matter(stored, post))
        if text:
            await self._posting.say(
                stored, audience=post.audience, about=post.about, number=post.number, text=text, epoch=post.epoch
            )

    async def _matter(self, stored: StoredBug, post: Post) -> Matter:
        outcome: BugOutcome | None = None
        news: Message | None = None
        if post.about in _OF_A_TURN:
            outcome = await outcome_of(self._store, stored, post.number)
        if post.about is About.FIX_NEWS:
            said = await self._store.inbox.of(stored.case.id)
            news = next((message for message in said if message.id == post.number), None)
        closed = await self._closing_words(stored) if post.about is About.RESOLVED else ""
        return Matter(
            case=stored.case,
            title=stored.title,
            reporter=stored.reporter,
            policy=stored.policy,
            outcome=outcome,
            news=news.text if news else "",
            news_kind=news.kind if news else None,
            closed_because=closed,
        )

    async def _closing_words(self, stored: StoredBug) -> str:
        """The reason a developer gave with the close; the reporter's own words need no repeating."""
        said = await self._store.inbox.of(stored.case.id)
        closing = next((message for message in said if message.id == stored.case.ending.closed_by), None)
        if closing is None or not isinstance(closing.command, Close) or closing.command.resolution is None:
            return ""
        return closing.command.reason or closing.text


async def outcome_of(store: Store, stored: StoredBug, turn: int) -> BugOutcome | None:
    finished = await store.turns.finished(stored.case.id)
    found = next((done.outcome for done in finished if done.turn == turn), None)
    return found if isinstance(found, BugOutcome) else None
