"""Limits how many developers work at once: gives a turn a place, renews it and gives it back. Rows are kept by the
store; the caller sends heartbeats."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

import structlog

from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.ids import CaseId, TraceId
from caseworker.core.record.entries import Noted
from caseworker.core.telling.capacity_words import no_place
from caseworker.ports import Store

log = structlog.get_logger()

LOOK_SECONDS: Final = 1.0
"""A turn that ends in another process rings no bell here, so the line is also polled."""
RENEW_SECONDS: Final = 5.0
"""A place expires after 20 s: three renewals may fail."""


class Capacity:
    def __init__(
        self, *, store: Store, most: int, look_seconds: float = LOOK_SECONDS, renew_seconds: float = RENEW_SECONDS
    ) -> None:
        self.most = most
        self._store = store
        self._look_seconds = look_seconds
        self._renew_seconds = renew_seconds
        self._bell = asyncio.Event()

    @asynccontextmanager
    async def place(self, case: CaseId, turn: int, *, wait: bool, trace: TraceId | None = None) -> AsyncIterator[bool]:
        """Whether the turn has a place while the body runs: False only without `wait`. With a trace, the record says
        once per turn why it waits."""
        renewing: asyncio.Task[None] | None = None
        try:
            if wait:
                await self._wait_in_line(case, turn, trace)
            elif not await self._store.places.ask(case, turn, most=self.most, queue=False):
                yield False
                return
            renewing = asyncio.create_task(self._renew(case, turn))
            yield True
        finally:
            await asyncio.shield(self._leave(case, turn, renewing))

    async def _wait_in_line(self, case: CaseId, turn: int, trace: TraceId | None) -> None:
        untold = trace
        while True:
            bell = self._bell  # taken before asking: a place that is freed in between sets this event
            try:
                if await self._store.places.ask(case, turn, most=self.most, queue=True):
                    return
                if untold is not None:
                    await self._tell(case, turn, untold)
                    untold = None
            except Transient as error:
                log.warning("the line could not be looked at; it will be tried again", error=str(error))
            with suppress(TimeoutError):
                async with asyncio.timeout(self._look_seconds):
                    await bell.wait()

    async def _tell(self, case: CaseId, turn: int, trace: TraceId) -> None:
        note = Noted(text=no_place(self.most))
        await self._store.record.append(case, [note], trace=trace, key=f"no_place/{turn}")

    async def _renew(self, case: CaseId, turn: int) -> None:
        while True:
            await asyncio.sleep(self._renew_seconds)
            try:
                await self._store.places.renew(case, turn)
            except (Transient, Refused) as error:
                log.warning("the developer's place was not renewed; it will be tried again", error=str(error))

    async def _leave(self, case: CaseId, turn: int, renewing: asyncio.Task[None] | None) -> None:
        """Stop renewing first: a renewal under way would bring the place back."""
        if renewing is not None:
            renewing.cancel()
            await asyncio.wait([renewing])
        try:
            await self._store.places.leave(case, turn)
        except (Transient, Refused) as error:
            log.warning("the developer's place was not given back; it runs out by itself", error=str(error))
        self._bell, rung = asyncio.Event(), self._bell
        rung.set()
