"""`watched`: what it costs to look after 200 pull requests on which nothing happens, on one worker."""

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.world.github_office import BOT, GitHubOffice, open_github_office
from tests.world.github_pulls import PullSession, asks_for

from bench.empty_home import make_empty_home, running_temporal
from bench.home import private_folder
from bench.quiet import keep_logs_quiet
from bench.report import Report, Row
from caseworker.core.base.policy import Policy
from caseworker.core.pull.case import PullState
from caseworker.core.runs.outcome_kinds import OutcomeKind
from caseworker.engine.client import connect
from caseworker.github_double.acts.repository_acts import protect
from caseworker.intake.github_reconcile import EVERY

_WATCHED: Final = 200
_ROUNDS: Final = 2
_POINTS_AN_HOUR: Final = 1_000
_MOST_DELIVERIES: Final = 100_000
_AT_ONCE: Final = 20
_PAUSE: Final = 60.0
"""Seconds between two looks by timer here."""
_REAL_PAUSE: Final = Policy().pull_look_most_seconds
_OFTEN: Final = Policy(pull_look_seconds=_PAUSE, pull_look_most_seconds=_PAUSE)


@dataclass(frozen=True)
class _Count:
    looks: int
    points: int
    requests: int
    """Of REST, as far as they count against the limit."""
    events: int
    """Deliveries of webhooks, without those of our own comments: a tracking comment shows life now and then."""
    wakes: int
    """Those of them that woke a session, so that it looked before its time."""

    def since(self, before: "_Count") -> "_Count":
        return _Count(
            looks=self.looks - before.looks,
            points=self.points - before.points,
            requests=self.requests - before.requests,
            events=self.events - before.events,
            wakes=self.wakes - before.wakes,
        )


@dataclass(frozen=True)
class _Measured:
    quiet: _Count
    quiet_seconds: float
    rung: _Count
    rung_seconds: float
    memory: list[float]


def measure() -> Report:
    keep_logs_quiet()
    with private_folder() as folder:
        found = asyncio.run(_measure(folder))
    quiet, woken = found.quiet, _WATCHED * _ROUNDS
    looks_an_hour = quiet.looks / found.quiet_seconds * 3_600 * _PAUSE / _REAL_PAUSE
    return Report(
        name="watched",
        title=f"{_WATCHED} pull requests that wait for a check, on one worker",
        rows=[
            Row(what="GraphQL points of one look", samples=[quiet.points / quiet.looks], unit="times", of=quiet.looks),
            Row(what="looks by timer an hour while nothing happens", samples=[looks_an_hour], unit="", of=quiet.looks),
            Row(
                what="GraphQL points an hour while nothing happens",
                samples=[quiet.points / quiet.looks * looks_an_hour],
                unit="",
                target=_POINTS_AN_HOUR,
            ),
            Row(what="events of GitHub meanwhile", samples=[quiet.events], unit="", target=0),
            Row(what="looks that an event caused", samples=[quiet.wakes], unit="", target=0),
            Row(what="REST requests that count, a look", samples=[quiet.requests / quiet.looks], unit="times"),
            Row(what="looks a minute, woken all at once", samples=[woken / found.rung_seconds * 60], unit="/min"),
            Row(what="looks by timer besides", samples=[found.rung.looks - woken], unit="", part=True),
            *(
                Row(what=f"memory after round {number}", samples=[used], unit="MB")
                for number, used in enumerate(found.memory, 1)
            ),
        ],
        notes=(
            "The worker, our own GitHub and this program share a process: the memory is that of all three.",
            f"Looks by timer come every {_PAUSE:.0f} s here, and every {_REAL_PAUSE / 60:.0f} minutes with the default "
            f"settings. They are counted for {_ROUNDS} such pauses, and their number an hour is that of the defaults.",
        ),
    )


async def _measure(folder: Path) -> _Measured:
    home = await make_empty_home(folder / "home")
    async with (
        running_temporal(folder / "temporal") as address,
        open_github_office(home, await connect(address)) as office,
    ):
        sessions = await _begin(office)
        memory: list[float] = []
        before, begun = await _count(office), time.monotonic()
        for _ in range(_ROUNDS):
            await asyncio.sleep(_PAUSE)
            memory.append(_memory())
        quiet, quiet_seconds = (await _count(office)).since(before), time.monotonic() - begun
        before, begun = await _count(office), time.monotonic()
        for _ in range(_ROUNDS):
            await _look_at_all(sessions)
            memory.append(_memory())
        rung, rung_seconds = (await _count(office)).since(before), time.monotonic() - begun
        await office.serving_stops()
        await office.world.worker_stops()
        return _Measured(quiet, quiet_seconds, rung, rung_seconds, memory)


async def _begin(office: GitHubOffice) -> list[PullSession]:
    office.github.double.limits.per_hour = 10_000_000  # minutes here have the requests of hours
    protect(office.github.state, office.olga.actor, office.shop, "main", checks=["unit"])
    sessions: list[PullSession] = []
    for number in range(_WATCHED):
        branch = f"fix-{number}"
        office.olga.commits(office.shop, branch, {f"file-{number}.txt": "More\n"}, "A change")
        pull = office.olga.opens_pull(office.shop, branch, f"Change {number}")
        sessions.append(await asks_for(office, pull, policy=_OFTEN))
        if len(sessions) % _AT_ONCE == 0:
            for session in sessions[-_AT_ONCE:]:
                await session.expect(lambda case: case.state is PullState.WAITING, "waiting")
    await _until_events_rest(office)
    return sessions


async def _until_events_rest(office: GitHubOffice) -> None:
    """Until nothing that was set up wakes a session any more. The reconciliation sees each new session once, and once
    more when GitHub has computed its merge."""
    before: tuple[int, int] | None = None
    while (now := await _events_and_wakes(office)) != before:
        before = now
        await asyncio.sleep(EVERY + 10)


async def _events_and_wakes(office: GitHubOffice) -> tuple[int, int]:
    found = await _count(office)
    return found.events, found.wakes


async def _look_at_all(sessions: list[PullSession]) -> None:
    looked = [(await session.now()).sight.looked_at for session in sessions]
    for session in sessions:
        await session.rings()
    for session, last in zip(sessions, looked, strict=True):
        await session.expect_look_since(last)


async def _count(office: GitHubOffice) -> _Count:
    double, hook = office.github.double, office.installation.app.hook
    assert hook is not None
    ours = [one for one in double.log.entries if one.actor == BOT]
    spent = [window.used for (_, resource), window in double.limits.windows.items() if resource == "graphql"]
    return _Count(
        looks=sum(one.face == "graphql" and not one.is_write for one in ours),
        points=sum(spent),
        requests=sum(one.face == "rest" and one.status != 304 for one in ours),
        events=sum(one.event != "issue_comment" for one in hook.deliveries),
        wakes=len(await office.world.store.deliveries.list(outcome=OutcomeKind.WOKEN, limit=_MOST_DELIVERIES)),
    )


def _memory() -> float:
    """What this process uses now, in MB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4_096 / 1024**2
