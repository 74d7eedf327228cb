"""Port to the ledger: what model calls may cost, and what they did cost."""

from typing import Protocol

from caseworker.core.base.budget import Usage
from caseworker.core.base.ids import CaseId, RepositoryId
from caseworker.ports.stored import Attempt, SingleQuestion, Spending


class Ledger(Protocol):
    async def reserve(
        self, payer: Attempt | SingleQuestion, *, model: str, micros: int, cap_micros: int, rehearsed: bool
    ) -> int | None:
        """The id of the reservation; None when spent + reserved + this would exceed the cap of the case, or of the
        repository (`spent_on_questions`)."""

    async def settle(self, reservation: int, usage: Usage, micros: int) -> None: ...

    async def abandon(self, reservation: int) -> None:
        """Close a reservation of a single question whose result is unknown: a part of it counts as spent. Reservations
        of an attempt are abandoned when the attempt ends."""

    async def spent(self, case: CaseId, turn: int | None = None) -> Spending:
        """Spent by the whole case, single questions included, or by one of its turns."""

    async def spent_on_questions(self, repository: RepositoryId) -> Spending:
        """Spent in the last 24 hours on single questions that no case pays for."""
