"""Port to the store's tracking comments: which comment on a forge shows which run, and what it shows."""

from datetime import datetime
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import CaseId, RunId
from caseworker.core.runs.run import RunState
from caseworker.ports.stored import Thread


class Tracking(BaseModel):
    """A run whose comment is the caller's to write until the lease ends."""

    model_config = ConfigDict(frozen=True)

    run: RunId
    case: CaseId
    thread: Thread
    token: str
    comment: int | None
    """As the forge names it. Null: none is known yet."""
    digest: str
    """Of what was written last."""
    written_at: datetime | None
    is_tidy: bool
    """Duplicates and the comments of earlier runs are deleted."""


class TrackingComments(Protocol):
    async def claim(self, surface: str) -> Tracking | None:
        """A run of a case with a thread on this surface that is in flight, or whose end is not shown; leased to the
        caller. A run that a later one of its workflow has replaced is not shown any more."""

    async def earlier(self, tracking: Tracking) -> frozenset[RunId]:
        """The earlier runs of the same workflow on the same case."""

    async def reserve(self, tracking: Tracking, comment: int, *, instead_of: int | None) -> bool:
        """Store the comment's id, if `instead_of` is stored still. False: another host has stored one."""

    async def wrote(self, tracking: Tracking, digest: str, *, is_tidy: bool, shows: RunState | None) -> None:
        """The comment was written just now. `shows`: the end of the run, if it has ended: nothing is left to do."""

    async def release(self, tracking: Tracking, *, again_in: float) -> None:
        """End the lease. The run is due again after so many seconds."""
