"""The result of a measurement, shown as a table for people or as JSON for programs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from statistics import median
from typing import Final, Literal

from rich.console import Console
from rich.table import Table

Unit = Literal["s", "ms", "µs", "B", "MB", "$", "times", "/min", ""]

_DIGITS: Final[dict[Unit, str]] = {
    "s": ".2f",
    "ms": ".0f",
    "µs": ".0f",
    "B": ",.0f",
    "MB": ",.0f",
    "$": ".4f",
    "times": ".2f",
    "/min": ".0f",
    "": ".0f",
}


@dataclass(frozen=True, kw_only=True)
class Row:
    """One measured quantity."""

    what: str
    samples: Sequence[float]
    unit: Unit = "s"
    target: float | None = None
    """An upper limit, unless `at_least`."""
    at_least: bool = False
    part: bool = False
    """Whether it is a part of the row above it: shown indented."""
    of: int | None = None
    """The number of measurements behind this one number."""

    @property
    def count(self) -> int:
        return len(self.samples) if self.of is None else self.of

    @property
    def median(self) -> float:
        return median(self.samples)

    @property
    def met(self) -> bool | None:
        if self.target is None:
            return None
        return self.median >= self.target if self.at_least else self.median <= self.target

    def as_json(self) -> dict[str, object]:
        return {
            "what": self.what,
            "unit": self.unit,
            "n": self.count,
            "median": round(self.median, 4),
            "least": round(min(self.samples), 4),
            "most": round(max(self.samples), 4),
            "target": self.target,
            "met": self.met,
            "part": self.part,
        }


@dataclass(frozen=True, kw_only=True)
class Report:
    """One measurement's table."""

    name: str
    title: str
    rows: Sequence[Row]
    notes: Sequence[str] = field(default_factory=tuple)

    def as_json(self) -> dict[str, object]:
        return {
            "name": self.name,
            "title": self.title,
            "rows": [row.as_json() for row in self.rows],
            "notes": list(self.notes),
        }


def percentiles(
    what: str, samples: Sequence[float], wanted: Mapping[float, float | None], *, unit: Unit = "ms"
) -> list[Row]:
    """A row for each percentile, with its target; 100 is the maximum."""
    ordered = sorted(samples)

    def at(percent: float) -> float:
        return ordered[min(len(ordered) - 1, ceil(len(ordered) * percent / 100) - 1)]

    return [
        Row(
            what=f"{what}, {'most' if percent == 100 else f'p{percent:g}'}",
            samples=[at(percent)],
            unit=unit,
            target=target,
            of=len(ordered),
        )
        for percent, target in wanted.items()
    ]


def show(report: Report, console: Console) -> None:
    table = Table(title=f"{report.name}: {report.title}", title_justify="left", title_style="bold", expand=False)
    table.add_column("")
    for name in ("n", "median", "least … most", "target"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("met", no_wrap=True)
    for row in report.rows:
        table.add_row(
            f"  {row.what}" if row.part else row.what,
            str(row.count),
            formatted(row.median, row.unit),
            f"{formatted(min(row.samples), row.unit)} … {formatted(max(row.samples), row.unit)}"
            if len(row.samples) > 1
            else "",
            "" if row.target is None else f"{'≥' if row.at_least else '≤'} {formatted(row.target, row.unit)}",
            {True: "[green]yes[/]", False: "[red]no[/]", None: ""}[row.met],
            style="dim" if row.part else "",
        )
    console.print(table)
    for note in report.notes:
        console.print(f"  {note}", style="dim", markup=False, highlight=False)
    console.print()


def formatted(value: float, unit: Unit) -> str:
    return f"{value:{_DIGITS[unit]}} {unit}".rstrip()
