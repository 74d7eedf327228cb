"""Rings bells in the background, so that an acknowledgement waits for the commit only."""

import asyncio

import structlog

from caseworker.core.base.errors import Refused, Transient
from caseworker.core.base.ids import CaseId, MessageId
from caseworker.core.people.commands import MessageKind
from caseworker.core.people.messages import INTERRUPTING
from caseworker.ports import Doorbell

log = structlog.get_logger()


class BackgroundBell:
    """A doorbell whose `ring` returns at once. A lost ring costs time only: the reconciler rings again."""

    def __init__(self, doorbell: Doorbell, *, at_once: int = 16, most: int = 1_000) -> None:
        self._doorbell = doorbell
        self._slots = asyncio.Semaphore(at_once)
        self._most = most
        self._ringing: set[asyncio.Task[None]] = set()
        self._waiting: dict[tuple[CaseId, bool], MessageId] = {}
        """Bells asked for and not begun, by case and by whether they interrupt. One ring stands for all of them, since
        the flow looks at everything that was committed before."""

    async def ring(self, case: CaseId, message: MessageId, kind: MessageKind) -> None:
        bell = (case, kind in INTERRUPTING)
        if bell in self._waiting:
            self._waiting[bell] = message
            return
        if len(self._ringing) >= self._most:
            log.warning("bell not rung: too many are", case=case)
            return
        self._waiting[bell] = message
        task = asyncio.create_task(self._ring(bell, kind))
        self._ringing.add(task)
        task.add_done_callback(self._ringing.discard)

    async def _ring(self, bell: tuple[CaseId, bool], kind: MessageKind) -> None:
        case = bell[0]
        async with self._slots:
            message = self._waiting.pop(bell)
            try:
                await self._doorbell.ring(case, message, kind)
            except (Transient, Refused) as error:
                log.warning("bell not rung", case=case, error=str(error))

    async def drain(self) -> None:
        """Wait until every bell that was asked for has been rung or has failed."""
        while self._ringing:
            await asyncio.wait(self._ringing)
