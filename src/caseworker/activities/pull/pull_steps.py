"""How every step of a pull case on the forge is run: traced, with heartbeats; limits and refusals become values."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from caseworker.activities.shared.context import refusals_told, short_work, traced, unless_limited
from caseworker.activities.shared.load_case import stored_pull
from caseworker.contract.wire import Postponed
from caseworker.core.base.errors import Refused
from caseworker.core.base.ids import CaseId
from caseworker.core.pull.pull_events import NotPossible
from caseworker.ports import Store, StoredPull

R = TypeVar("R")


async def run_step(
    store: Store, case: CaseId, step: Callable[[StoredPull], Awaitable[R]]
) -> R | NotPossible | Postponed:
    with refusals_told():
        stored = await stored_pull(store, case)
    with traced(stored.trace, case):
        async with short_work(store, stored):
            try:
                return await unless_limited(step(stored))
            except Refused as refused:
                return NotPossible(reason=str(refused))
