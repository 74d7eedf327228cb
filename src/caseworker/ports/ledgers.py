"""The ledger: what model calls may cost, and what they did cost."""

from typing import Protocol

from caseworker.core.base.budget import Usage
from caseworker.core.base.ids import CaseId, RepositoryId
from caseworker.ports.stored import Attempt, SingleQuestion, Spending


class Ledger(Protocol):
    async def reserve(
        self, payer: Attempt | SingleQuestion, *, model: str, micros: int, cap_micros: int, rehearsed: bool
    ) -> int | None:
        """The id of the reservation; None when spent + reserved + this would pass the cap of the case, or of the
        repository (`spent_on_questions`)."""

    async def settle(self, reservation: int, usage: Usage, micros: int) -> None: ...

    async def abandon(self, reservation: int) -> None:
        """The end of a single question's call is not known: a part of what was reserved counts. What an attempt has
        reserved is abandoned when the attempt ends."""

    async def spent(self, case: CaseId, turn: int | None = None) -> Spending:
        """By the whole case, single questions included, or by one of its turns."""

    async def spent_on_questions(self, repository: RepositoryId) -> Spending:
        """In the last 24 hours, on single questions that no case pays for."""
