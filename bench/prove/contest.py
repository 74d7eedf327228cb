"""The contest: our flow against two faulty ones, in the same conditions. A proof that the faulty ones pass proves
nothing."""

from pathlib import Path
from random import Random
from typing import Final

from rich.console import Console

from bench.prove.checking import NEVER_CLAIMED, Check
from bench.prove.people import races, storm
from bench.prove.processes import Setup, open_stage
from bench.prove.showing import Column, show
from bench.prove.trials import Trial

_MESSAGES: Final = 600
_CASES: Final = 20
_RATE: Final = 15.0
_KILLS: Final = 6
_AWAY: Final = 15.0
"""Seconds: longer than a client of Temporal's retries by itself."""
_RACES: Final = 60
_RACE_SECONDS: Final = 45.0


async def contests(folder: Path, seed: int, console: Console, aside: Console) -> bool:
    """True: our flow holds in both contests, and each mutant fails in its own."""
    storms = [
        await _storm(folder / "contest-real", Setup(seed=seed), aside),
        await _storm(folder / "contest-memory", Setup(seed=seed, flow="queue-in-memory", reconciler=False), aside),
    ]
    show("Kills, and Temporal away for 15 s: the store as the queue, against a queue in the workflow", storms, console)
    raced = [
        await _race(folder / "race-real", Setup(seed=seed, reconciler=False), aside),
        await _race(folder / "race-hasty", Setup(seed=seed, flow="no-last-look", reconciler=False), aside),
    ]
    show("Closes and words at the same moment, no reconciler: with the last look, against without", raced, console)
    return all(ours.holds and _lost(mutant) for ours, mutant in (storms, raced))


def _lost(mutant: Column) -> bool:
    """A mutant must fail for the reason it was made for: messages that nobody claimed."""
    return any(check.what == NEVER_CLAIMED and not check.holds for check in mutant.checks)


async def _storm(home: Path, setup: Setup, aside: Console) -> Column:
    lot, seconds = Random(setup.seed), _MESSAGES / _RATE
    aside.print(f"contest with kills: {setup.flow} …", style="dim", highlight=False)
    async with open_stage(home, setup) as stage:
        conversations = storm(_MESSAGES, _CASES, seconds, lot)
        trial = Trial(stage=stage, conversations=conversations, lot=lot, aside=aside, stuck=75)
        await trial.run(seconds=seconds, kills=_KILLS, away=_AWAY)
        return _column(setup, trial)


async def _race(home: Path, setup: Setup, aside: Console) -> Column:
    lot = Random(setup.seed)
    aside.print(f"contest of closes: {setup.flow} …", style="dim", highlight=False)
    async with open_stage(home, setup) as stage:
        conversations = races(_RACES, _RACE_SECONDS, lot)
        trial = Trial(stage=stage, conversations=conversations, lot=lot, aside=aside, stuck=20)
        await trial.run(seconds=_RACE_SECONDS)
        return _column(setup, trial)


def _column(setup: Setup, trial: Trial) -> Column:
    checks = [
        *trial.checks(),
        Check(what="kill -9", found=sum(trial.stage.kills.values())),
        Check(what="reopenings", found=trial.reopenings()),
        Check(what="came to rest (1: yes)", found=trial.rested, at_least=1),
    ]
    return Column(name="our flow" if setup.flow == "real" else setup.flow, checks=checks)
