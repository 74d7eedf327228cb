"""The bell of a command: tells the host of this home to look into the inbox."""

import os
import signal
from contextlib import suppress

from caseworker.core.base.ids import CaseId, MessageId
from caseworker.core.people.commands import MessageKind
from caseworker.engine.host import HostFile


class HostBell:
    """Signals the host process, which looks into the inbox at once. If the signal is lost, it looks within half a
    minute."""

    def __init__(self, host: HostFile) -> None:
        self._host = host

    async def ring(self, case: CaseId, message: MessageId, kind: MessageKind) -> None:
        with suppress(ProcessLookupError):
            os.kill(self._host.pid, signal.SIGUSR1)
