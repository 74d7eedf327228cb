"""What an issue case knows of the checks of its pull request. Part of its snapshot."""

from datetime import datetime, timedelta
from typing import Final, assert_never

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.ids import CaseId, Sha
from caseworker.core.base.policy import Policy
from caseworker.core.base.text import code
from caseworker.core.evidence.check_verdict import Stand

_LONGEST_PAUSE: Final = timedelta(minutes=15)
_MOST_SHOWN: Final = 5


class CheckWatch(BaseModel):
    """The checks of one pushed commit."""

    model_config = ConfigDict(frozen=True)

    commit: Sha
    since: datetime | None = None
    """The first look. Null: nobody has looked yet."""
    looked_at: datetime | None = None
    stands: Stand = "pending"
    names: tuple[str, ...] = ()
    """The checks that it waits for, or that failed or are missing."""
    signatures: tuple[str, ...] = ()
    """Of a red one: the kinds of failure."""
    left_to: CaseId | None = None
    """The pull case whose session looks after them. They count as pending, and are read again once it has ended."""

    @property
    def is_open(self) -> bool:
        """Whether another look may tell something new. After `none` and `missing`, a check may still come late."""
        return self.stands in ("pending", "none", "missing")

    def next_look(self, policy: Policy) -> datetime | None:
        """When to look again, if no event tells of a change before: the longer it takes, the less often. Null: only an
        event brings the next look."""
        if self.stands != "pending" or self.looked_at is None or self.since is None:
            return None
        if self.left_to is not None:
            return self.looked_at + _LONGEST_PAUSE
        first = timedelta(seconds=policy.checks_look_seconds)
        return self.looked_at + min(max((self.looked_at - self.since) / 4, first), max(_LONGEST_PAUSE, first))


def check_words(watch: CheckWatch) -> str:
    """How the checks stand, as the rest of a sentence that begins with the pull request."""
    names = _listed(watch.names)
    match watch.stands:
        case "pending" if watch.left_to is not None:
            return f"is looked after by {code(watch.left_to)}"
        case "pending":
            return f"waits for its checks: {names}" if names else "waits for its checks to begin and to end"
        case "green":
            return "has green checks"
        case "red":
            return f"has failing checks: {names}"
        case "red_on_base":
            return f"has checks that fail on its base as well, and are not repaired here: {names}"
        case "missing":
            return f"lacks checks that a rule demands and that nobody has reported: {names}"
        case "none":
            return "has no checks: none has reported on its commit"
        case "moved":
            return "has a newer commit of somebody else's, whose checks are theirs to look after"
        case _:
            assert_never(watch.stands)


def _listed(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _MOST_SHOWN} more" if len(names) > _MOST_SHOWN else ""
    return ", ".join(code(name) for name in names[:_MOST_SHOWN]) + more
