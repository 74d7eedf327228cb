"""Whether the deployment works: what runs, what waits, and how old it is. Read from the records."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import CaseId
from caseworker.ports import RunningAttempt, Store
from caseworker.ports.boards import Lease

_SLOW: Final = timedelta(seconds=60)
"""A message that waits longer than this, or a lease that is older, is worth a look."""


class AtWork(BaseModel):
    model_config = ConfigDict(frozen=True)

    case: CaseId
    turn: int
    attempt: int
    worker: str


class DeploymentHealth(BaseModel):
    model_config = ConfigDict(frozen=True)

    at_work: tuple[AtWork, ...]
    leases: tuple[Lease, ...]
    unread: int
    """Messages that no case has read yet."""
    unread_cases: tuple[CaseId, ...]
    unfinished: int
    """Cases that need a workflow."""
    working: int
    problems: tuple[str, ...]


async def read_health(store: Store, now: datetime) -> DeploymentHealth:
    running = await store.turns.running()
    unclaimed = await store.inbox.unclaimed()
    leases = await store.boards.leases()
    return DeploymentHealth(
        at_work=tuple(_at_work(one) for one in running),
        leases=tuple(leases),
        unread=len(unclaimed),
        unread_cases=tuple(dict.fromkeys(case for case, _, _ in unclaimed))[:20],
        unfinished=len(await store.cases.unfinished()),
        working=await store.cases.at_work(),
        problems=tuple(_problems(leases, now)),
    )


def _at_work(one: RunningAttempt) -> AtWork:
    return AtWork(case=one.case, turn=one.turn, attempt=one.number, worker=one.worker.partition(" ")[0])


def _problems(leases: Sequence[Lease], now: datetime) -> list[str]:
    return [
        f"The place of {one.case}, turn {one.turn}, was last renewed at {one.renewed_at:%H:%M:%S} UTC: its worker may "
        "have died."
        for one in leases
        if one.at_work and now - one.renewed_at > _SLOW
    ]
