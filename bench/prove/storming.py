"""Runs the storm, and after it, on the same stage, the copies and the outage."""

from dataclasses import dataclass
from pathlib import Path
from random import Random

from rich.console import Console

from bench.prove.checking import Check
from bench.prove.people import storm
from bench.prove.processes import Setup, Stage, open_stage
from bench.prove.showing import Column, show
from bench.prove.sudden import copies, outage
from bench.prove.trials import Trial


@dataclass(frozen=True, kw_only=True)
class Size:
    messages: int
    cases: int
    kills: int
    rate: float
    """Messages a second."""

    @property
    def seconds(self) -> float:
        return self.messages / self.rate

    def at_least(self, whole: int) -> float:
        """The number expected of a run of 10,000 messages, scaled to this size."""
        return min(whole, whole * self.messages // 10_000)


async def storming(home: Path, size: Size | None, seed: int, console: Console, aside: Console, *, sudden: bool) -> bool:
    lot, holds = Random(seed), True
    async with open_stage(home, Setup(seed=seed)) as stage:
        if size is not None:
            column = await _storm(stage, size, lot, aside)
            show("Acknowledged is handled once, in order, and answered once", [column], console)
            holds &= column.holds
        for trial in (copies, outage) if sudden else ():
            title, column = await trial(stage, lot, aside)
            show(title, [column], console)
            holds &= column.holds
    return holds


async def _storm(stage: Stage, size: Size, lot: Random, aside: Console) -> Column:
    conversations = storm(size.messages, size.cases, size.seconds, lot)
    trial = Trial(stage=stage, conversations=conversations, lot=lot, aside=aside)
    await trial.run(seconds=size.seconds, kills=size.kills)
    each = min(25, size.kills // 4)
    kills = [Check(what=f"kill -9 of {name}", found=many, at_least=each) for name, many in stage.kills.items()]
    return Column(
        name="the storm",
        checks=[
            *trial.checks(),
            *kills,
            Check(what="kills, all while messages were sent", found=sum(stage.kills.values()), at_least=size.kills),
            Check(what="continue-as-news", found=await trial.continued(), at_least=size.at_least(100)),
            Check(what="reopenings", found=trial.reopenings(), at_least=size.at_least(50)),
            Check(what="came to rest (1: yes)", found=trial.rested, at_least=1),
            Check(what="seconds of sending", found=round(trial.sending)),
            Check(what="seconds from then to rest", found=round(trial.resting)),
        ],
    )
