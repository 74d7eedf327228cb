"""How long a turn of a bug case waits for files whose server asks us to come back later."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

PATIENCE: Final = timedelta(minutes=5)
"""A turn waits this long for the files of its messages. After that it begins without them, and people are told."""


@dataclass(frozen=True)
class FileWait:
    again_at: datetime | None = None
    """When the server lets us try again. Null: no file waits."""
    since: datetime | None = None
    """When it first asked us to wait."""

    def after(self, again_at: datetime | None, now: datetime) -> "FileWait":
        return FileWait(again_at, self.since or now) if again_at is not None else FileWait()

    def is_due(self, now: datetime) -> bool:
        return self.again_at is not None and now >= self.again_at

    @property
    def is_too_long(self) -> bool:
        return self.again_at is not None and self.since is not None and self.again_at > self.since + PATIENCE

    @property
    def is_worth_it(self) -> bool:
        """Whether the coming turn waits."""
        return self.again_at is not None and not self.is_too_long

    def left(self, now: datetime) -> timedelta:
        return max(self.again_at - now, timedelta()) if self.again_at is not None else timedelta()

    def earlier_than(self, at: datetime | None) -> datetime | None:
        """The time of the next try, or `at` if that comes first."""
        return min((time for time in (self.again_at, at) if time is not None), default=None)
