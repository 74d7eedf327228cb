"""What came of messages that were sent from here, told whenever it changes."""

from dataclasses import dataclass, field

from caseworker.core.base.ids import CaseId, MessageId
from caseworker.core.people.messages import SPOKEN, Message, receipt
from caseworker.ports import Store

NOT_DONE = "not done: "
"""How the flow begins the receipt of a command that did not fit any more when it was read."""


def was_refused(message: Message) -> bool:
    """By the case itself, when it was read."""
    return message.kind not in SPOKEN and (message.outcome or "").startswith(NOT_DONE)


async def turns_begun(store: Store, case: CaseId) -> int:
    """With the one that is at work: what it was given, or heard meanwhile, it has seen."""
    stored = await store.cases.find(case)
    done = stored.case.progress.turns if stored is not None else 0
    return max([done, *(attempt.turn for attempt in await store.turns.running() if attempt.case == case)])


@dataclass
class Receipts:
    sent: dict[MessageId, str] = field(default_factory=dict)
    refused: bool = False
    _open: set[MessageId] = field(default_factory=set)

    def expect(self, message: MessageId) -> None:
        self.sent[message] = ""
        self._open.add(message)

    @property
    def all_known(self) -> bool:
        return not self._open

    async def changes(self, store: Store, case: CaseId) -> list[tuple[str, str]]:
        """(the words, their receipt)"""
        if not self._open:
            return []
        news, turns = [], await turns_begun(store, case)
        for message in await store.inbox.of(case):
            if message.id not in self._open:
                continue
            words = receipt(message, turns)
            if words != self.sent[message.id]:
                self.sent[message.id] = words
                news.append((message.text, words))
            if message.outcome is not None:
                self.refused = self.refused or was_refused(message)
                self._open.discard(message.id)
        return news
