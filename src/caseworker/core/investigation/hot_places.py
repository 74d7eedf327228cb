"""The report of a profile: the places where most time goes, from the lines that a profiler's hook wrote."""

from collections.abc import Sequence
from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.text import clip
from caseworker.core.investigation.measurements import REPORT_LIMIT

_FIELDS: Final = 5


class HotPlace(BaseModel):
    model_config = ConfigDict(frozen=True)
    own: float
    """Seconds in the place itself."""
    total: float
    """Seconds including what it calls."""
    calls: int
    place: str
    name: str


def parse_places(lines: Sequence[str], root: str) -> list[HotPlace]:
    """The places of all processes, the hottest first. A line is: own, total, calls, place and name, with tabs between
    them; other lines are ignored. `root`: the folder to leave out of paths."""
    found: dict[tuple[str, str], HotPlace] = {}
    for line in lines:
        place = _parse(line, root)
        if place is None:
            continue
        same = found.get((place.place, place.name))
        found[place.place, place.name] = place if same is None else _sum(same, place)
    return sorted(found.values(), key=lambda one: -one.own)


def places_table(places: Sequence[HotPlace]) -> str:
    rows = [f"| {one.own:.3f} | {one.total:.3f} | {one.calls or ''} | {one.place} | {one.name} |" for one in places]
    return clip("\n".join(["| own s | total s | calls | place | name |", "|---|---|---|---|---|", *rows]), REPORT_LIMIT)


def _parse(line: str, root: str) -> HotPlace | None:
    fields = line.rstrip("\n").split("\t")
    if len(fields) != _FIELDS:
        return None
    own, total, calls, place, name = fields
    try:
        return HotPlace(
            own=float(own),
            total=float(total),
            calls=int(calls),
            place=place.removeprefix("file://").replace(f"{root}/", "")[-200:].replace("|", "/"),
            name=name[:120].replace("|", "/"),
        )
    except ValueError:
        return None


def _sum(one: HotPlace, other: HotPlace) -> HotPlace:
    added = {"own": one.own + other.own, "total": one.total + other.total, "calls": one.calls + other.calls}
    return one.model_copy(update=added)
