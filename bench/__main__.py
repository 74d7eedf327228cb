"""`python -m bench [NAME...] [--json]`: measures and prints tables; fails only where something could not be measured.

If somebody edits the tree meanwhile, hosts restart during a measurement: set PYTHONPATH to a copy of `src`.
"""

import argparse
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Final

from rich.console import Console

from bench import (
    acknowledge,
    answers,
    cases,
    dashboard,
    github_calls,
    prompt,
    repositories,
    start,
    tax,
    thrift,
    waking,
    watched,
    webhooks,
    worktree,
)
from bench.home import NotMeasured
from bench.report import Report, show

_MEASUREMENTS: Final[dict[str, Callable[[], Report]]] = {
    "start": start.measure,
    "tax": tax.measure,
    "worktree": worktree.measure,
    "repositories": repositories.measure,
    "prompt": prompt.measure,
    "thrift": thrift.measure,
    "help": answers.measure,
    "acknowledge": acknowledge.measure,
    "waking": waking.measure,
    "webhooks": webhooks.measure,
    "calls": github_calls.measure,
    "watched": watched.measure,
    "cases": cases.measure,
    "dashboard": dashboard.measure,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure Caseworker. Asserts no time.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(_MEASUREMENTS)}; all without one")
    parser.add_argument("--json", action="store_true", help="the same as JSON")
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.names if name not in _MEASUREMENTS]:
        parser.error(f"there is no measurement {unknown[0]}; there are {', '.join(_MEASUREMENTS)}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that hosts are stopped and folders removed also then
    console, aside = Console(), Console(stderr=True)
    reports, failures = [], 0
    begun, load = time.monotonic(), os.getloadavg()[0]
    for name in arguments.names or _MEASUREMENTS:
        aside.print(f"measuring {name} …", style="dim", highlight=False)
        try:
            report = _MEASUREMENTS[name]()
        except NotMeasured as reason:
            aside.print(f"{name} could not be measured: {reason}", style="red", markup=False, highlight=False)
            failures += 1
            continue
        reports.append(report)
        if not arguments.json:
            show(report, console)
    machine = {
        "cores": os.cpu_count(),
        "load before": round(load, 2),
        "python": sys.version.split()[0],
        "seconds": round(time.monotonic() - begun),
    }
    if arguments.json:
        console.out(json.dumps({"machine": machine, "reports": [report.as_json() for report in reports]}, indent=2))
    else:
        console.print(", ".join(f"{name}: {value}" for name, value in machine.items()), style="dim", highlight=False)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
