"""Opens a follow-up case when people want more of a completed one: a completed case is not reopened."""

from collections.abc import Sequence

from temporalio import activity

from caseworker.activities.shared.context import refusals_told, short_work, traced
from caseworker.activities.shared.linked_cases import LinkedCases
from caseworker.activities.shared.load_case import stored_case
from caseworker.contract.activities import FollowUpActivities
from caseworker.contract.wire import FollowUpOpened, FollowUpReply, FollowUpRequest
from caseworker.core.base.errors import Refused
from caseworker.core.base.failed_steps import EffectRefused
from caseworker.core.base.ids import CaseId, effect_key
from caseworker.core.people.commands import MessageKind, Say
from caseworker.core.people.messages import ANOTHER_CASE, NO_MESSAGE, SPOKEN, Message, NewMessage
from caseworker.core.record.entries import Noted
from caseworker.core.telling.follow_up import follow_up, followed_up, please_follow_up
from caseworker.ports import Doorbell, NewIssue, Store, StoredCase


class FollowUps(FollowUpActivities):
    def __init__(self, *, store: Store, linked: LinkedCases, doorbell: Doorbell) -> None:
        self._store = store
        self._linked = linked
        self._doorbell = doorbell

    @activity.defn
    async def open_follow_up(self, request: FollowUpRequest) -> FollowUpReply:
        with refusals_told():
            stored = await stored_case(self._store, request.case)
        with traced(stored.trace, request.case):
            async with short_work(self._store, stored):
                said = [one for one in await self._store.inbox.of(request.case) if one.id in request.messages]
                try:
                    return await self._follow_up(stored, said)
                except Refused as refused:
                    return EffectRefused(reason=str(refused))

    async def _follow_up(self, stored: StoredCase, said: Sequence[Message]) -> FollowUpOpened:
        """The first message determines the follow-up, so that a retry after a crash finds the same one."""
        case, first = stored.case, said[0]
        key = effect_key(case.id, case.epoch, "follow_up", first.id)
        effect, _ = await self._store.effects.intend(
            key, case.id, "follow_up", {"told": await self._open_child(case.id)}
        )
        told = effect.intent["told"]
        follower = CaseId(told) if told else await self._open(stored, first)
        for message in said if told else said[1:]:
            await self._store.inbox.put(_forwarded(stored, message, follower, message.text))
        note = Noted(text=f"{first.author} wants more: {followed_up(follower, new=not told)}")
        await self._store.record.append(case.id, [note], trace=stored.trace, key=key)
        await self._store.effects.done(key, {"case": follower})
        await self._doorbell.ring(follower, NO_MESSAGE, MessageKind.WORDS)
        return FollowUpOpened(case=follower, new=not told)

    async def _open_child(self, case: CaseId) -> str:
        """The follow-up that is still open, so that two messages make one piece of work. Empty: there is none."""
        children = await self._store.cases.children(case)
        return next((child.case.id for child in children if not child.case.is_over), "")

    async def _open(self, stored: StoredCase, first: Message) -> CaseId:
        words = first.text if first.kind in SPOKEN else ""
        title, body = follow_up(stored.file.issue, words, case=stored.case.id, message=first.id)
        draft = NewIssue(title=title, body=body, labels=list(stored.file.issue.labels))
        please = please_follow_up(stored.case.id)
        return await self._linked.open(stored, draft, first=lambda case: _forwarded(stored, first, case, please))


def _forwarded(stored: StoredCase, message: Message, to: CaseId, text: str) -> NewMessage:
    """The same message from the same person, with the same standing; its key makes a repeated put a no-op."""
    return NewMessage(
        case=to,
        surface=ANOTHER_CASE,
        external_id=f"{stored.case.id}/follow_up/{message.id}",
        author=message.author,
        standing=message.standing,
        command=Say(),
        text=text,
        trace=stored.trace,
    )
