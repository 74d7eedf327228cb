"""How long CI worked on commits."""

from datetime import datetime, timedelta

import pytest

from caseworker.core.pull.ci_minutes import CiMinutes, JobTime, added_up
from tests.core.pull.pull_examples import NOW


def job(name: str, start: int | None, end: int | None, *, attempt: int = 1, run: int = 5) -> JobTime:
    """Times in seconds from now."""

    def at(seconds: int | None) -> datetime | None:
        return None if seconds is None else NOW + timedelta(seconds=seconds)

    return JobTime(run=run, attempt=attempt, name=name, started_at=at(start), ended_at=at(end))


@pytest.mark.parametrize(
    ("jobs", "total"),
    [
        ([], CiMinutes()),
        ([job("a", 0, 61)], CiMinutes(seconds=61, minutes=2, jobs=1)),
        ([job("a", 0, 30), job("b", 0, 30)], CiMinutes(seconds=60, minutes=2, jobs=2)),
        ([job("a", 0, 60), job("a", 90, 150, attempt=2)], CiMinutes(seconds=120, minutes=2, jobs=2)),
        ([job("a", 0, 60), job("a", 0, 60, attempt=2)], CiMinutes(seconds=60, minutes=1, jobs=1)),
        ([job("a", 0, 60), job("a", 0, 60, run=6)], CiMinutes(seconds=120, minutes=2, jobs=2)),
        ([job("skipped", 5, 5), job("odd", 5, 4)], CiMinutes()),
        ([job("runs", 0, None), job("waits", None, None)], CiMinutes(unfinished=2)),
    ],
)
def test_each_job_counts_once_and_is_rounded_up(jobs: list[JobTime], total: CiMinutes) -> None:
    assert added_up(jobs) == total
