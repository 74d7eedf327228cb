"""Reading and writing the case's own record: the only activities that touch nothing but the store."""

from contextlib import suppress

from temporalio import activity

from caseworker.activities.issue.remarks import left_open
from caseworker.activities.shared.context import refusals_told
from caseworker.activities.shared.stored import claimed, stored_case
from caseworker.contract.activities import RecordActivities
from caseworker.contract.wire import ClaimRequest, MoveRequest, SettleRequest
from caseworker.core.base.errors import Transient
from caseworker.core.base.ids import CaseId, MessageId, is_bug_case
from caseworker.core.casefile.sections import after_move
from caseworker.core.issue import words as issue_words
from caseworker.core.issue.case import IssueCase
from caseworker.core.issue.states import IssueState
from caseworker.core.issue.turns import at_work
from caseworker.core.issue.words import NEWS, fix_news
from caseworker.core.people.messages import NOBODY, Audience, Claimed, NewMessage, Standing
from caseworker.core.record.entries import Posted, Transitioned
from caseworker.ports import Doorbell, Store, StoredCase


class Records(RecordActivities):
    def __init__(self, *, store: Store, doorbell: Doorbell) -> None:
        self._store = store
        self._doorbell = doorbell

    @activity.defn
    async def load_case(self, case: CaseId) -> IssueCase:
        with refusals_told():
            return (await stored_case(self._store, case)).case

    @activity.defn
    async def claim_messages(self, request: ClaimRequest) -> list[Claimed]:
        """Those that are not answered for yet; the text stays in the store."""
        messages = await self._store.inbox.claim(request.case, request.turn)
        return [claimed(message) for message in messages if message.outcome is None]

    @activity.defn
    async def given_to(self, request: ClaimRequest) -> list[MessageId]:
        said = await self._store.inbox.of(request.case)
        return [message.id for message in said if message.turn == request.turn and message.outcome is None]

    @activity.defn
    async def remarks_to(self, request: ClaimRequest) -> list[MessageId]:
        said = await self._store.inbox.of(request.case)
        return [message.id for message in said if message.turn == request.turn and message.command.wants_something]

    @activity.defn
    async def settle_messages(self, request: SettleRequest) -> None:
        await self._store.inbox.settle(request.messages, request.outcome, refused=request.refused)

    @activity.defn
    async def record_move(self, request: MoveRequest) -> None:
        with refusals_told():
            stored = await stored_case(self._store, request.after.id)
            file = after_move(stored.file, request.after, stored.case)
            news = _news(stored, request.after)
            entries = [request.entry, *_said(request.say), *_said(await self._left_open(request))]
            await self._store.cases.move(request.after, entries, file, trace=stored.trace, tell=news)
        if news is not None:
            with suppress(Transient):  # it is in the bug's inbox; the reconciler rings, too
                await self._doorbell.ring(news.case, NOBODY, news.kind)

    async def _left_open(self, request: MoveRequest) -> str:
        """What people said of a pull request and nothing has come of, when it is merged. Empty: there is none."""
        case, entry = request.after, request.entry
        remarks = dict.fromkeys([*case.people.remarks, *case.people.late])
        if case.state is not IssueState.COMPLETED or not isinstance(entry, Transitioned) or not remarks:
            return ""
        said = {message.id: message for message in await self._store.inbox.of(case.id)}
        made = [said[remark] for remark in remarks if remark in said]
        still_open = left_open(made, await self._store.turns.finished(case.id))
        told = [(message.author, message.text) for message in still_open]
        return issue_words.left_open(case.id, case.delivery.pull_request, told) if told else ""


def _said(text: str) -> list[Posted]:
    return [Posted(audience=Audience.DEVELOPERS, about="pm", text=text)] if text else []


def _news(stored: StoredCase, after: IssueCase) -> NewMessage | None:
    """What the bug that this case fixes is told of a move: where a person is wanted, and how it ended."""
    if stored.parent is None or not is_bug_case(stored.parent) or after.state not in NEWS or at_work(after):
        return None
    return NewMessage(
        case=stored.parent,
        surface="case",
        external_id=f"{after.id}/{after.epoch}/{after.progress.transitions}",
        author=after.id,
        standing=Standing.DEVELOPER,
        command=NEWS[after.state],
        text=fix_news(after),
        trace=stored.trace,
    )
