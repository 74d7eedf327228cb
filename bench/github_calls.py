"""`calls`: how many requests, writes and GraphQL points one run of each workflow costs on GitHub."""

import asyncio
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.world.github_office import BOT, GitHubOffice, open_github_office

from bench.empty_home import make_empty_home, running_temporal
from bench.home import private_folder
from bench.report import Report, Row
from caseworker.engine.client import connect
from caseworker.github_double.request_log import Entry
from caseworker.intake.show_runs import Looks

_WORKFLOWS: Final = ("triage", "plan", "implement")
_FREE: Final = 304


@dataclass(frozen=True, kw_only=True)
class _Calls:
    """What was sent to GitHub between two moments."""

    entries: list[Entry]
    core: int
    """What GitHub counted against the limit of requests an hour."""
    points: int
    """The same for GraphQL."""


def measure() -> Report:
    with private_folder() as folder:
        calls = asyncio.run(_measure(folder))
    return Report(
        name="calls",
        title="requests to GitHub for one run of each workflow",
        rows=[row for workflow, found in calls.items() for row in _rows(workflow, found)],
        notes=(
            "Counted by our own GitHub, for an App with webhooks; the agents answer at once, and there is no CI. "
            "While a run works, its comment is read and written at most every 10 s. A look at checks is five reads, "
            "of which GitHub counts one as long as nothing has changed; looks are more frequent here than in use.",
        ),
    )


async def _measure(folder: Path) -> dict[str, _Calls]:
    home = await make_empty_home(folder / "home")
    async with (
        running_temporal(folder / "temporal") as address,
        open_github_office(home, await connect(address)) as office,
    ):
        await office.serving_stops()
        office.looks = Looks()
        await office.serving_starts()
        calls = await _runs(office)
        await office.serving_stops()
        await office.world.worker_stops()
        return calls


async def _runs(office: GitHubOffice) -> dict[str, _Calls]:
    """Two issues: the first one pays for what is asked only once, and is not counted."""
    calls: dict[str, _Calls] = {}
    for _ in range(2):
        issue = office.olga.opens_issue("The greeting misspells the world", "It says wrold.", on=office.shop)
        for workflow in _WORKFLOWS:
            office.github.double.log.clear()
            before = _used(office)
            office.olga.labels(issue, f"bot:{workflow}")
            await office.expect_tracking(issue, workflow, "done")
            after = _used(office)
            calls[workflow] = _Calls(
                entries=[one for one in office.github.double.log.entries if one.actor == BOT],
                core=after["core"] - before["core"],
                points=after["graphql"] - before["graphql"],
            )
    return calls


def _used(office: GitHubOffice) -> Counter[str]:
    used: Counter[str] = Counter()
    for (_, resource), window in office.github.double.limits.windows.items():
        used[resource] += window.used
    return used


def _rows(workflow: str, calls: _Calls) -> list[Row]:
    rest = [one for one in calls.entries if one.face == "rest"]
    looks = sum(one.path.endswith("/check-runs") for one in rest)
    return [
        _row(f"{workflow}: against the limit of requests", calls.core),
        _row("reads", sum(not one.is_write for one in rest), part=True),
        _row("of these unchanged, and free", sum(one.status == _FREE for one in rest), part=True),
        *([_row("looks at the checks", looks, part=True)] if looks else []),
        _row("writes", sum(one.is_write for one in rest), part=True),
        _row("requests of git", sum(one.face == "git" for one in calls.entries), part=True),
        _row(f"{workflow}: GraphQL points", calls.points),
    ]


def _row(what: str, number: int, *, part: bool = False) -> Row:
    return Row(what=what, samples=[number], unit="", part=part)
