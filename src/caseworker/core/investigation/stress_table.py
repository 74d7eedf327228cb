"""The table of a stress: equal outcomes are counted together, with the seeds that show them."""

import re
from collections.abc import Sequence
from typing import Final

from pydantic import BaseModel, ConfigDict

from caseworker.core.base.text import clip, code
from caseworker.core.investigation.measurements import REPORT_LIMIT, Measurement, StressRequest, unavailable

_HOW: Final = "repeated runs"
_TAIL_LINES: Final = 6
_TAIL: Final = 600
"""Characters of a failure's tail."""
_MOST_SEEDS: Final = 20
_VARIES: Final = re.compile(r"0x[0-9a-fA-F]+|\d+(?:\.\d+)?|\s+")
"""What differs between two runs that fail in the same way: numbers, addresses, spaces."""


class SeededRun(BaseModel):
    model_config = ConfigDict(frozen=True)
    seed: int
    exit_code: int
    timed_out: bool = False
    output: str = ""


class _Outcome(BaseModel):
    """Runs that ended in the same way. `tail`: of the first of them."""

    ended: str
    tail: str
    seeds: list[int]


def stress_table(request: StressRequest, runs: Sequence[SeededRun], *, parallel: int, seconds: float) -> Measurement:
    """`runs`: those that were done in time, in any order."""
    if not runs:
        return unavailable(_HOW, f"Not one run was done within {seconds:.0f} s.")
    failed = sum(run.exit_code != 0 or run.timed_out for run in runs)
    missing = request.runs - len(runs)
    late = f" {missing} more were not begun or not done within {seconds:.0f} s." if missing else ""
    summary = f"{failed} of {len(runs)} runs failed, {parallel} at a time.{late}"
    outcomes = _outcomes(sorted(runs, key=lambda run: run.seed))
    table = ["| count | ended with | seeds |", "|---|---|---|", *(_row(one) for one in outcomes)]
    tails = [f"{one.ended}, seed {one.seeds[0]}:\n{one.tail}" for one in outcomes if one.tail]
    report = clip("\n\n".join(["\n".join(table), *tails]), REPORT_LIMIT)
    return Measurement(status="measured", how=_HOW, summary=summary, report=report)


def _outcomes(runs: Sequence[SeededRun]) -> list[_Outcome]:
    """The most frequent first."""
    known: dict[tuple[str, str], _Outcome] = {}
    for run in runs:
        ended = "time limit" if run.timed_out else f"exit code {run.exit_code}"
        passed = run.exit_code == 0 and not run.timed_out
        tail = "" if passed else _tail(run.output)
        same = known.setdefault((ended, _VARIES.sub("#", tail)), _Outcome(ended=ended, tail=tail, seeds=[]))
        same.seeds.append(run.seed)
    return sorted(known.values(), key=lambda one: (-len(one.seeds), one.seeds[0]))


def _tail(output: str) -> str:
    lines = [line.rstrip() for line in output.splitlines() if line.strip()]
    return "\n".join(lines[-_TAIL_LINES:])[-_TAIL:]


def _row(one: _Outcome) -> str:
    more = f" and {len(one.seeds) - _MOST_SEEDS} more" if len(one.seeds) > _MOST_SEEDS else ""
    seeds = ", ".join(str(seed) for seed in one.seeds[:_MOST_SEEDS])
    last = one.tail.rpartition("\n")[2]
    said = f": {code(last[:120].replace('|', '/'))}" if last else ""
    return f"| {len(one.seeds)} | {one.ended}{said} | {seeds}{more} |"
