"""Random walks of people, CI and a session on one pull request, and one with a faulty probe, which must be found."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from tests.world.github_office import open_github_office
from tests.world.session_walk import Walked, walk
from tests.world.world import World

from bench.empty_home import make_empty_home, running_temporal
from bench.prove.checking import Check
from bench.prove.showing import Column, show
from bench.quiet import keep_logs_quiet
from caseworker.activities.pull.pull_ports import VerdictReports
from caseworker.core.base.redaction import Redactor
from caseworker.core.base.repositories import RepositoryRef
from caseworker.core.pull.pull_facts import PullFacts
from caseworker.engine.client import connect
from caseworker.engine.temporal_address import Address
from caseworker.ports.pull_failures import PullFailures
from caseworker.ports.pull_probe import PullProbe
from caseworker.ports.pull_threads import PullThreads

_FALSE_READY = "of these, false"


@dataclass(frozen=True)
class HastyProbe:
    """The mutant: takes a check that runs for a green one, and believes that nothing blocks."""

    probe: PullProbe

    async def look(self, repository: RepositoryRef, number: int) -> PullFacts:
        facts = await self.probe.look(repository, number)
        if not any(check.state == "pending" for check in facts.checks):
            return facts
        green = {"state": "passed", "result": "success"}
        checks = [one.model_copy(update=green) if one.state == "pending" else one for one in facts.checks]
        free = facts.mergeability.model_copy(update={"state": "clean"})
        return facts.model_copy(update={"checks": tuple(checks), "mergeability": free})


@dataclass(frozen=True, kw_only=True)
class _Forge:
    probe: PullProbe
    failures: PullFailures
    verdicts: VerdictReports
    threads: PullThreads
    redactor: Redactor


async def walks(folder: Path, *, seeds: list[int], steps: int, console: Console, aside: Console) -> bool:
    """True: nothing was wrong with any seed, and the mutant called something ready that was not."""
    keep_logs_quiet()
    async with running_temporal(folder / "walks-temporal") as address:
        columns = []
        for seed in seeds:
            aside.print(f"walk with seed {seed} …", style="dim", highlight=False)
            columns.append(await _column(folder / f"walk-{seed}", address, seed, steps))
        aside.print(f"walk of the mutant with seed {seeds[0]} …", style="dim", highlight=False)
        mutant = await _column(folder / "walk-hasty", address, seeds[0], steps, furnish=_make_hasty)
    show("People, CI and the bot act at random on one pull request, by seed", [*columns, mutant], console)
    found = any(check.what == _FALSE_READY and not check.holds for check in mutant.checks)
    return found and all(column.holds for column in columns)


async def _column(
    folder: Path, address: Address, seed: int, steps: int, *, furnish: Callable[[World], None] | None = None
) -> Column:
    home = await make_empty_home(folder / "home")
    async with open_github_office(home, await connect(address), furnish=furnish or _leave_as_it_is) as office:
        walked = await walk(office, seed, steps)
        await office.serving_stops()
        await office.world.worker_stops()
    return Column(name=str(seed) if furnish is None else f"a mutant, {seed}", checks=_checks(walked))


def _checks(walked: Walked) -> list[Check]:
    return [
        Check(what="steps", found=walked.steps),
        Check(what="sessions", found=walked.sessions),
        Check(what="pushes by people", found=walked.pushes_by_people, at_least=1),
        Check(what="pushes of ours", found=walked.pushes_of_ours, at_least=1),
        Check(what="comments of ours", found=walked.comments, at_least=1),
        Check(what="looks that found it ready", found=walked.ready, at_least=1),
        Check(what=_FALSE_READY, found=walked.false_ready, at_most=0),
        Check(what="commits of people lost", found=walked.lost, at_most=0),
        Check(what="comments of ours twice", found=walked.twice, at_most=0),
    ]


def _leave_as_it_is(_: World) -> None:
    return None


def _make_hasty(world: World) -> None:
    pulls = world.parts.pulls
    assert pulls is not None
    real = pulls.forge
    forge = _Forge(
        probe=HastyProbe(real.probe),
        failures=real.failures,
        verdicts=real.verdicts,
        threads=real.threads,
        redactor=real.redactor,
    )
    world.parts = replace(world.parts, pulls=replace(pulls, forge=forge))
