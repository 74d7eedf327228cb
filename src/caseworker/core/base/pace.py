"""How fast we may write to an outside service: so many a minute, so many an hour, and a gap after each."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from pydantic import BaseModel, ConfigDict, Field


class Pace(BaseModel):
    """GitHub's own advice: 80 writes a minute, 500 an hour, one second apart."""

    model_config = ConfigDict(frozen=True)

    per_minute: int = Field(default=80, ge=1)
    per_hour: int = Field(default=500, ge=1)
    gap_seconds: float = Field(default=1, ge=0)

    def wait(self, past: Sequence[datetime], now: datetime) -> float:
        """Seconds until the next write may be made, after these earlier ones. 0: now."""
        times = sorted(past)
        earliest = [now]
        if times:
            earliest.append(times[-1] + timedelta(seconds=self.gap_seconds))
        if len(times) >= self.per_minute:
            earliest.append(times[-self.per_minute] + timedelta(minutes=1))
        if len(times) >= self.per_hour:
            earliest.append(times[-self.per_hour] + timedelta(hours=1))
        return (max(earliest) - now).total_seconds()
