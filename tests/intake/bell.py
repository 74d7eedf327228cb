"""A doorbell that records its rings."""

from caseworker.core.base.errors import Transient
from caseworker.core.base.ids import CaseId, MessageId
from caseworker.core.people.commands import MessageKind


class RecordingBell:
    def __init__(self) -> None:
        self.rung: list[tuple[CaseId, MessageId, MessageKind]] = []
        self.away = False

    async def ring(self, case: CaseId, message: MessageId, kind: MessageKind) -> None:
        if self.away:
            raise Transient("Temporal does not answer")
        self.rung.append((case, message, kind))

    @property
    def kinds(self) -> list[MessageKind]:
        return [kind for _, _, kind in self.rung]
