"""`stress`: repeats a command over seeds, in parallel, each lane in its own copy of the commit."""

import asyncio
from collections.abc import Iterator
from typing import Final

from caseworker.core.investigation.measurements import Measurement, StressRequest
from caseworker.core.investigation.stress_table import SeededRun, stress_table
from caseworker.workspaces.instruments.bench import Bench

_LEAST_SECONDS: Final = 0.5
"""No run is begun with less time than this."""


async def stress(bench: Bench, request: StressRequest, *, cores: int) -> Measurement:
    lanes = min(request.parallel or cores, cores, request.runs)
    seeds = iter(range(request.first_seed, request.first_seed + request.runs))
    done: list[SeededRun] = []
    async with asyncio.TaskGroup() as group:
        for lane in range(1, lanes + 1):
            group.create_task(_run_lane(bench, request, f"stress-{lane}", seeds, done))
    return stress_table(request, done, parallel=lanes, seconds=bench.time.seconds)


async def _run_lane(
    bench: Bench, request: StressRequest, name: str, seeds: Iterator[int], done: list[SeededRun]
) -> None:
    """Takes one seed after the other, until there is none left, or no time."""
    async with bench.tree(name) as tree:
        for seed in seeds:
            await bench.workspaces.reset(tree, bench.commit, scrub=True)
            limit = min(float(request.seconds_each), bench.time.left)
            if limit < _LEAST_SECONDS:
                return
            run = await bench.run(tree, _with_seed(request.command, seed), seconds=limit)
            if run.timed_out and limit < request.seconds_each:  # stopped by the deadline, not by its own limit
                return
            output = run.output
            done.append(SeededRun(seed=seed, exit_code=run.exit_code, timed_out=run.timed_out, output=output))


def _with_seed(command: str, seed: int) -> str:
    return f"export SEED={seed} PYTHONHASHSEED={seed}\n{command.replace('{seed}', str(seed))}"
