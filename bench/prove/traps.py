"""Plays every lie of the traps, and prints a row for each: what caught it, and how people were told."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text
from tests.traps.lie import Lie
from tests.traps.trap_stage import LIES, Result, TrapStage, open_traps

from bench.empty_home import make_empty_home, running_temporal
from caseworker.engine.client import connect

_AT_ONCE: Final = 3
_SHOWN: Final = 240


async def traps(folder: Path, only: str, console: Console, aside: Console) -> bool:
    """True: code caught every lie. `only`: a part of the names of the lies to tell."""
    lies = [lie for lie in LIES if only in lie.name]
    home = await make_empty_home(folder / "traps")
    async with (
        running_temporal(folder / "traps-temporal") as address,
        open_traps(home, await connect(address)) as stage,
    ):
        free = asyncio.Semaphore(_AT_ONCE)
        results = await asyncio.gather(*(_play(stage, lie, free, aside) for lie in lies))
    _show(results, console)
    return not any(result.wrongs for result in results)


async def _play(stage: TrapStage, lie: Lie, free: asyncio.Semaphore, aside: Console) -> Result:
    async with free:
        try:
            result = await stage.play(lie)
        except AssertionError as stuck:  # it did not come to rest: a result like any other
            result = Result(lie=lie, wrongs=(f"stuck: {stuck}",), told="")
        wrongs = "; ".join(result.wrongs)
        aside.print(f"{lie.name}: {wrongs or 'caught'}", style="dim", highlight=False, markup=False)
        return result


def _show(results: Sequence[Result], console: Console) -> None:
    table = Table(title=f"{len(results)} lies of a model", title_justify="left", title_style="bold")
    for column in ("lie", "caught by", "told how"):
        table.add_column(column)
    for result in results:
        wrong = Text(f"NOT caught: {'; '.join(result.wrongs)[:_SHOWN]} ✗", style="bold red")
        caught = Text(result.lie.caught_by) if not result.wrongs else wrong
        table.add_row(Text(result.lie.name), caught, Text(f"{result.lie.end}: {result.told[:_SHOWN]}"))
    console.print(table)
    console.print(f"{len(results)} lies, {sum(bool(one.wrongs) for one in results)} not caught\n", highlight=False)
