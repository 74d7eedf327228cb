"""Port to the store's records of chat: turns and proposals of a thread, and the rules that owners gave."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from caseworker.core.base.ids import RepositoryId
from caseworker.core.casefile.review_learnings import Provenance, ReviewLearning, Rule
from caseworker.core.runs.chat_modes import MEMORY, ChatTurn, Proposal
from caseworker.ports.stored import Thread


class ChatThreads(Protocol):
    async def turns(self, thread: Thread, most: int = MEMORY) -> list[ChatTurn]:
        """The newest ones, oldest first."""

    async def find(self, thread: Thread, comment: str) -> ChatTurn | None: ...

    async def count(self, thread: Thread) -> int: ...

    async def pending(self, thread: Thread, now: datetime) -> Proposal | None:
        """The open proposal, unless it has expired."""

    async def commit(self, thread: Thread, turn: ChatTurn) -> ChatTurn:
        """Save the turn and what it does to the proposal, in one transaction. A comment that has a turn already gets
        that one. If somebody else decided the proposal meanwhile, the turn only says so."""


class ReviewLearnings(Protocol):
    async def add(self, repository: RepositoryId, rule: Rule, provenance: Provenance) -> ReviewLearning:
        """The same rule is kept once, with who said it first."""

    async def of(self, repository: RepositoryId) -> Sequence[ReviewLearning]: ...

    async def forget(self, learning: int) -> bool:
        """False: there is none with this id."""
