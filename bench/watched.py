"""`watched`: what it costs to look after 200 pull requests on which nothing happens, on one worker."""

import asyncio
import resource
import time
from pathlib import Path
from typing import Final

from tests.world.github_office import GitHubOffice, open_github_office
from tests.world.github_pulls import PullSession, asks_for

from bench.home import private_folder
from bench.report import Report, Row
from caseworker.core.base.policy import Policy
from caseworker.core.pull.case import PullState
from caseworker.engine.client import connect
from caseworker.engine.server import TemporalServer
from caseworker.github_double.acts.repository_acts import protect
from caseworker.store.store import open_store

_WATCHED: Final = 200
_ROUNDS: Final = 3
_POINTS_AN_HOUR: Final = 1_000


def measure() -> Report:
    with private_folder() as folder:
        seconds, points, memory = asyncio.run(_measure(folder))
    looks = _WATCHED * _ROUNDS
    an_hour = 3_600 / Policy().pull_look_most_seconds
    return Report(
        name="watched",
        title=f"{_WATCHED} pull requests that wait for a check, on one worker",
        rows=[
            Row(what="GraphQL points of one look", samples=[points / looks], unit="times"),
            Row(
                what="GraphQL points an hour while nothing happens",
                samples=[points / looks * an_hour * _WATCHED],
                unit="",
                target=_POINTS_AN_HOUR,
            ),
            Row(what="looks a minute, all rung at once", samples=[looks / seconds * 60], unit="/min", of=looks),
            *(
                Row(what=f"memory after round {number} of looks", samples=[used], unit="MB")
                for number, used in enumerate(memory, 1)
            ),
        ],
        notes=(
            "The worker, our own GitHub and this program share a process: the memory is that of all three. While "
            f"nothing happens, a pull request is looked at every {Policy().pull_look_most_seconds / 60:.0f} minutes.",
        ),
    )


async def _measure(folder: Path) -> tuple[float, int, list[float]]:
    home = folder / "home"
    home.mkdir()
    await (await open_store(f"sqlite:///{home / 'caseworker.db'}")).close()
    server = TemporalServer(folder / "temporal")
    await server.start()
    try:
        async with open_github_office(home, await connect(server.address)) as office:
            sessions = await _begin(office)
            before, begun = _points(office), time.monotonic()
            memory = []
            for _ in range(_ROUNDS):
                await _look_at_all(sessions)
                memory.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
            seconds = time.monotonic() - begun
            points = _points(office) - before
            await office.serving_stops()
            await office.world.worker_stops()
            return seconds, points, memory
    finally:
        await server.stop()


async def _begin(office: GitHubOffice) -> list[PullSession]:
    protect(office.github.state, office.olga.actor, office.shop, "main", checks=["unit"])
    sessions = []
    for number in range(_WATCHED):
        branch = f"fix-{number}"
        office.olga.commits(office.shop, branch, {f"file-{number}.txt": "More\n"}, "A change")
        pull = office.olga.opens_pull(office.shop, branch, f"Change {number}")
        sessions.append(await asks_for(office, pull, policy=Policy()))
    for session in sessions:
        await session.expect(lambda case: case.state is PullState.WAITING, "waiting")
    return sessions


async def _look_at_all(sessions: list[PullSession]) -> None:
    looked = [(await session.now()).sight.looked_at for session in sessions]
    for session in sessions:
        await session.rings()
    for session, last in zip(sessions, looked, strict=True):
        await session.expect_look_since(last)


def _points(office: GitHubOffice) -> int:
    windows = office.github.double.limits.windows.items()
    return sum(window.used for (_, resource), window in windows if resource == "graphql")
