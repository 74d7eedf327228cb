"""`tax`: compares a whole rehearsed case with a shell script that runs the same git, agent and test commands."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from statistics import LinearRegression, linear_regression
from typing import Final

from bench.bare import BareCase
from bench.home import Entry, Home, NotMeasured, Ran, open_home, private_folder
from bench.projects import ISSUE, make_shop, rehearsal
from bench.report import Report, Row

_PACE: Final = 2.0
_PACED_TIMES: Final = 3
_SIZES: Final = (2, 10, 30)
"""Further model calls in the developer's turn."""
_FIT_TIMES: Final = 3
_DEMO_CALLS: Final = 14
_DOWN_TARGET: Final = 1.10
_UP_TARGET: Final = 1.05
_FIXED_TARGET: Final = 3.0
_STEP_TARGET: Final = 50.0


@dataclass
class _Bench:
    """Runs cases one after the other, each on a repository of its own."""

    folder: Path
    up: list[tuple[int, float]] = field(default_factory=list)
    """(model calls, seconds) of cases whose host was up."""
    bare: list[tuple[int, float]] = field(default_factory=list)
    gaps: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def by_script(self, script: Path, *, pace: float) -> float:
        shop = self._shop()
        place = self.folder / f"bare-{shop.name}"
        place.mkdir()
        return BareCase(place, shop).run(script, pace=pace).seconds

    def by_caseworker(self, home: Home, script: Path) -> float:
        shop = self._shop()
        ran: Ran = home.runs_case(shop, ISSUE, script)
        record = home.record(shop.name)
        moves = [entry.body["to_state"] for entry in record if entry.kind == "transitioned"]
        if moves[-1:] != ["waiting_for_human_input"]:
            raise NotMeasured(f"the case did not get to its pull request: {ran.out[-600:]}")
        for what, milliseconds in _gaps(record):
            self.gaps[what].append(milliseconds)
        return ran.seconds

    def _shop(self) -> Path:
        return make_shop(self.folder / f"shop{next(self.numbers)}")


def measure() -> Report:
    with private_folder() as folder:
        bench = _Bench(folder)
        paced = _paced(bench)
        bench.gaps.clear()  # from here on the machine has nothing else to do between two calls
        down = _unpaced(bench)
    return Report(
        name="tax",
        title="a whole case, issue to pull request, against a shell script",
        rows=[*paced, *_fit(bench, down), *(Row(what=w, samples=ms, unit="ms") for w, ms in bench.gaps.items())],
        notes=(
            f"The case: 5 turns, 3 builds, {_DEMO_CALLS} model calls. The script starts the same agent program in the "
            "same sandbox on the same rehearsed model, and runs the same git and test commands.",
            "A step is one model call and the one tool call it asks for; fixed is all that does not grow with steps "
            f"(the difference of two lines a round, through cases with {', '.join(map(str, _SIZES))} more steps).",
            "A transition is from a turn's `turn_completed` to the next one's `turn_started`.",
        ),
    )


def _paced(bench: _Bench) -> list[Row]:
    """First with the host down and an empty home, the most expensive way to run a case; then with the host up."""
    script = rehearsal(bench.folder / "paced.yaml")
    bare, down, up = [], [], []
    for number in range(_PACED_TIMES):
        bare.append(bench.by_script(script, pace=_PACE))
        with open_home(bench.folder / f"p{number}", pace=_PACE) as home:
            down.append(bench.by_caseworker(home, script))
            up.append(bench.by_caseworker(home, script))
    paced = f"{_PACE:.0f} s a model call"
    return [
        Row(what=f"shell script, {paced}", samples=bare),
        Row(what=f"caseworker run, {paced}, host down, empty home", samples=down),
        Row(what="orchestration tax, host down", samples=_times(down, bare), unit="times", target=_DOWN_TARGET),
        Row(what=f"caseworker run, {paced}, host up", samples=up),
        Row(what="orchestration tax, host up", samples=_times(up, bare), unit="times", target=_UP_TARGET),
    ]


def _times(ours: Sequence[float], bare: Sequence[float]) -> list[float]:
    return [mine / other for mine, other in zip(ours, bare, strict=True)]


def _unpaced(bench: _Bench) -> list[float]:
    """Run the cases to fit lines through. Returns per round how much longer the smallest took with the host down."""
    scripts = {size: rehearsal(bench.folder / f"more{size}.yaml", more_steps=size) for size in _SIZES}
    extra_seconds: list[float] = []
    with open_home(bench.folder / "u") as steady, open_home(bench.folder / "d") as resting:
        bench.by_caseworker(steady, scripts[_SIZES[0]])  # the first turn of a host imports the agent's SDK
        bench.gaps.clear()
        for _ in range(_FIT_TIMES):
            for size, script in scripts.items():
                bench.bare.append((_DEMO_CALLS + size, bench.by_script(script, pace=0)))
                bench.up.append((_DEMO_CALLS + size, bench.by_caseworker(steady, script)))
            extra_seconds.append(bench.by_caseworker(resting, scripts[_SIZES[0]]) - bench.up[-len(_SIZES)][1])
            resting.stops_host()
    return extra_seconds


def _fit(bench: _Bench, extra_seconds: Sequence[float]) -> list[Row]:
    """One line per round, so that the differences have a spread as well."""
    ours, other = (_lines(samples) for samples in (bench.up, bench.bare))
    fixed = [mine.intercept - bare.intercept for mine, bare in zip(ours, other, strict=True)]
    steps = [(mine.slope - bare.slope) * 1000 for mine, bare in zip(ours, other, strict=True)]
    rows: list[Row] = []
    for calls in (_DEMO_CALLS + size for size in _SIZES):
        rows.append(Row(what=f"shell script, {calls} model calls, no pace", samples=_of(bench.bare, calls)))
        rows.append(Row(what=f"caseworker run, {calls} model calls, no pace", samples=_of(bench.up, calls)))
    down = [more + part for more, part in zip(extra_seconds, fixed, strict=True)]
    return [
        *rows,
        Row(what="fixed part, host up", samples=fixed, target=_FIXED_TARGET),
        Row(what="fixed part, host down", samples=down, target=_FIXED_TARGET),
        Row(what="part per step", samples=steps, unit="ms", target=_STEP_TARGET),
        Row(what="a step in the shell script", samples=[bare.slope * 1000 for bare in other], unit="ms", part=True),
        Row(what="a step in caseworker run", samples=[mine.slope * 1000 for mine in ours], unit="ms", part=True),
    ]


def _lines(samples: Sequence[tuple[int, float]]) -> list[LinearRegression]:
    rounds = [samples[start : start + len(_SIZES)] for start in range(0, len(samples), len(_SIZES))]
    return [linear_regression(*zip(*points, strict=True)) for points in rounds]


def _of(samples: Sequence[tuple[int, float]], calls: int) -> list[float]:
    return [seconds for number, seconds in samples if number == calls]


def _gaps(record: Sequence[Entry]) -> list[tuple[str, float]]:
    """Milliseconds between turns: plain ones, and those with builds in between, without the commands' time."""
    found: list[tuple[str, float]] = []
    ended: Entry | None = None
    commands, builds = 0.0, 0
    for entry in record:
        if entry.kind == "build_ran":
            builds += 1
            commands += _command_seconds(entry)
        elif entry.kind == "turn_completed":
            ended, commands, builds = entry, 0.0, 0
        elif entry.kind == "turn_started" and ended is not None:
            many = "1 build" if builds == 1 else f"{builds} builds"
            what = f"a transition with {many}, less the commands" if builds else "a transition"
            found.append((what, (entry.at - ended.at - commands) * 1000))
    return found


def _command_seconds(entry: Entry) -> float:
    runs = entry.body["runs"]
    assert isinstance(runs, list)
    return sum(float(run["seconds"]) for run in runs)
