"""Diagrams as SVG, made by code: the states of a case with the way it took, and columns over time."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from caseworker.core.base.budget import dollars
from caseworker.core.base.case_kinds import CaseKind
from caseworker.core.issue.states import ROWS
from caseworker.views.cost_tables import CostLine
from caseworker.views.whole_cases import StateStep

_WIDTH: Final = 114
_HEIGHT: Final = 26
_GAP_X: Final = 14
_GAP_Y: Final = 16
_OTHERS: Final[Mapping[CaseKind, tuple[tuple[str, ...], ...]]] = {
    CaseKind.BUG: (("investigating",), ("awaiting_reporter", "awaiting_dev"), ("dev_takeover",), ("resolved",)),
    CaseKind.PULL: (
        ("looking", "waiting"),
        ("reading_failures", "paused"),
        ("reviewing", "resolving"),
        ("building", "updating"),
        ("publishing", "ended"),
    ),
}
"""The columns of the kinds whose states have no rows."""
_SHORT: Final[Mapping[str, str]] = {
    **{state: row.drawn.name for state, row in ROWS.items()},
    "awaiting_reporter": "waits: reporter",
    "awaiting_dev": "waits: developer",
    "dev_takeover": "taken over",
    "reading_failures": "read failures",
}


@dataclass(frozen=True)
class _Spot:
    x: float
    y: float


def state_diagram(kind: CaseKind, now: str, way: Sequence[StateStep]) -> Markup:
    """Every state of its kind, those it has been in, where it stands, and each way it went, wider where it went
    often."""
    spots = _spots(kind)
    visits = Counter(step.to_state for step in way)
    if way:
        visits[way[0].from_state] += 1
    edges = Counter((step.from_state, step.to_state) for step in way if step.from_state != step.to_state)
    width = max(spot.x for spot in spots.values()) + _WIDTH + 2
    height = max(spot.y for spot in spots.values()) + _HEIGHT + 12
    drawn = [_edge(spots, *ends, count) for ends, count in edges.items() if set(ends) <= set(spots)]
    drawn += [_node(name, spot, visits[name], here=name == now) for name, spot in spots.items()]
    told = ", then ".join(_name(step.to_state) for step in way) or "no move yet"
    return Markup('<svg class="states" viewBox="0 0 {} {}" width="{}" role="img" aria-label="{}">{}</svg>').format(
        width, height, width, f"States: it stands at {_name(now)}. Its way: {told}", Markup("").join(drawn)
    )


def _spots(kind: CaseKind) -> dict[str, _Spot]:
    return {
        name: _Spot(1 + column * (_WIDTH + _GAP_X), 12 + row * (_HEIGHT + _GAP_Y))
        for name, (column, row) in _places(kind).items()
    }


def _places(kind: CaseKind) -> dict[str, tuple[int, int]]:
    if kind is CaseKind.ISSUE:
        return {state: (row.drawn.column, row.drawn.row) for state, row in ROWS.items()}
    return {name: (column, row) for column, names in enumerate(_OTHERS[kind]) for row, name in enumerate(names)}


def _name(state: str) -> str:
    return _SHORT.get(state, state.replace("_", " "))


def _node(name: str, spot: _Spot, visits: int, *, here: bool) -> Markup:
    state = "here" if here else "been" if visits else "not"
    times = Markup('<text class="times" x="{}" y="{}">×{}</text>')
    often = times.format(spot.x + _WIDTH - 10, spot.y - 2, visits) if visits > 1 else Markup("")
    return Markup(
        '<g class="state {}"><rect x="{}" y="{}" width="{}" height="{}" rx="5"/><text x="{}" y="{}">{}</text>{}</g>'
    ).format(state, spot.x, spot.y, _WIDTH, _HEIGHT, spot.x + _WIDTH / 2, spot.y + _HEIGHT / 2 + 4, _name(name), often)


def _edge(spots: Mapping[str, _Spot], start: str, end: str, count: int) -> Markup:
    a, b = spots[start], spots[end]
    stroke = min(1 + 0.6 * count, 4)
    if a.x == b.x:
        side = a.x + _WIDTH if b.y < a.y else a.x
        bend = side + (_GAP_X * 0.8 if b.y < a.y else -_GAP_X * 0.8)
        middle_a, middle_b = a.y + _HEIGHT / 2, b.y + _HEIGHT / 2
        path = f"M{side},{middle_a} C{bend},{middle_a} {bend},{middle_b} {side},{middle_b}"
    else:
        forward = b.x > a.x
        x1, x2 = (a.x + _WIDTH, b.x) if forward else (a.x, b.x + _WIDTH)
        y1, y2 = a.y + _HEIGHT / 2, b.y + _HEIGHT / 2
        bend = max(20.0, abs(x2 - x1) / 2) * (1 if forward else -1)
        path = f"M{x1},{y1} C{x1 + bend},{y1} {x2 - bend},{y2} {x2},{y2}"
    return Markup('<path class="way" d="{}" stroke-width="{}"/>').format(path, round(stroke, 1))


_COLUMN: Final = 26
_TALL: Final = 120


def columns(days: Sequence[CostLine]) -> Markup:
    """Spending by day, a column each."""
    most = max((day.micros for day in days), default=0) or 1
    drawn = []
    for place, day in enumerate(days):
        height = round(_TALL * day.micros / most, 1)
        shape = Markup(
            '<g><title>{}: {} in {} calls</title><rect class="column" x="{}" y="{}" width="{}" height="{}" rx="2"/></g>'
        )
        x, y = place * _COLUMN + 2, 8 + _TALL - height
        drawn.append(shape.format(day.name, dollars(day.micros), day.calls, x, y, _COLUMN - 6, max(height, 1)))
        if place % 5 == 4 or place == len(days) - 1:
            label = Markup('<text x="{}" y="{}">{}</text>')
            drawn.append(label.format(place * _COLUMN + _COLUMN / 2 - 1, _TALL + 24, day.name[5:]))
    width = len(days) * _COLUMN + 8
    told = f"Spending by day: at most {dollars(most if most > 1 else 0)} on one day"
    svg = Markup('<svg class="columns-chart" viewBox="0 0 {} {}" width="{}" role="img" aria-label="{}">{}</svg>')
    return svg.format(width, _TALL + 30, width, told, Markup("").join(drawn))
