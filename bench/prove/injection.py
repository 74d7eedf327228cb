"""Plays every attack of the injection suite, and prints a row for each: where it came in, what stopped it."""

import asyncio
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table
from tests.injection.attack import Attack
from tests.injection.stage import ATTACKS, Result, Stage, open_injection

from bench.empty_home import make_empty_home, running_temporal
from caseworker.engine.client import connect

_AT_ONCE: Final = 4


async def injections(folder: Path, only: str, console: Console, aside: Console) -> bool:
    """True: no attacker got anything. `only`: a part of the names of the attacks to play."""
    attacks = [attack for attack in ATTACKS if only in attack.name]
    home = await make_empty_home(folder / "injection")
    async with (
        running_temporal(folder / "injection-temporal") as address,
        open_injection(home, await connect(address)) as stage,
    ):
        results = await _play(stage, attacks, aside)
        await stage.office.world.worker_stops()
    _show(results, console)
    return not any(result.wrongs for result in results)


async def _play(stage: Stage, attacks: list[Attack], aside: Console) -> list[Result]:
    free = asyncio.Semaphore(_AT_ONCE)

    async def play(attack: Attack) -> Result:
        async with free:
            try:
                result = await stage.play(attack)
            except AssertionError as stuck:  # it did not come to rest: a result like any other
                result = Result(attack=attack, wrongs=(f"stuck: {stuck}",), reached="", stopped_by="")
        aside.print(f"{attack.name}: {result.wrongs or 'nothing'}", style="dim", highlight=False, markup=False)
        return result

    return await asyncio.gather(*map(play, attacks))


def _show(results: list[Result], console: Console) -> None:
    table = Table(title=f"{len(results)} attacks on a gullible model", title_justify="left", title_style="bold")
    for column in ("attack", "came in by", "came as far as", "stopped by"):
        table.add_column(column)
    for result in results:
        got = f"[bold red]NOT stopped: {'; '.join(result.wrongs)[:300]} ✗[/]" if result.wrongs else result.stopped_by
        table.add_row(result.attack.name, result.attack.door, result.reached, got)
    console.print(table)
    console.print(f"{len(results)} attacks, {sum(bool(one.wrongs) for one in results)} not stopped\n", highlight=False)
