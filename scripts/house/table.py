"""Prints the measures: one table, then what was counted where an aim is missed, and what was allowed."""

from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from scripts.house.measure import Measure

SHOWN: Final = 10
"""Findings of one measure; `--json` has all."""


def show(measures: Sequence[Measure], console: Console, *, missed_only: bool = False) -> None:
    shown = [one for one in measures if not (missed_only and one.holds)]
    table = Table()
    for column in ("measure", "now", "aim", "met"):
        table.add_column(column)
    for one in shown:
        table.add_row(Text(one.name), Text(_now(one)), _aim(one), _met(one))
    if shown:
        console.print(table)
    for one in shown:
        _list(console, one.name, one.findings if one.shows_findings or not one.met else ())
    if not missed_only:
        _list(console, "not counted", [allowed for one in measures for allowed in one.allowed], most=None)
    missed = sum(not one.met for one in measures)
    _say(console, f"\n{len(measures) - missed} of {len(measures)} aims are met.")


def _list(console: Console, title: str, lines: Sequence[str], *, most: int | None = SHOWN) -> None:
    if not lines:
        return
    _say(console, f"\n{title}:")
    for line in lines[:most]:
        _say(console, f"  {line}")
    if most is not None and len(lines) > most:
        _say(console, f"  and {len(lines) - most} more")


def _now(one: Measure) -> str:
    return "; ".join(part for part in ("" if one.now is None else str(one.now), one.note) if part)


def _aim(one: Measure) -> str:
    return f"{one.at_least} to {one.aim}" if 0 < one.at_least < one.aim else str(one.aim)


def _met(one: Measure) -> str:
    if one.met:
        return "[green]yes[/]"
    return f"[yellow]no, held at {one.held_at}[/]" if one.holds else "[red]no[/]"


def _say(console: Console, line: str) -> None:
    console.print(line, markup=False, highlight=False, soft_wrap=True)
