"""How long CI worked on commits: for the ledger of a pull request. Pure."""

from collections.abc import Iterable
from datetime import datetime
from math import ceil

from caseworker.core.pull.pull_facts import Fact


class JobTime(Fact):
    """One job of one attempt of a workflow run."""

    run: int
    attempt: int
    name: str
    started_at: datetime | None
    ended_at: datetime | None


class CiMinutes(Fact):
    seconds: float = 0
    """That jobs worked, all attempts together."""
    minutes: int = 0
    """The same with each job rounded up to a minute, as GitHub counts what is paid for."""
    jobs: int = 0
    unfinished: int = 0
    """Jobs that have not ended: ask again later."""


def added_up(jobs: Iterable[JobTime]) -> CiMinutes:
    """A job that a new attempt took over without working again has the same name and times, and counts once."""
    ended: set[tuple[int, str, datetime, datetime]] = set()
    unfinished = 0
    for job in jobs:
        if job.started_at is None or job.ended_at is None:
            unfinished += job.ended_at is None
        elif job.ended_at > job.started_at:  # skipped ones end when they begin, or even before
            ended.add((job.run, job.name, job.started_at, job.ended_at))
    seconds = [(end - start).total_seconds() for _, _, start, end in ended]
    whole = sum(ceil(one / 60) for one in seconds)
    return CiMinutes(seconds=sum(seconds), minutes=whole, jobs=len(seconds), unfinished=unfinished)
