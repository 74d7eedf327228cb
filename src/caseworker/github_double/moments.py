"""Time and ids of the double: a clock that tests can move, ids above 2^31, node ids in GitHub's form."""

import base64
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

_FIRST_ID = 3_100_000_001
"""Above 2^31, so that a client that keeps ids in 32 bits fails in tests."""
_STEP = 17


class Moments:
    """The clock. It runs with the real one, or stands at `start` and moves one second for each question."""

    def __init__(self, start: datetime | None = None) -> None:
        self._start = start
        self._moved = timedelta()

    def now(self) -> datetime:
        """The time in whole seconds, as GitHub gives it."""
        if self._start is not None:
            self._moved += timedelta(seconds=1)
            return (self._start + self._moved).replace(microsecond=0)
        return (datetime.now(UTC) + self._moved).replace(microsecond=0)

    def advance(self, by: timedelta) -> None:
        self._moved += by


class Key(NamedTuple):
    id: int
    node_id: str


class Keys:
    """Gives out ids. One series for everything, so that two kinds never share a number by accident."""

    def __init__(self) -> None:
        self._next = _FIRST_ID

    def new(self, prefix: str) -> Key:
        number = self._next
        self._next += _STEP
        return Key(number, node_id_of(prefix, number))


def node_id_of(prefix: str, number: int) -> str:
    """`I_kwDO...`: the kind, then base64 of a MessagePack list with the number."""
    packed = (
        b"\x92\x00\xce" + number.to_bytes(4, "big") if number < 2**32 else b"\x92\x00\xcf" + number.to_bytes(8, "big")
    )
    return f"{prefix}_{base64.urlsafe_b64encode(packed).decode().rstrip('=')}"


def wire_time(moment: datetime) -> str:
    """As GitHub writes times: UTC, whole seconds, Z."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def wire_time_or_none(moment: datetime | None) -> str | None:
    return None if moment is None else wire_time(moment)
