"""`start`: measures from the spawn of `caseworker run` to the first agent turn, with the host up, down, and in an empty
home."""

import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bench.home import Home, Ran, first_of, open_home, private_folder, timed
from bench.projects import ISSUE, make_shop, rejection
from bench.report import Report, Row

_TIMES: Final = 4
_UP_TARGET: Final = 1.0
_DOWN_TARGET: Final = 4.0
_FIRST_TURN: Final = "turn_started"


@dataclass
class _Kind:
    """Runs of one kind: when each stage ended, in seconds since the spawn."""

    what: str
    target: float
    ends: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def add(self, ends: Sequence[tuple[str, float]], spawned: float) -> None:
        for stage, at in ends:
            self.ends[stage].append(at - spawned)

    def rows(self) -> list[Row]:
        first = self.ends[_FIRST_TURN]
        rows = [Row(what=f"first agent turn, {self.what}", samples=first, target=self.target)]
        before: Sequence[float] = [0.0] * len(first)
        for stage, ends in self.ends.items():
            took = [end - earlier for end, earlier in zip(ends, before, strict=True)]
            rows.append(Row(what=_STAGE_NAMES[stage], samples=took, part=True))
            before = ends
        return [*rows, Row(what=f"first model call, {self.what}", samples=self.ends["model_call"])]


_STAGE_NAMES: Final = {
    "host_spawned": "the command: imports, checks, records opened; spawns the host",
    "server_spawned": "the host: its imports, until Temporal's server is spawned",
    "host_started": "Temporal answers, records opened, `host started`",
    "case_opened": "the command (host up: its settings, then the host): the case is committed",
    "messages_claimed": "bell, workflow begins, inbox read",
    "attempt_begun": "mirror and worktree made, turn's activity begins",
    "turn_started": "worktree reset, prompt written: `turn_started`",
    "model_call": "after it: the agent's process until its first model call",
}


def measure() -> Report:
    up = _Kind("host up", _UP_TARGET)
    down = _Kind("host down", _DOWN_TARGET)
    empty = _Kind("host down, empty home", _DOWN_TARGET)
    stages: dict[str, list[float]] = defaultdict(list)
    with private_folder() as folder, open_home(folder / "u") as steady, open_home(folder / "d") as resting:
        script = rejection(folder / "reject.yaml")
        for home in (steady, resting):
            home.runs_case(make_shop(folder / f"first{home.folder.name}"), ISSUE, script)
        resting.stops_host()
        for number in range(_TIMES):
            shop = make_shop(folder / f"shop{number}")
            up.add(*_stage_ends(steady, shop, script, host_down=False))
            for stage, seconds in _stages(steady, shop, script).items():
                stages[stage].append(seconds)
            down.add(*_stage_ends(resting, shop, script, host_down=True))
            resting.stops_host()
            with open_home(folder / f"e{number}") as fresh:
                empty.add(*_stage_ends(fresh, shop, script, host_down=True))
    before = [Row(what=what, samples=seconds, part=True) for what, seconds in stages.items()]
    walk = Row(what="a command that opens its case itself, measured apart", samples=_sums(stages))
    return Report(
        name="start",
        title="from `caseworker run` to the first agent turn",
        rows=[*up.rows(), walk, *before, *down.rows(), *empty.rows()],
        notes=(
            "Each run opens a new case on a new small repository; the three kinds are interleaved.",
            "Times come from the record, the ledger, the host's log and /proc, against the clock at the spawn.",
        ),
    )


def _stage_ends(home: Home, shop: Path, script: Path, *, host_down: bool) -> tuple[list[tuple[str, float]], float]:
    ran = home.runs_case(shop, ISSUE, script)
    record = home.record(shop.name)
    ends = _host_ends(home) if host_down else []
    ends += [(kind, first_of(record, kind).at) for kind in ("case_opened", "messages_claimed")]
    ends += [("attempt_begun", home.attempts(shop.name)[0]), (_FIRST_TURN, first_of(record, _FIRST_TURN).at)]
    ends += [("model_call", home.model_calls(shop.name)[0])]
    return ends, ran.spawned


def _host_ends(home: Home) -> list[tuple[str, float]]:
    host, server = home.host_processes()
    return [
        ("host_spawned", _process_start(host)),
        ("server_spawned", _process_start(server)),
        ("host_started", home.host_log()["host started"]),
    ]


def _process_start(pid: int) -> float:
    """By the wall clock; the kernel counts in hundredths of a second."""
    ticks = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME) + ticks / os.sysconf("SC_CLK_TCK")


def _stages(home: Home, shop: Path, script: Path) -> dict[str, float]:
    argv = [sys.executable, "-m", "bench.stages", str(time.time()), str(shop), str(ISSUE), str(script)]
    ran: Ran = timed(argv, home.environment)
    stages: dict[str, float] = json.loads(ran.out)
    return stages


def _sums(stages: dict[str, list[float]]) -> list[float]:
    return [sum(taken) for taken in zip(*stages.values(), strict=True)]
