"""GitHub's limits: the primary one (requests an hour) and the secondary ones (too fast, too many writes)."""

from collections import deque
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from caseworker.github_double.entities.accounts import Actor
from caseworker.github_double.state import Json

_HOUR = timedelta(hours=1)
_MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, kw_only=True)
class LimitHit:
    """A refusal for going too fast. `headers` may hold `retry-after`, or nothing that says when."""

    status: int
    message: str
    headers: dict[str, str]


@dataclass
class Window:
    """The primary limit of one actor and resource."""

    limit: int
    reset: datetime
    used: int = 0

    @property
    def remaining(self) -> int:
        return max(self.limit - self.used, 0)

    def as_json(self) -> Json:
        return {
            "limit": self.limit,
            "used": self.used,
            "remaining": self.remaining,
            "reset": int(self.reset.timestamp()),
        }

    def headers(self, resource: str) -> dict[str, str]:
        named = {f"x-ratelimit-{name}": str(value) for name, value in self.as_json().items()}
        return named | {"x-ratelimit-resource": resource}


@dataclass
class Limits:
    per_hour: int = 5_000
    anonymous_per_hour: int = 60
    graphql_points_per_hour: int = 5_000
    search_per_minute: int = 30
    writes_per_minute: int | None = None
    """The secondary limit on content. None: off, since tests write fast."""
    windows: dict[tuple[str, str], Window] = field(default_factory=dict)
    _hits: deque[LimitHit] = field(default_factory=deque)
    _writes: dict[str, deque[datetime]] = field(default_factory=dict)

    def window(self, actor: Actor, resource: str, now: datetime) -> Window:
        """The window that counts now; a new one begins when the last has ended."""
        key = (_who(actor), resource)
        found = self.windows.get(key)
        if found is None or now >= found.reset:
            length = _MINUTE if resource == "search" else _HOUR
            found = Window(limit=self._limit(actor, resource), reset=now + length)
            self.windows[key] = found
        return found

    def refuse_next(self, times: int = 1, *, retry_after: int | None = None, status: int = 403) -> None:
        """The next requests meet the secondary limit. Without `retry_after` only the text says what it is."""
        message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
        headers = {} if retry_after is None else {"retry-after": str(retry_after)}
        self._hits.extend([LimitHit(status=status, message=message, headers=headers)] * times)

    def use_up(self, actor: Actor, now: datetime, resource: str = "core") -> None:
        """Leaves nothing of the primary limit until it is reset."""
        window = self.window(actor, resource, now)
        window.used = window.limit

    def check(self, actor: Actor, resource: str, now: datetime, *, is_write: bool) -> LimitHit | None:
        """What the actor meets with this request, if anything."""
        if self._hits:
            return self._hits.popleft()
        window = self.window(actor, resource, now)
        if window.remaining == 0:
            whose = f"for {actor.name}" if actor.user or actor.app else "for your address"
            return LimitHit(status=403, message=f"API rate limit exceeded {whose}.", headers={})
        if is_write and self.writes_per_minute is not None:
            recent = self._writes.setdefault(_who(actor), deque())
            while recent and recent[0] <= now - _MINUTE:
                recent.popleft()
            if len(recent) >= self.writes_per_minute:
                message = (
                    "You have exceeded a secondary rate limit and have been temporarily blocked from content creation."
                )
                return LimitHit(status=403, message=message, headers={"retry-after": "60"})
            recent.append(now)
        return None

    def _limit(self, actor: Actor, resource: str) -> int:
        if resource == "search":
            return self.search_per_minute
        if resource == "graphql":
            return self.graphql_points_per_hour
        return self.per_hour if actor.user or actor.app else self.anonymous_per_hour


def _who(actor: Actor) -> str:
    """An installation has one limit for all its tokens, a person one for all theirs."""
    if actor.installation is not None:
        return f"installation {actor.installation.id}"
    return actor.name
