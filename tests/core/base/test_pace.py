"""How fast writes may follow each other."""

from datetime import UTC, datetime, timedelta

import pytest

from caseworker.core.base.pace import Pace

NOW = datetime(2026, 11, 17, 9, 0, tzinfo=UTC)


def _ago(*seconds: float) -> list[datetime]:
    return [NOW - timedelta(seconds=one) for one in seconds]


@pytest.mark.parametrize(
    ("past", "wait"),
    [
        ([], 0),
        (_ago(1), 0),
        (_ago(0.4), 0.6),
        (_ago(*range(1, 80)), 0),
        (_ago(*range(1, 81)), 0),
        (_ago(*(number * 0.5 + 1 for number in range(80))), 60 - 40.5),
        (_ago(*(number * 7 + 5 for number in range(500))), 3_600 - (499 * 7 + 5)),
        ([NOW + timedelta(seconds=30)], 31),
    ],
)
def test_the_wait_after_earlier_writes(past: list[datetime], wait: float) -> None:
    assert Pace().wait(past, NOW) == pytest.approx(max(0, wait))


def test_a_pace_without_a_gap_lets_writes_follow_at_once() -> None:
    assert Pace(gap_seconds=0).wait(_ago(0, 0, 0), NOW) == 0
