"""Follows the receipts of messages sent from here, and reports each change."""

from dataclasses import dataclass, field
from typing import NamedTuple

from caseworker.core.base.ids import CaseId, MessageId
from caseworker.core.people.messages import SPOKEN, Message, ReceiptStage, receipt, receipt_stage
from caseworker.ports import Store


def was_refused(message: Message) -> bool:
    """Whether the case refused it when it read it."""
    return message.kind not in SPOKEN and message.refused


async def turns_begun(store: Store, case: CaseId) -> int:
    """The number of turns, including the one at work: it has seen what it was given or has heard."""
    stored = await store.cases.find(case)
    done = stored.case.progress.turns if stored is not None else 0
    return max([done, *(attempt.turn for attempt in await store.turns.running() if attempt.case == case)])


class NewReceipt(NamedTuple):
    text: str
    """The message's."""
    words: str
    stage: ReceiptStage


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

    async def changes(self, store: Store, case: CaseId) -> list[NewReceipt]:
        if not self._open:
            return []
        news, turns = [], await turns_begun(store, case)
        for message in await store.inbox.of(case):
            if message.id not in self._open:
                continue
            words = receipt(message, turns)
            if words != self.sent[message.id]:
                self.sent[message.id] = words
                news.append(NewReceipt(message.text, words, receipt_stage(message, turns)))
            if message.outcome is not None:
                self.refused = self.refused or was_refused(message)
                self._open.discard(message.id)
        return news
