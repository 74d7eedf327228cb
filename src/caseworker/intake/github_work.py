"""Works through the deliveries, oldest first per target. Several hosts may run it: each delivery is leased to one."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import structlog

from caseworker.core.base.errors import RateLimited, Refused, Transient
from caseworker.core.runs.delivery_outcomes import Failed, Outcome
from caseworker.intake.github import GitHubIntake
from caseworker.ports import Store
from caseworker.ports.deliveries import Claim

log = structlog.get_logger()

MOST_TRIES: Final = 20
"""After so many failed tries (about an hour) a delivery is given up, so that its target is not stuck for good."""
_LONGEST_PAUSE: Final = 300.0


@dataclass(frozen=True, kw_only=True)
class Pace:
    """Pauses in seconds."""

    looks: float = 2.0
    """Between looks for deliveries that another host has taken, or that are due again."""
    renewals: float = 20.0
    ends: float = 5.0
    """Between looks for runs that have ended, which their comment has to show."""
    at_once: int = 4


class DeliveryWork:
    def __init__(self, *, store: Store, intake: GitHubIntake, pace: Pace | None = None) -> None:
        self._store = store
        self._intake = intake
        self._pace = pace or Pace()
        self._woken = asyncio.Event()

    def wake(self) -> None:
        """There is something new."""
        self._woken.set()

    async def run(self) -> None:
        """Runs until cancelled."""
        async with asyncio.TaskGroup() as group:
            for _ in range(self._pace.at_once):
                group.create_task(self._work())
            group.create_task(self._show_ends())

    async def _work(self) -> None:
        while True:
            self._woken.clear()  # before the look: what comes during it must not be missed
            try:
                found = await self.process_one()
            except Transient as error:
                log.warning("deliveries not read: tried again later", error=str(error))
                found = False
            if not found:
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._pace.looks):  # wait_for of Python 3.11 may swallow a cancellation
                        await self._woken.wait()

    async def process_all(self) -> int:
        """Process what is due now. Returns how many were."""
        count = 0
        while await self.process_one():
            count += 1
        return count

    async def process_one(self) -> bool:
        """False: nothing is due."""
        claim = await self._store.deliveries.claim()
        if claim is None:
            return False
        renewal = asyncio.create_task(self._keep(claim))
        try:
            outcome, again_in = await self._try(claim)
        finally:
            renewal.cancel()
        kept = await self._store.deliveries.settle(claim, outcome, again_in=again_in)
        log.info("delivery processed", guid=claim.guid, about=claim.subject, outcome=outcome.kind, kept=kept)
        return True

    async def _try(self, claim: Claim) -> tuple[Outcome, float | None]:
        """The outcome, and in how many seconds to try again. The one place where any error is caught: a defect in one
        delivery must not stop the others."""
        try:
            return await self._intake.process(claim), None
        except (Transient, Refused) as error:
            wait = error.seconds if isinstance(error, RateLimited) else 0.0
            return _failed(claim, str(error), wait)
        except Exception as error:  # logged with its trace, shown in the list of deliveries, and tried again
            log.exception("delivery not processed", guid=claim.guid)
            return _failed(claim, f"a defect in Caseworker ({type(error).__name__}); the log has more", 0.0)

    async def _keep(self, claim: Claim) -> None:
        while True:
            await asyncio.sleep(self._pace.renewals)
            with suppress(Transient):  # the next renewal may succeed, and the lease outlasts a few
                await self._store.deliveries.renew(claim)

    async def _show_ends(self) -> None:
        while True:
            try:
                await self._intake.dispatcher.show_ends()
            except (Transient, Refused) as error:
                log.warning("ends of runs not shown: tried again later", error=str(error))
            await asyncio.sleep(self._pace.ends)


def _failed(claim: Claim, error: str, wait: float) -> tuple[Outcome, float | None]:
    gave_up = claim.tries + 1 >= MOST_TRIES
    pause = max(wait, min(_LONGEST_PAUSE, 2.0**claim.tries))
    return Failed(error=error[:500], gave_up=gave_up), None if gave_up else pause
