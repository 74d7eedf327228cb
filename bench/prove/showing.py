"""Prints proofs: a row per claim, a column per contestant."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from bench.prove.checking import Check


@dataclass(frozen=True, kw_only=True)
class Column:
    name: str
    checks: Sequence[Check]

    @property
    def holds(self) -> bool:
        return all(check.holds for check in self.checks)


def show(title: str, columns: Sequence[Column], console: Console) -> None:
    table = Table(title=title, title_justify="left", title_style="bold", expand=False)
    table.add_column("")
    table.add_column("wanted", justify="right", no_wrap=True)
    for column in columns:
        table.add_column(column.name, justify="right", no_wrap=True)
    for checks in zip(*(column.checks for column in columns), strict=True):
        table.add_row(checks[0].what, checks[0].wanted, *map(_shown, checks))
    console.print(table)
    console.print()


def _shown(check: Check) -> str:
    number = f"{check.found:,.1f}" if check.unit and check.found % 1 else f"{check.found:,.0f}"
    text = f"{number}{check.unit}"
    if check.at_most is None and check.at_least is None:
        return text
    return f"[green]{text}[/]" if check.holds else f"[bold red]{text} ✗[/]"
