"""The entry of a turn that has to wait for a service."""

from datetime import datetime
from typing import Literal

from caseworker.core.record.entry import RecordEntry


class TurnStalled(RecordEntry):
    """A service can't be reached, so a turn has to wait."""

    kind: Literal["turn_stalled"] = "turn_stalled"
    reason: str
    next_try: datetime
